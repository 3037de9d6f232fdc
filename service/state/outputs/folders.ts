/**
 * Temporary result folders in a local directory: `<bucket>/tmp/<queryId>/<epoch>/`, published by renames. A check of one
 * entry is synchronous: it returns at once, and a turn of another thread takes longer.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { ApiError, bucketPattern, errors, formatLocation, type Location } from "../../../contract";
import { describeDiskProblem, diskProblem } from "../../../storage/disk-errors";
import { createFolder, syncFolder } from "../../../storage/durable";
import type { FileStorage } from "../../../storage/file";
import { removeTree } from "../../../storage/filesystem";
import type { OrphanQueries, OutputFolders, Publication } from "../../core/ports/platform";
import { AttemptLost } from "../../core/ports/state";
import {
  exists,
  isOneOf,
  removeAttempt,
  removeEmptyFolders,
  removeFolder,
  removeUpTo,
  replaceFolder,
} from "./local-folders";
import { blockingObjectIn, markerKey, temporaryFolder } from "./names";

export class FileOutputFolders implements OutputFolders {
  constructor(private readonly storage: FileStorage) {}

  prepare(queryId: number, epoch: number, bucket: string, keepsEarlier = false): Promise<Location> {
    const location = { bucket, key: `${temporaryFolder}/${queryId}/${epoch}/` };
    return withStorageErrors(location, async () => {
      const { folder } = this.#pathsOf(queryId, bucket);
      this.#requireBucket(bucket);
      this.#pathInsideStorage({ bucket, key: `${temporaryFolder}/` });
      if (this.#isLink(bucket)) throw linkError(bucket);
      if (!keepsEarlier) await removeUpTo(epoch, folder);
      // Synchronous, like the removal of the marker: neither may delete what the other needs.
      mkdirSync(join(folder, String(epoch)), { recursive: true });
      writeFileSync(this.#path({ bucket, key: markerKey }), "");
      return location;
    });
  }

  publishReplacing(queryId: number, target: Location, publication: Publication): Promise<void> {
    return withStorageErrors(target, async () => {
      const { old } = this.#pathsOf(queryId, target.bucket);
      const from = this.#attemptFolder(queryId, target.bucket, publication.writtenBy);
      if (this.#isPrepared(queryId, target.bucket, publication)) {
        const to = this.#pathInsideStorage(target);
        if (!exists(dirname(to))) await createFolder(dirname(to));
        // Without a target, an earlier attempt ended between its two renames, and `old` is the only copy.
        if (exists(to)) await removeFolder(old);
        await publication.confirm();
        // In the same turn: while this process waits, another one may take the query over.
        try {
          replaceFolder(from, to, old);
        } finally {
          // Also when that failed and the earlier result went back: the next step records that the query has ended.
          await syncFolder(dirname(to));
        }
      }
      await removeFolder(old);
    });
  }

  publishNew(queryId: number, target: Location, publication: Publication): Promise<void> {
    return withStorageErrors(target, async () => {
      const from = this.#attemptFolder(queryId, target.bucket, publication.writtenBy);
      if (!this.#isPrepared(queryId, target.bucket, publication)) return;
      const to = this.#pathInsideStorage(target);
      await createFolder(dirname(to));
      await removeEmptyFolders(to);
      await publication.confirm();
      try {
        // Fails when objects exist: rename replaces only an empty folder.
        renameSync(from, to);
      } catch (error) {
        if (!isOneOf(error, ["ENOTEMPTY", "EEXIST", "ENOTDIR"])) throw error;
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

  discard(queryId: number, bucket: string, epoch?: number): Promise<void> {
    return withStorageErrors({ bucket, key: `${temporaryFolder}/${queryId}/` }, async () => {
      const { folder } = this.#pathsOf(queryId, bucket);
      if (!this.#isLink(bucket)) {
        if (epoch === undefined) await removeFolder(folder);
        else await removeAttempt(folder, String(epoch));
      }
      this.#removeMarker(bucket);
    });
  }

  async deleteOrphans({ kept, outputOf }: OrphanQueries): Promise<void> {
    const found: TemporaryFolder[] = [];
    for (const entry of await readdir(this.storage.directory, { withFileTypes: true })) {
      if (!entry.isDirectory() || !bucketPattern.test(entry.name)) continue;
      // An unreadable bucket must not prevent the start: operations that use it report the error.
      found.push(...(await this.#temporaries(entry.name).catch(() => [])));
    }
    // Read after the folders were listed: a query that is accepted in between is not among them.
    const ids = await kept();
    for (const { path, queryId, kind } of found) {
      // What an engine on another server wrote for an attempt is never published.
      const isKept = kind !== "attempt" && queryId !== undefined && ids.has(queryId);
      if (path === undefined || queryId === undefined || isKept) continue;
      const target = kind === "old" ? await outputOf(queryId) : undefined;
      // What cannot be deleted or put back now is tried again at the next start.
      await this.#removeOrPutBack(path, target).catch(() => undefined);
    }
    for (const bucket of new Set(found.map(({ bucket: name }) => name))) this.#removeMarker(bucket);
  }

  /**
   * Deletes a temporary folder. The earlier result of an output that does not exist goes back to its place: a
   * publication moved it away, and could neither put the new result there nor put it back.
   */
  async #removeOrPutBack(path: string, target: Location | undefined): Promise<void> {
    const to = target && this.#pathInsideStorage(target);
    if (to === undefined || exists(to)) return removeTree(path);
    await createFolder(dirname(to));
    renameSync(path, to);
    await syncFolder(dirname(to));
  }

  /** Lists the folders of queries under `tmp/`; one entry without a path for a bucket that has none. */
  async #temporaries(bucket: string): Promise<TemporaryFolder[]> {
    if (this.#isLink(bucket)) return [];
    const folder = this.#path({ bucket, key: temporaryFolder });
    const names = exists(folder) ? await readdir(folder) : [];
    const found = names.flatMap((name): TemporaryFolder[] => {
      const [, id, old, attempt] = /^(\d+)(?:(\.old)|(\.attempt-[0-9a-f]+))?$/.exec(name) ?? [];
      if (id === undefined) return [];
      const kind = old ? "old" : attempt ? "attempt" : "prepared";
      return [{ bucket, path: join(folder, name), queryId: Number(id), kind }];
    });
    return [...found, { bucket }];
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
  #isPrepared(queryId: number, bucket: string, { isRetry, writtenBy }: Publication): boolean {
    this.#requireBucket(bucket);
    if (this.#isLink(bucket)) throw linkError(bucket);
    if (exists(this.#attemptFolder(queryId, bucket, writtenBy))) return true;
    if (isRetry) return false;
    throw new errors.StorageAccessError(
      `dag://${bucket}/${temporaryFolder}/${queryId}/ was deleted while the query ran`,
    );
  }

  #requireBucket(bucket: string): void {
    if (statSync(this.#path({ bucket, key: "" }), { throwIfNoEntry: false })) return;
    throw new errors.StorageAccessError(`dag://${bucket}/ cannot be accessed: the bucket does not exist`);
  }

  /** Returns true when the temporary folder is a symbolic link. */
  #isLink(bucket: string): boolean {
    const folder = this.#path({ bucket, key: temporaryFolder });
    return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  }

  #pathsOf(queryId: number, bucket: string): { folder: string; old: string } {
    const folder = this.#path({ bucket, key: `${temporaryFolder}/${queryId}` });
    return { folder, old: `${folder}.old` };
  }

  /** Returns the folder of an attempt; earlier versions, whose epoch is 0, had one folder for each query. */
  #attemptFolder(queryId: number, bucket: string, epoch: number): string {
    const { folder } = this.#pathsOf(queryId, bucket);
    return epoch === 0 ? folder : join(folder, String(epoch));
  }

  #path(location: Location): string {
    const path = this.storage.path(location);
    return path.endsWith(sep) ? path.slice(0, -1) : path;
  }

  /** Returns the folder's path after checking that no symbolic link in it leads out of the storage. */
  #pathInsideStorage(folder: Location): string {
    const path = this.#path(folder);
    const root = realpathSync.native(this.storage.directory);
    let parent = dirname(path);
    while (!exists(parent)) parent = dirname(parent);
    if (!`${realpathSync.native(parent)}${sep}`.startsWith(root + sep)) {
      throw new errors.StorageAccessError(
        `${formatLocation(folder)} cannot be accessed: a symbolic link in it leads out of the storage's directory`,
      );
    }
    return path;
  }

  /** Deletes the marker, unless queries, possibly of another process, have folders in the bucket. */
  #removeMarker(bucket: string): void {
    const folder = this.#path({ bucket, key: temporaryFolder });
    const hasQueries = () => existsSync(folder) && readdirSync(folder).some((name) => /^\d+$/.test(name));
    try {
      rmdirSync(folder);
    } catch {
      // The folder is not empty: other queries use it, or users have objects under tmp/.
      if (hasQueries()) return;
    }
    const marker = this.#path({ bucket, key: markerKey });
    rmSync(marker, { force: true });
    // Another process may have prepared a folder in between.
    if (hasQueries()) writeFileSync(marker, "");
  }
}

/** A temporary folder of a query. */
interface TemporaryFolder {
  readonly bucket: string;
  readonly path?: string;
  readonly queryId?: number;
  /** What it holds: attempts, an earlier result, or what an engine on another server wrote for an attempt. */
  readonly kind?: "prepared" | "old" | "attempt";
}

/** A temporary folder that is a link is refused: its queries would be deleted in the link's target. */
const linkError = (bucket: string) =>
  new errors.StorageAccessError(
    `dag://${bucket}/${temporaryFolder}/ cannot be used: it is a symbolic link; replace it by a folder`,
  );

async function withStorageErrors<Result>(location: Location, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError || error instanceof AttemptLost) throw error;
    const problem = diskProblem(error);
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const reason = problem === undefined ? code : describeDiskProblem(problem, `dag://${location.bucket}/`);
    throw new errors.StorageAccessError(`${formatLocation(location)} cannot be accessed: ${reason}`, { cause: error });
  }
}
