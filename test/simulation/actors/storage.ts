/** The object storage on the world's disk, as a local folder: each request is a step. */
import { Readable } from "node:stream";
import { asFolder, bucketPattern, errors, formatLocation, type Location } from "../../../contract";
import type { ByteRange, Storage, StoredObject } from "../../../storage/storage";
import { world } from "../world/world";

/** The folder of the buckets. */
export const bucketsFolder = "/buckets";

export class WorldStorage implements Storage {
  readonly description: string = `file:${bucketsFolder}`;
  readonly directory = bucketsFolder;

  path({ bucket, key }: Location): string {
    return `${bucketsFolder}/${bucket}/${key}`;
  }

  buckets(): Promise<string[]> {
    return this.request("buckets", () =>
      [...world().files.folder(bucketsFolder).entries.keys()].filter((name) => bucketPattern.test(name)).sort(),
    );
  }

  bucketExists(bucket: string): Promise<boolean> {
    return this.request("bucketExists", () => world().files.find(`${bucketsFolder}/${bucket}`) !== undefined);
  }

  head(location: Location): Promise<StoredObject | undefined> {
    return this.request("head", () => this.object(location));
  }

  async *list(folder: Location, after = ""): AsyncGenerator<StoredObject, void, undefined> {
    const { bucket, key } = asFolder(folder);
    const prefix = `${bucketsFolder}/${bucket}/`;
    const found = await this.request("list", () => {
      const objects: StoredObject[] = [];
      for (const path of world().files.below(prefix + key)) {
        const object = this.object({ bucket, key: path.slice(prefix.length) });
        if (object !== undefined && object.location.key > after) objects.push(object);
      }
      return objects;
    });
    yield* found;
  }

  async *folders(folder: Location): AsyncIterable<string> {
    const names = await this.request("folders", () => {
      const found = world().files.find(this.path(folder));
      if (found?.kind !== "folder") return [];
      return [...found.entries].filter(([, { kind }]) => kind === "folder").map(([name]) => name);
    });
    yield* names.sort();
  }

  async read(location: Location, { start = 0, end }: ByteRange = {}): Promise<Readable> {
    const content = await this.request("read", () => {
      const found = world().files.find(this.path(location));
      if (found?.kind === "file") return found.content;
      throw new errors.InputObjectNotFound(`${formatLocation(location)} does not exist`);
    });
    return Readable.from([content.subarray(start, end)]);
  }

  /** Writes an object whose folder exists. @throws ENOENT */
  write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    return this.request("write", () => void world().files.write(this.path(location), Buffer.from(body as string)));
  }

  async copy(_source: StoredObject, _target: Location, _range?: ByteRange): Promise<void> {
    throw new Error("copies are not simulated in a local folder");
  }

  delete(location: Location): Promise<void> {
    return this.request("delete", () => {
      if (this.object(location)) world().files.remove(this.path(location));
    });
  }

  deleteFolder(folder: Location): Promise<void> {
    return this.request("deleteFolder", () => {
      const path = this.path(folder).replace(/\/$/, "");
      if (world().files.find(path) !== undefined) world().files.remove(path);
    });
  }

  async removeLeftovers(): Promise<void> {}

  protected object(location: Location): StoredObject | undefined {
    const found = world().files.find(this.path(location));
    if (found?.kind !== "file") return undefined;
    return { location, size: found.content.length, lastModified: new Date(found.modified) };
  }

  protected request<Result>(kind: string, work: () => Result): Promise<Result> {
    return world().call(`storage: ${kind}`, work);
  }
}
