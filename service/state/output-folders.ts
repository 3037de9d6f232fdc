/** Results of running queries in a local directory: `<bucket>/tmp/<queryId>/`, moved to their place by renames. */
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { ApiError, bucketPattern, errors, formatLocation, type Location } from "../../contract";
import type { FileStorage } from "../../storage/file";
import type { Attempt, OutputFolders } from "../core/ports/platform";

/** What the specification (§1) says lies in the output bucket while a select runs. */
const marker = "tmp_$folder$";
const temporary = "tmp";

export class FileOutputFolders implements OutputFolders {
  /** Queries that have a folder, by bucket. */
  readonly #active = new Map<string, Set<number>>();

  constructor(private readonly storage: FileStorage) {}

  prepare(queryId: number, bucket: string): Promise<Location> {
    const location = { bucket, key: `${temporary}/${queryId}/` };
    return guarded(location, async () => {
      await this.#requireBucket(bucket);
      const folder = await this.#inside({ bucket, key: `${temporary}/` });
      await rm(join(folder, String(queryId)), { recursive: true, force: true });
      // In one step with the look at who is active in discard: neither may take the marker from under the other.
      this.#activate(queryId, bucket);
      mkdirSync(join(folder, String(queryId)), { recursive: true });
      writeFileSync(this.#path({ bucket, key: marker }), "");
      return location;
    });
  }

  replace(queryId: number, target: Location, attempt?: Attempt): Promise<void> {
    return guarded(target, async () => {
      const { from, old } = this.#own(queryId, target.bucket);
      if (await this.#isPrepared(queryId, target.bucket, attempt)) {
        const to = await this.#inside(target);
        await mkdir(dirname(to), { recursive: true });
        if (await exists(to)) {
          await rm(old, { recursive: true, force: true });
          await rename(to, old);
        }
        try {
          await rename(from, to);
        } catch (error) {
          if (await exists(old)) await rename(old, to);
          throw error;
        }
        await sync(dirname(to));
      }
      await rm(old, { recursive: true, force: true });
    });
  }

  place(queryId: number, target: Location, attempt?: Attempt): Promise<void> {
    return guarded(target, async () => {
      const { from } = this.#own(queryId, target.bucket);
      if (!(await this.#isPrepared(queryId, target.bucket, attempt))) return;
      const to = await this.#inside(target);
      await mkdir(dirname(to), { recursive: true });
      await removeEmptyFolders(to);
      try {
        // Fails where anything is there: a folder replaces nothing but an empty folder.
        await rename(from, to);
      } catch (error) {
        if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
        throw new errors.OutputTableAlreadyExists(`objects came to ${formatLocation(target)} while the query ran`, {
          field: "outputTable",
          cause: error,
        });
      }
      await sync(dirname(to));
    });
  }

  discard(queryId: number, bucket: string): Promise<void> {
    return guarded({ bucket, key: `${temporary}/${queryId}/` }, async () => {
      await rm(this.#own(queryId, bucket).from, { recursive: true, force: true });
      this.#active.get(bucket)?.delete(queryId);
      if (!this.#active.get(bucket)?.size) this.#removeMarker(bucket);
    });
  }

  async sweep(kept: ReadonlySet<number>): Promise<void> {
    for (const entry of await readdir(this.storage.directory, { withFileTypes: true })) {
      if (!entry.isDirectory() || !bucketPattern.test(entry.name)) continue;
      try {
        await this.#sweepBucket(entry.name, kept);
      } catch {
        // A bucket that cannot be read now is no reason not to start: who uses it learns of it.
      }
    }
  }

  async #sweepBucket(bucket: string, kept: ReadonlySet<number>): Promise<void> {
    const folder = this.#path({ bucket, key: temporary });
    for (const name of (await exists(folder)) ? await readdir(folder) : []) {
      const [, id] = /^(\d+)(?:\.old)?$/.exec(name) ?? [];
      if (id === undefined) continue;
      if (kept.has(Number(id))) this.#activate(Number(id), bucket);
      else await rm(join(folder, name), { recursive: true, force: true });
    }
    if (!this.#active.get(bucket)?.size) this.#removeMarker(bucket);
  }

  #activate(queryId: number, bucket: string): void {
    const active = this.#active.get(bucket) ?? new Set();
    this.#active.set(bucket, active.add(queryId));
  }

  async obstacle({ bucket, key }: Location): Promise<Location | undefined> {
    const parts = key.split("/").filter((part) => part !== "");
    for (let length = 1; length <= parts.length; length += 1) {
      const location = { bucket, key: parts.slice(0, length).join("/") };
      if (await this.storage.head(location)) return location;
    }
    return undefined;
  }

  makeBucket(bucket: string): Promise<void> {
    const location = { bucket, key: "" };
    return guarded(location, async () => void (await mkdir(this.#path(location), { recursive: true })));
  }

  /** Whether the prepared folder is still to be moved; it may be gone only where an attempt before has moved it. */
  async #isPrepared(queryId: number, bucket: string, { again }: Attempt = { again: false }): Promise<boolean> {
    await this.#requireBucket(bucket);
    const { from } = this.#own(queryId, bucket);
    if (await exists(from)) return true;
    if (again) return false;
    throw new errors.StorageAccessError(`dag://${bucket}/${temporary}/${queryId}/ was deleted while the query ran`);
  }

  async #requireBucket(bucket: string): Promise<void> {
    if (await this.storage.bucketExists(bucket)) return;
    throw new errors.StorageAccessError(`dag://${bucket}/ cannot be accessed: the bucket does not exist`);
  }

  #own(queryId: number, bucket: string): { from: string; old: string } {
    const from = this.#path({ bucket, key: `${temporary}/${queryId}` });
    return { from, old: `${from}.old` };
  }

  #path(location: Location): string {
    const path = this.storage.path(location);
    return path.endsWith(sep) ? path.slice(0, -1) : path;
  }

  /** The folder's path, after a look that no symbolic link on the way leads out of the storage. */
  async #inside(folder: Location): Promise<string> {
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
      rmdirSync(this.#path({ bucket, key: temporary }));
    } catch {
      // A user's own objects under tmp/ stay.
    }
    rmSync(this.#path({ bucket, key: marker }), { force: true });
  }
}

/** Brings a folder's entries to the disk: what the state says next must not survive a power failure alone. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Removes a folder that holds nothing but folders; leaves it where it holds anything else. */
async function removeEmptyFolders(path: string): Promise<void> {
  if (!(await exists(path)) || !(await lstat(path)).isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name));
  }
  await rmdir(path).catch(() => undefined);
}

async function guarded<Result>(location: Location, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new errors.StorageAccessError(`${formatLocation(location)} cannot be accessed: ${code}`, { cause: error });
  }
}
