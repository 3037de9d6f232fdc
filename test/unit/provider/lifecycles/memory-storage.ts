/** An in-memory storage. */
import { Readable } from "node:stream";
import { errors, formatLocation, parseLocation, type Location } from "../../../../contract";
import type { ByteRange, Storage, StoredObject } from "../../../../storage/storage";

export class MemoryStorage implements Storage {
  readonly description = "memory";
  /** True when every access fails. */
  broken = false;
  readonly #objects: Map<string, Buffer>;
  readonly #times = new Map<string, Date>();

  constructor(objects: Readonly<Record<string, string>>) {
    this.#objects = new Map(Object.entries(objects).map(([name, text]) => [name, Buffer.from(text)]));
  }

  /** Sets an object. @param lastModified by default the time 0 */
  put(name: string, content: string | Buffer, lastModified = new Date(0)): void {
    this.#objects.set(name, Buffer.from(content));
    this.#times.set(name, lastModified);
  }

  names(): string[] {
    return [...this.#objects.keys()].toSorted();
  }

  buckets(): Promise<string[]> {
    throw new Error("not needed here");
  }

  bucketExists(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async head(location: Location): Promise<StoredObject | undefined> {
    for await (const object of this.list(location)) if (object.location.key === location.key) return object;
    return undefined;
  }

  async *list(folder: Location): AsyncIterable<StoredObject> {
    await this.#access();
    for (const name of this.names()) {
      const size = this.#objects.get(name)!.length;
      const lastModified = this.#times.get(name) ?? new Date(0);
      if (name.startsWith(formatLocation(folder))) yield { location: parseLocation(name), size, lastModified };
    }
  }

  folders(): AsyncIterable<string> {
    throw new Error("not needed here");
  }

  async read(location: Location, { start, end }: ByteRange = {}): Promise<Readable> {
    await this.#access();
    const bytes = this.#objects.get(formatLocation(location));
    if (!bytes) throw new errors.InputObjectNotFound("there is none");
    return Readable.from([bytes.subarray(start ?? 0, end ?? bytes.length)]);
  }

  async write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    await this.#access();
    if (body instanceof Readable) throw new Error("not needed here");
    this.#objects.set(formatLocation(location), Buffer.from(body));
  }

  copy(): Promise<void> {
    throw new Error("not needed here");
  }

  async delete(location: Location): Promise<void> {
    await this.#access();
    this.#objects.delete(formatLocation(location));
  }

  async deleteFolder(folder: Location): Promise<void> {
    await this.#access();
    for (const name of this.names()) if (name.startsWith(formatLocation(folder))) this.#objects.delete(name);
  }

  async #access(): Promise<void> {
    await Promise.resolve();
    if (this.broken) throw new errors.StorageAccessError("the store is broken");
  }
}
