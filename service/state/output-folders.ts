/** Temporary result folders in a local directory: `<bucket>/tmp/<queryId>/`, published by renames. */
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { ApiError, bucketPattern, errors, formatLocation, type Location } from "../../contract";
import { describeDiskProblem, diskProblem } from "../../storage/disk-errors";
import { createFolder, syncFolder } from "../../storage/durable";
import type { FileStorage } from "../../storage/file";
import { undefinedIfMissing } from "../../storage/filesystem";
import type { Attempt, OutputFolders } from "../core/ports/platform";
import { blockingObjectIn, markerKey, temporaryFolder } from "./output-names";

export class FileOutputFolders implements OutputFolders {
  /** IDs of the queries with a temporary folder, by bucket. */
  readonly #active = new Map<string, Set<number>>();

  constructor(private readonly storage: FileStorage) {}

  prepare(queryId: number, bucket: string): Promise<Location> {
    const location = { bucket, key: `${temporaryFolder}/${queryId}/` };
    return withStorageErrors(location, async () => {
      const { from: own } = this.#pathsOf(queryId, bucket);
      // Each look takes a turn of another thread, so they take it at the same time.
      const [isLink, isThere] = await Promise.all([
        this.#isLink(bucket),
        exists(own),
        this.#requireBucket(bucket),
        this.#pathInsideStorage({ bucket, key: `${temporaryFolder}/` }),
      ]);
      if (isLink) throw linkError(bucket);
      if (isThere) await rm(own, { recursive: true, force: true });
      // Synchronous, like the check of active queries in discard: neither may delete the marker that the other needs.
      this.#activate(queryId, bucket);
      mkdirSync(own, { recursive: true });
      writeFileSync(this.#path({ bucket, key: markerKey }), "");
      return location;
    });
  }

  publishReplacing(queryId: number, target: Location, attempt?: Attempt): Promise<void> {
    return withStorageErrors(target, async () => {
      const { from, old } = this.#pathsOf(queryId, target.bucket);
      let mayHaveOld = attempt?.isRetry === true;
      if (await this.#isPrepared(queryId, target.bucket, attempt)) {
        const to = await this.#pathInsideStorage(target);
        const [isReplaced] = await Promise.all([exists(to), createFolder(dirname(to))]);
        if (isReplaced) {
          mayHaveOld = true;
          await rm(old, { recursive: true, force: true });
          await rename(to, old);
        }
        try {
          await rename(from, to);
        } catch (error) {
          if (await exists(old)) await rename(old, to);
          throw error;
        }
        await syncFolder(dirname(to));
      }
      if (mayHaveOld) await rm(old, { recursive: true, force: true });
    });
  }

  publishNew(queryId: number, target: Location, attempt?: Attempt): Promise<void> {
    return withStorageErrors(target, async () => {
      const { from } = this.#pathsOf(queryId, target.bucket);
      if (!(await this.#isPrepared(queryId, target.bucket, attempt))) return;
      const to = await this.#pathInsideStorage(target);
      await createFolder(dirname(to));
      await removeEmptyFolders(to);
      try {
        // Fails when objects exist: rename replaces only an empty folder.
        await rename(from, to);
      } catch (error) {
        if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
        throw new errors.OutputTableAlreadyExists(
          `objects were added under ${formatLocation(target)} while the query ran`,
          {
            field: "outputTable",
            cause: error,
          },
        );
      }
      await syncFolder(dirname(to));
    });
  }

  discard(queryId: number, bucket: string): Promise<void> {
    return withStorageErrors({ bucket, key: `${temporaryFolder}/${queryId}/` }, async () => {
      if (!(await this.#isLink(bucket))) {
        await rm(this.#pathsOf(queryId, bucket).from, { recursive: true, force: true });
      }
      this.#active.get(bucket)?.delete(queryId);
      if (!this.#active.get(bucket)?.size) this.#removeMarker(bucket);
    });
  }

  async deleteOrphans(kept: ReadonlySet<number>): Promise<void> {
    for (const entry of await readdir(this.storage.directory, { withFileTypes: true })) {
      if (!entry.isDirectory() || !bucketPattern.test(entry.name)) continue;
      try {
        await this.#sweepBucket(entry.name, kept);
      } catch {
        // An unreadable bucket must not prevent the start: operations that use it report the error.
      }
    }
  }

  async #sweepBucket(bucket: string, kept: ReadonlySet<number>): Promise<void> {
    if (await this.#isLink(bucket)) return;
    const folder = this.#path({ bucket, key: temporaryFolder });
    for (const name of (await exists(folder)) ? await readdir(folder) : []) {
      const [, id, attempt] = /^(\d+)(?:\.old|(\.attempt-[0-9a-f]+))?$/.exec(name) ?? [];
      if (id === undefined) continue;
      // What an engine on another server wrote for an attempt is never published.
      if (attempt === undefined && kept.has(Number(id))) this.#activate(Number(id), bucket);
      else await rm(join(folder, name), { recursive: true, force: true });
    }
    if (!this.#active.get(bucket)?.size) this.#removeMarker(bucket);
  }

  #activate(queryId: number, bucket: string): void {
    const active = this.#active.get(bucket) ?? new Set();
    this.#active.set(bucket, active.add(queryId));
  }

  blockingObject(folder: Location): Promise<Location | undefined> {
    return blockingObjectIn(this.storage, folder);
  }

  removeLeftovers(before: number): Promise<void> {
    return this.storage.removeLeftovers(before);
  }

  ensureBucket(bucket: string): Promise<void> {
    const location = { bucket, key: "" };
    return withStorageErrors(location, async () => createFolder(this.#path(location)));
  }

  /** Returns true when the prepared folder still has to be moved; false when an earlier attempt has moved it. */
  async #isPrepared(queryId: number, bucket: string, { isRetry }: Attempt = { isRetry: false }): Promise<boolean> {
    const { from } = this.#pathsOf(queryId, bucket);
    const [isLink, isThere] = await Promise.all([this.#isLink(bucket), exists(from), this.#requireBucket(bucket)]);
    if (isLink) throw linkError(bucket);
    if (isThere) return true;
    if (isRetry) return false;
    throw new errors.StorageAccessError(
      `dag://${bucket}/${temporaryFolder}/${queryId}/ was deleted while the query ran`,
    );
  }

  async #requireBucket(bucket: string): Promise<void> {
    if (await this.storage.bucketExists(bucket)) return;
    throw new errors.StorageAccessError(`dag://${bucket}/ cannot be accessed: the bucket does not exist`);
  }

  /** Returns true when the temporary folder is a symbolic link. */
  async #isLink(bucket: string): Promise<boolean> {
    const folder = this.#path({ bucket, key: temporaryFolder });
    // Another query may delete the folder at this moment.
    return (await undefinedIfMissing(lstat(folder)))?.isSymbolicLink() === true;
  }

  #pathsOf(queryId: number, bucket: string): { from: string; old: string } {
    const from = this.#path({ bucket, key: `${temporaryFolder}/${queryId}` });
    return { from, old: `${from}.old` };
  }

  #path(location: Location): string {
    const path = this.storage.path(location);
    return path.endsWith(sep) ? path.slice(0, -1) : path;
  }

  /** Returns the folder's path after checking that no symbolic link in it leads out of the storage. */
  async #pathInsideStorage(folder: Location): Promise<string> {
    const path = this.#path(folder);
    const root = await realpath(this.storage.directory);
    let parent = dirname(path);
    while (!(await exists(parent))) parent = dirname(parent);
    if (!`${await realpath(parent)}${sep}`.startsWith(root + sep)) {
      throw new errors.StorageAccessError(
        `${formatLocation(folder)} cannot be accessed: a symbolic link in it leads out of the storage's directory`,
      );
    }
    return path;
  }

  #removeMarker(bucket: string): void {
    try {
      rmdirSync(this.#path({ bucket, key: temporaryFolder }));
    } catch {
      // The folder is not empty: users have objects under tmp/.
    }
    rmSync(this.#path({ bucket, key: markerKey }), { force: true });
  }
}

/** A temporary folder that is a link is refused: its queries would be deleted in the link's target. */
const linkError = (bucket: string) =>
  new errors.StorageAccessError(
    `dag://${bucket}/${temporaryFolder}/ cannot be used: it is a symbolic link; replace it by a folder`,
  );

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Deletes a folder when it contains nothing but empty folders. */
async function removeEmptyFolders(path: string): Promise<void> {
  if (!(await exists(path)) || !(await lstat(path)).isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name));
  }
  await rmdir(path).catch(() => undefined);
}

async function withStorageErrors<Result>(location: Location, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const problem = diskProblem(error);
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const reason = problem === undefined ? code : describeDiskProblem(problem, `dag://${location.bucket}/`);
    throw new errors.StorageAccessError(`${formatLocation(location)} cannot be accessed: ${reason}`, { cause: error });
  }
}
