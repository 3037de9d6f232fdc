/** Stores objects as plain files: `<directory>/<bucket>/<key>`. */
import { randomUUID } from "node:crypto";
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { asFolder, bucketPattern, errors, type Location } from "../contract";
import { createFolder, syncFolder } from "./durable";
import { accessError, asAccessError, assertLocation, assertObject, objectNotFound } from "./errors";
import { createTemporaryFile, removeStaleFiles, removeTree, systemErrorReason, undefinedIfMissing } from "./filesystem";
import { Pauses } from "./pauses";
import { compareKeys, sortedEntries, sortedEntriesAtOnce, type Entry } from "./sorted-entries";
import type { ByteRange, Storage, StoredObject } from "./storage";
import { toStream, destroyBodyAfter, convertStreamErrors } from "./streams";

/** Folder of the objects that are being written; not a valid bucket name. */
const temporaryFolder = ".uploads";

const dayMilliseconds = 86_400_000;

/** What a caller reads while the folder of the buckets is gone; its path is the operator's. */
const unmounted =
  "the folder of the service's buckets is gone or empty, so nothing can be read or stored: its operator must mount its disk, or move it back";

/**
 * Storage in a local directory. Each of its subdirectories is a bucket. Files may be copied in and out while it is in
 * use. Symbolic links are followed if their target is inside the directory; other links are rejected.
 */
export class FileStorage implements Storage {
  readonly description: string;
  /** Absolute path of the directory that contains the buckets. */
  readonly directory: string;
  readonly #holdsLoop: boolean;
  #hasRemovedStaleFiles = false;
  /** True once a bucket was here: a folder without one is the mount point of a missing disk from then on. */
  #hadBucket: boolean;
  /** The directory with links resolved, as it was last found. */
  #realRoot: string | undefined;

  /**
   * @param options.holdsLoop true for a process that has nothing else to do while it lists: each call of the file system
   * holds the event loop until it returns, which takes a tenth of the time. Lists still let it run now and then.
   */
  constructor(directory: string, { holdsLoop = false }: { readonly holdsLoop?: boolean } = {}) {
    this.#holdsLoop = holdsLoop;
    this.directory = resolve(directory);
    this.description = `file:${this.directory}`;
    this.#hadBucket = this.#hasBucket();
  }

  /** Returns the local path of a location, whether or not it exists. */
  path(location: Location): string {
    assertLocation(location);
    return join(this.directory, location.bucket, location.key);
  }

