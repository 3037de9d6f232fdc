/**
 * S3 on the world's disk: a request arrives also when its sender is dead, and its answer may be lost. Objects have etags,
 * there are no folders, and nothing is renamed.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { errors, formatLocation, type Location } from "../../../contract";
import type { ByteRange, StoredObject } from "../../../storage/storage";
import { world, type Actor } from "../world/world";
import { WorldStorage } from "./storage";

/** Who is told of what happens at S3. */
interface Told {
  /** Called before an object is copied. @param sender of the request */
  copied(from: Location, to: Location, sender: Actor): void;
  /** Called when the answer of a request is an error: what runs may fail. */
  failed(): void;
}

/** What a publication waits for before each request. */
interface Guard {
  readonly permit: () => Promise<void>;
  readonly signal: AbortSignal;
}

export class WorldS3 extends WorldStorage {
  override readonly description = "s3:";

  constructor(
    private readonly told: Told,
    /** False for a deployment, whose client of S3 repeats each request. */
    private readonly hasFaults = true,
    private readonly guard?: Guard,
  ) {
    super();
  }

  /** Returns the storage, whose requests wait for `permit`, and end when the signal is aborted. */
  guarded(permit: () => Promise<void>, signal: AbortSignal): WorldS3 {
    return new WorldS3(this.told, this.hasFaults, { permit, signal });
  }

  override delete(location: Location): Promise<void> {
    return this.request("delete", () => {
      if (this.object(location)) world().files.remove(this.path(location));
      world().files.flush();
    });
  }

  override write(location: Location, body: Readable | Uint8Array | string): Promise<void> {
    return this.request("write", () => this.#put(location, Buffer.from(body as string)));
  }

  override copy(source: StoredObject, target: Location, range: ByteRange = {}): Promise<void> {
    return this.request("copy", (sender) => {
      const found = this.object(source.location);
      if (found === undefined || (source.etag !== undefined && found.etag !== source.etag)) {
        throw new errors.StorageAccessError(`${formatLocation(source.location)} was changed`);
      }
      this.told.copied(source.location, target, sender);
      const { content } = world().files.file(this.path(source.location));
      this.#put(target, content.subarray(range.start, range.end));
    });
  }

  override async deleteFolder(folder: Location): Promise<void> {
    const prefix = this.path({ bucket: folder.bucket, key: "" });
    const keys: string[] = [];
    for await (const { location } of this.list(folder)) keys.push(location.key);
    if (keys.length === 0) return;
    await this.request("delete objects", () => {
      for (const key of keys) if (this.object({ ...folder, key })) world().files.remove(prefix + key);
      world().files.flush();
    });
  }

  async deleteUploads(): Promise<void> {}

  protected override object(location: Location): StoredObject | undefined {
    const found = super.object(location);
    if (found === undefined) return undefined;
    const { content } = world().files.file(this.path(location));
    return { ...found, etag: createHash("sha256").update(content).digest("hex").slice(0, 12) };
  }

  protected override async request<Result>(kind: string, work: (sender: Actor) => Result): Promise<Result> {
    await this.guard?.permit();
    this.guard?.signal.throwIfAborted();
    const sender = world().current;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const failed = () => {
      const cause = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
      reject(new errors.StorageAccessError("S3 does not answer", { cause }));
    };
    const isLate = this.hasFaults && world().fault("S3 answers late", 0.004);
    const late = isLate ? world().choices.between(1000, 9000) : 0;
    const answer = (settle: () => void) => void world().after(world().delay() + late, settle, sender);
    const isLost = this.hasFaults && world().fault("an S3 request is lost", 0.001);
    const isUnanswered = this.hasFaults && !isLost && world().fault("an answer of S3 is lost", 0.002);
    // A publication is repeated.
    if ((isLost || isUnanswered) && this.guard === undefined) this.told.failed();
    const arrive = () => {
      if (isLost) return answer(failed);
      world().count(`s3: ${kind}`);
      try {
        const result = work(sender);
        answer(isUnanswered ? failed : () => resolve(result));
      } catch (error) {
        answer(() => reject(error as Error));
      }
    };
    world().after(world().delay(), arrive, world().actor("S3"));
    return promise;
  }

  #put(location: Location, content: Buffer): void {
    const { files } = world();
    files.createFolders(dirname(this.path(location)));
    files.write(this.path(location), content);
    files.flush();
  }
}
