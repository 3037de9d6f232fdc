/** Objects as plain files: `<directory>/<bucket>/<key>`. */
import { randomUUID } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { asFolder, type Location } from "../contract";
import { accessError, asAccessError, assertLocation, assertObject, notFound } from "./errors";
import { orNothing, sweep, systemReason } from "./filesystem";
import type { ByteRange, Storage, StoredObject } from "./storage";
import { asStream, consuming, withErrors } from "./streams";

/**
 * A local directory as a store. A bucket is a directory in it; files may be copied in and out while it is in use.
 * Symbolic links are followed as long as they stay inside the directory; one that leads out is refused.
 */
export class FileStorage implements Storage {
  readonly description: string;
  /** Absolute path of the directory that holds the buckets. */
  readonly directory: string;
  #swept = false;

  constructor(directory: string) {
    this.directory = resolve(directory);
    this.description = `file:${this.directory}`;
  }

  /** Where a location lies on this machine; says nothing of whether anything is there. */
  path(location: Location): string {
    assertLocation(location);
    return join(this.directory, location.bucket, location.key);
  }

  async bucketExists(bucket: string): Promise<boolean> {
    const location = { bucket, key: "" };
    return guarded(location, async () => (await this.#resolve(location)) !== undefined);
  }

  async head(location: Location): Promise<StoredObject | undefined> {
    return guarded(location, async () => {
      const path = await this.#resolve(location);
      const found = path === undefined ? undefined : await orNothing(stat(path));
      if (!found?.isFile()) return undefined;
      return { location, size: found.size, lastModified: found.mtime };
    });
  }

  async *list(folder: Location): AsyncGenerator<StoredObject, void, undefined> {
    const start = asFolder(folder);
    try {
      await this.#bucket(start);
      const path = await this.#resolve(start);
      if (path !== undefined) yield* this.#walk(start, path, []);
    } catch (error) {
      throw asAccessError(start, error, systemReason);
    }
  }

  async read(location: Location, { start = 0, end = Number.POSITIVE_INFINITY }: ByteRange = {}): Promise<Readable> {
    assertObject(location);
    return guarded(location, async () => {
      await this.#bucket(location);
      const path = await this.#resolve(location);
      if (path === undefined || !(await orNothing(stat(path)))?.isFile()) throw notFound(location);
      const file = await open(path);
      const last = Math.min(end, (await file.stat()).size) - 1;
      if (last < start) {
        await file.close();
        return Readable.from([]);
      }
      const source = file.createReadStream({ start, end: last, highWaterMark: 262_144 });
      return withErrors(source, (error) => asAccessError(location, error, systemReason));
    });
  }

  async write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    return consuming(body, () => guarded(location, () => this.#write(location, body)));
  }

  async delete(location: Location): Promise<void> {
    assertObject(location);
    return guarded(location, async () => {
      await this.#bucket(location);
      const path = await this.#entry(location);
      if (path !== undefined && !(await orNothing(lstat(path)))?.isDirectory()) await rm(path, { force: true });
    });
  }

  async deleteFolder(folder: Location): Promise<void> {
    const target = asFolder(folder);
    return guarded(target, async () => {
      const bucket = await this.#bucket(target);
      if (target.key === "") {
        for (const name of await readdir(bucket)) await rm(join(bucket, name), { recursive: true, force: true });
        return;
      }
      const path = await this.#entry(target);
      const found = path === undefined ? undefined : await orNothing(lstat(path));
      // Of a link only the link goes: what it leads to belongs to another folder.
      if (found?.isDirectory() || found?.isSymbolicLink()) await rm(path!, { recursive: true, force: true });
    });
  }

  async #write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    assertObject(location);
    await this.#makeFolder(location);
    const temporary = await this.#temporaryPath();
    try {
      const file = await open(temporary, "wx");
      await pipeline(asStream(body), file.createWriteStream({ flush: true }));
      await rename(temporary, this.path(location));
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Path without links of what lies at a location; undefined where there is nothing. */
  async #resolve(location: Location): Promise<string | undefined> {
    const path = await orNothing(realpath(this.path(location)));
    if (path !== undefined) await this.#assertInside(path, location);
    return path;
  }

  /** Path of a directory entry, which may be a link, in a folder without links; undefined where there is no such folder. */
  async #entry(location: Location): Promise<string | undefined> {
    const path = this.path(location);
    const folder = await orNothing(realpath(dirname(path)));
    if (folder === undefined) return undefined;
    await this.#assertInside(folder, location);
    return join(folder, basename(path));
  }

  async #bucket({ bucket, key }: Location): Promise<string> {
    const path = await this.#resolve({ bucket, key: "" });
    if (path === undefined) throw accessError({ bucket, key }, `the bucket "${bucket}" does not exist`);
    return path;
  }

  async #assertInside(path: string, location: Location): Promise<void> {
    const root = await realpath(this.directory);
    if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw accessError(location, "a symbolic link in it leads out of the storage's directory");
    }
  }

  /** Makes the folder that an object lies in, after looking where its links lead. */
  async #makeFolder(location: Location): Promise<void> {
    await this.#bucket(location);
    const folder = dirname(this.path(location));
    for (let parent = folder; ; parent = dirname(parent)) {
      const existing = await orNothing(realpath(parent));
      if (existing === undefined) continue;
      await this.#assertInside(existing, location);
      break;
    }
    await mkdir(folder, { recursive: true });
  }

  /** Objects are written beside the buckets and then moved, so that nobody sees half of one. No bucket has this name. */
  async #temporaryPath(): Promise<string> {
    const folder = join(this.directory, ".uploads");
    await mkdir(folder, { recursive: true });
    if (!this.#swept) {
      this.#swept = true;
      await sweep(folder);
    }
    return join(folder, randomUUID());
  }

  async *#walk(
    folder: Location,
    path: string,
    outer: readonly string[],
  ): AsyncGenerator<StoredObject, void, undefined> {
    if (outer.includes(path)) throw accessError(folder, "a symbolic link in it leads back to a folder that holds it");
    const entries = (await orNothing(readdir(path, { withFileTypes: true }))) ?? [];
    const children = await Promise.all(entries.map((entry) => this.#child(folder, path, entry)));
    const sorted = children.filter((child) => child !== undefined).toSorted((a, b) => Buffer.compare(a.order, b.order));
    for (const { location, path: childPath, isFolder } of sorted) {
      if (isFolder) yield* this.#walk(location, childPath, [...outer, path]);
      else {
        const found = await orNothing(stat(childPath));
        if (found?.isFile()) yield { location, size: found.size, lastModified: found.mtime };
      }
    }
  }

  async #child(folder: Location, path: string, entry: Dirent): Promise<Child | undefined> {
    const location = { bucket: folder.bucket, key: folder.key + entry.name };
    assertLocation(location);
    let childPath: string | undefined = join(path, entry.name);
    if (entry.name.includes("\uFFFD") && (await orNothing(lstat(childPath))) === undefined) {
      throw accessError(location, "its name is not UTF-8; rename the file");
    }
    let isFolder = entry.isDirectory();
    if (entry.isSymbolicLink()) {
      childPath = await this.#resolve(location);
      isFolder = childPath !== undefined && ((await orNothing(stat(childPath)))?.isDirectory() ?? false);
    }
    if (childPath === undefined || !(isFolder || entry.isFile() || entry.isSymbolicLink())) return undefined;
    if (isFolder) location.key += "/";
    return { location, path: childPath, isFolder, order: Buffer.from(location.key) };
  }
}

/** An entry of a directory. */
interface Child {
  readonly location: Location;
  /** Path without links. */
  readonly path: string;
  readonly isFolder: boolean;
  /** What the entries are sorted by: the bytes of the key, which of a folder ends in a slash. */
  readonly order: Buffer;
}

async function guarded<Result>(location: Location, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asAccessError(location, error, systemReason);
  }
}