  problem(): string | undefined {
    if (!existsSync(this.directory))
      return `the folder ${this.directory} of the buckets is gone: mount its disk, or move it back`;
    const hasBucket = this.#hasBucket();
    if (!hasBucket && this.#hadBucket)
      return `the buckets of the folder ${this.directory} are gone: mount its disk, or move them back; if none is left, create an empty folder in it for a bucket`;
    this.#hadBucket = hasBucket;
    return undefined;
  }

  async buckets(): Promise<string[]> {
    if (this.problem() !== undefined) throw new errors.ServiceUnavailable(unmounted);
    const entries = await withAccessErrors({ bucket: "", key: "" }, () => sortedEntries(this.directory));
    const names: string[] = [];
    for (const { name, key } of entries) if (key.endsWith("/") && bucketPattern.test(name)) names.push(name);
    return names.toSorted();
  }

  async bucketExists(bucket: string): Promise<boolean> {
    const location = { bucket, key: "" };
    const exists = await withAccessErrors(location, async () => (await this.#realPath(location)) !== undefined);
    // A bucket that is made on the mount point of a missing disk would hide the others.
    if (!exists && this.problem() !== undefined) throw new errors.ServiceUnavailable(unmounted);
    this.#hadBucket ||= exists;
    return exists;
  }

  async head(location: Location): Promise<StoredObject | undefined> {
    return withAccessErrors(location, async () => {
      const path = await this.#realPath(location);
      const found = path === undefined ? undefined : await undefinedIfMissing(stat(path));
      if (!found?.isFile()) return undefined;
      return { location, size: found.size, lastModified: found.mtime };
    });
  }

  async *list(folder: Location, after?: string): AsyncGenerator<StoredObject, void, undefined> {
    const start = asFolder(folder);
    try {
      const path = await this.#realPath(start);
      if (path === undefined) return void (await this.#requireBucket(start));
      yield* this.#walk({ folder: start, path, outer: [], after });
    } catch (error) {
      throw asAccessError(start, error, systemErrorReason);
    }
  }

  async *folders(folder: Location): AsyncGenerator<string, void, undefined> {
    const start = asFolder(folder);
    const entries = await withAccessErrors(start, async () => {
      await this.#requireBucket(start);
      const path = await this.#realPath(start);
      return path === undefined ? [] : sortedEntries(path);
    });
    const pauses = new Pauses();
    for (const { name, key } of entries) {
      if (key.endsWith("/")) yield name;
      await pauses.pause();
    }
  }

  async read(location: Location, { start = 0, end = Number.POSITIVE_INFINITY }: ByteRange = {}): Promise<Readable> {
    assertObject(location);
    return withAccessErrors(location, async () => {
      const path = await this.#realPath(location);
      if (path === undefined) await this.#requireBucket(location);
      if (path === undefined || !(await undefinedIfMissing(stat(path)))?.isFile()) throw objectNotFound(location);
      const file = await open(path);
      const last = Math.min(end, (await file.stat()).size) - 1;
      if (last < start) {
        await file.close();
        return Readable.from([]);
      }
      const source = file.createReadStream({ start, end: last, highWaterMark: 262_144 });
      return convertStreamErrors(source, (error) => asAccessError(location, error, systemErrorReason));
    });
  }

  async write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    return destroyBodyAfter(body, () => withAccessErrors(location, () => this.#write(location, body)));
  }

  async copy({ location, size }: StoredObject, target: Location, range: ByteRange = {}): Promise<void> {
    await this.write(target, await this.read(location, { end: size, ...range }));
  }

  async delete(location: Location): Promise<void> {
    assertObject(location);
    return withAccessErrors(location, async () => {
      await this.#requireBucket(location);
      const path = await this.#entryPath(location);
      if (path !== undefined && !(await undefinedIfMissing(lstat(path)))?.isDirectory())
        await rm(path, { force: true });
    });
  }

  async deleteFolder(folder: Location): Promise<void> {
    const target = asFolder(folder);
    return withAccessErrors(target, async () => {
      const bucket = await this.#requireBucket(target);
      if (target.key === "") {
        for (const name of await readdir(bucket)) await removeTree(join(bucket, name));
        return;
      }
      const path = await this.#entryPath(target);
      const found = path === undefined ? undefined : await undefinedIfMissing(lstat(path));
      // A link is removed without its target, which belongs to another folder.
      if (found?.isSymbolicLink()) await removeTree(path!);
      if (found?.isDirectory()) await this.#removeFolder(path!);
    });
  }

  /**
   * Deletes a folder so that nobody sees a part of its objects, not even when this process is killed: it is moved to
   * `.uploads/` first. Where it cannot be moved, as on another file system, its objects are deleted one by one.
   */
  async #removeFolder(path: string): Promise<void> {
    await this.#removeStaleFilesOnce();
    const moved = join(this.directory, temporaryFolder, randomUUID());
    try {
      await mkdir(dirname(moved), { recursive: true });
      await rename(path, moved);
    } catch {
      return removeTree(path);
    }
    await removeTree(moved);
  }

  async #write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    assertObject(location);
    await this.#checkFolder(location);
    await this.#removeStaleFilesOnce();
    const { path: temporary, file } = await createTemporaryFile(join(this.directory, temporaryFolder));
    try {
      await pipeline(toStream(body), file.createWriteStream({ flush: true }));
      // Only now: a body that breaks off, or a full disk, leaves no empty folder.
      await this.#checkFolder(location);
      await createFolder(dirname(this.path(location)));
      await this.#moveIn(temporary, location);
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(dirname(this.path(location)));
  }

  /**
   * Moves a temporary file to its location. When the bucket is on another file system, the file is copied to `.uploads/`
   * of the bucket first, which is in no table, so that readers never see a partial object.
   */
  async #moveIn(temporary: string, location: Location): Promise<void> {
    try {
      return await rename(temporary, this.path(location));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    }
    const folder = join(this.directory, location.bucket, temporaryFolder);
    const { path: copy, file } = await createTemporaryFile(folder);
    try {
      await pipeline(createReadStream(temporary), file.createWriteStream({ flush: true }));
      await rename(copy, this.path(location));
    } finally {
      await rm(copy, { force: true });
      // Other writes may have copies in the folder.
      await rmdir(folder).catch(() => undefined);
    }
  }

  /** Returns the path of a location with links resolved; undefined if nothing exists there. */
  async #realPath(location: Location): Promise<string | undefined> {
    const path = await undefinedIfMissing(realpath(this.path(location)));
    if (path !== undefined) await this.#assertInside(path, location);
    return path;
  }

  /**
   * Returns the path of an entry with the links of its folder, but not of the entry, resolved; undefined without such a
   * folder.
   */
  async #entryPath(location: Location): Promise<string | undefined> {
    const path = this.path(location);
    const folder = await undefinedIfMissing(realpath(dirname(path)));
    if (folder === undefined) return undefined;
    await this.#assertInside(folder, location);
    return join(folder, basename(path));
  }

  async #requireBucket({ bucket, key }: Location): Promise<string> {
    const path = await this.#realPath({ bucket, key: "" });
    if (path === undefined) throw accessError({ bucket, key }, `the bucket "${bucket}" does not exist`);
    return path;
  }

  async #assertInside(path: string, location: Location): Promise<void> {
    if (isWithin(path, this.#realRoot)) return;
    // Not resolved each time, which takes longer than all else here: it changes only when a link above it does.
    this.#realRoot = await undefinedIfMissing(realpath(this.directory));
    if (!isWithin(path, this.#realRoot))
      throw accessError(location, "a symbolic link in it points outside the storage directory");
  }

  /** Throws when the folder of an object cannot be created: a link points outside the directory, or an object is in its path. */
  async #checkFolder(location: Location): Promise<void> {
    await this.#requireBucket(location);
    const folder = dirname(this.path(location));
    for (let parent = folder; ; parent = dirname(parent)) {
      const existing = await undefinedIfMissing(realpath(parent));
      if (existing === undefined) continue;
      await this.#assertInside(existing, location);
      // Throws what the system says of an object in the path.
      if (!(await stat(existing)).isDirectory()) await createFolder(folder);
      return;
    }
  }

  /**
   * Removes what killed processes left behind of objects and of deleted folders: what is in `.uploads/` of the directory
   * and of its buckets, and was not changed since a time.
   * @param before milliseconds since 1970.
   */
  async removeLeftovers(before: number): Promise<void> {
    const entries = (await undefinedIfMissing(readdir(this.directory, { withFileTypes: true }))) ?? [];
    const buckets = entries.filter((entry) => entry.isDirectory() && entry.name !== temporaryFolder);
    await removeStaleFiles(join(this.directory, temporaryFolder), before);
    for (const { name } of buckets) {
      const folder = join(this.directory, name, temporaryFolder);
      await removeStaleFiles(folder, before);
      // Fails while a writer has a file there.
      await rmdir(folder).catch(() => undefined);
    }
  }

  async #removeStaleFilesOnce(): Promise<void> {
    if (this.#hasRemovedStaleFiles) return;
    this.#hasRemovedStaleFiles = true;
    await removeStaleFiles(join(this.directory, temporaryFolder), Date.now() - dayMilliseconds);
  }

  #hasBucket(): boolean {
    try {
      return readdirSync(this.directory).some((name) => bucketPattern.test(name));
    } catch {
      return false;
    }
  }

  async *#walk({ folder, path, outer, after }: FolderWalk): AsyncGenerator<StoredObject, void, undefined> {
    if (outer.includes(path)) throw accessError(folder, "a symbolic link in it points to one of its parent folders");
    const isBefore = after === undefined ? undefined : ({ key }: Entry) => isListedBefore(folder.key + key, after);
    const entries = this.#holdsLoop ? sortedEntriesAtOnce(path) : sortedEntries(path, isBefore);
    for (const entry of (await undefinedIfMissing(entries)) ?? []) {
      const { location, path: childPath } = await this.#child(folder, path, entry);
      if (childPath === undefined) continue;
      if (location.key.endsWith("/")) {
        yield* this.#walk({ folder: location, path: childPath, outer: [...outer, path], after });
      } else if (isBefore?.(entry) !== true) {
        const found = this.#holdsLoop
          ? statSync(childPath, { throwIfNoEntry: false })
          : await undefinedIfMissing(stat(childPath));
        if (found?.isFile()) yield { location, size: found.size, lastModified: found.mtime };
      }
    }
  }

  /** Returns the location of an entry, and its path with links resolved; no path for a link that leads nowhere. */
  async #child(folder: Location, path: string, { name, key, isLink }: Entry) {
    const location = { bucket: folder.bucket, key: folder.key + key };
    assertLocation(location);
    const childPath = join(path, name);
    if (name.includes("\uFFFD") && (await undefinedIfMissing(lstat(childPath))) === undefined) {
      throw accessError(location, "its name is not UTF-8; rename the file");
    }
    return { location, path: isLink ? await this.#realPath(location) : childPath };
  }
}

/** Returns true for the path of a folder, and for those in it; false without a folder. */
function isWithin(path: string, folder: string | undefined): boolean {
  return folder !== undefined && (path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}

/** A folder that is listed. */
interface FolderWalk {
  readonly folder: Location;
  /** Path with links resolved. */
  readonly path: string;
  /** Paths of the folders that contain it. */
  readonly outer: readonly string[];
  /** Only objects behind this key are listed. */
  readonly after: string | undefined;
}

/** Returns true when neither the object nor, for a folder, any object in it is behind the key `after`. */
function isListedBefore(key: string, after: string): boolean {
  return compareKeys(key, after) <= 0 && !(key.endsWith("/") && after.startsWith(key));
}

async function withAccessErrors<Result>(location: Location, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asAccessError(location, error, systemErrorReason);
  }
}
