/**
 * Temporary folders of results on S3, `tmp/<queryId>/<attempt>/` of the output bucket, and their publication: S3 cannot
 * rename, so the objects of the attempt are noted in a manifest, what lies under the output folder is deleted, and the
 * objects are copied there. Each step can be repeated, so that a publication that was interrupted is completed.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { errors, formatLocation, isHiddenObject, type Location } from "../../contract";
import { isTransientS3Error } from "../../storage/s3-problems";
import { readRanges, type ObjectRange } from "../../storage/s3-ranges";
import type { S3Storage } from "../../storage/s3";
import type { ByteRange } from "../../storage/storage";
import type { Attempt as PublicationAttempt, OutputFolders } from "../core/ports/platform";
import type { Attempt, Attempts, ManifestEntry } from "./attempts";
import { blockingObjectIn, markerKey, temporaryFolder } from "./output-names";

export interface S3OutputOptions {
  readonly storage: Pick<
    S3Storage,
    "bucketExists" | "head" | "list" | "read" | "write" | "copy" | "delete" | "deleteFolder" | "deleteUploads"
  >;
  readonly attempts: Attempts;
}

/** Objects that are copied at the same time. */
const parallelCopies = 16;
/** Milliseconds for which a publication is repeated when S3 does not answer, and the pause between two of them. */
const publishTime = 60_000;
const publishPause = { first: 500, longest: 8000 } as const;
/**
 * Milliseconds after which the folder of an attempt that was not published is emptied once more: an engine process that
 * was killed may have sent an object that S3 stores later.
 */
const lateObjects = 10_000;

export class S3OutputFolders implements OutputFolders {
  /** IDs of the queries with a temporary folder, by bucket. */
  readonly #active = new Map<string, Set<number>>();
  /** The last update of the marker of each bucket. */
  readonly #markers = new Map<string, Promise<void>>();

  constructor(private readonly options: S3OutputOptions) {}

  async prepare(queryId: number, bucket: string): Promise<Location> {
    const { attempts } = this.options;
    await this.#requireBucket(bucket);
    for (const earlier of attempts.of(queryId)) await this.#remove(earlier);
    const name = randomBytes(6).toString("hex");
    attempts.begin({ queryId, name, bucket });
    this.#activate(queryId, bucket);
    await this.#updateMarker(bucket);
    return folderOf({ queryId, name, bucket });
  }

  publishReplacing(queryId: number, target: Location, attempt?: PublicationAttempt): Promise<void> {
    return this.#publish(queryId, attempt, async (manifest, from) => {
      await this.options.storage.deleteFolder(target);
      await this.#copyAll(manifest, from, target);
    });
  }

  async publishNew(queryId: number, target: Location, attempt?: PublicationAttempt): Promise<void> {
    // Objects that are there later are those of an earlier try, which are written again.
    const claim = async () => {
      if (!(await this.#hasObjects(target))) return;
      throw new errors.OutputTableAlreadyExists(
        `objects were added under ${formatLocation(target)} while the query ran`,
        { field: "outputTable" },
      );
    };
    const move = (manifest: readonly ManifestEntry[], from: Location) => this.#copyAll(manifest, from, target);
    try {
      await this.#publish(queryId, attempt, move, claim);
    } catch (error) {
      await this.#deleteCopies(queryId, target);
      throw error;
    }
  }

  async discard(queryId: number, bucket: string): Promise<void> {
    try {
      for (const attempt of this.options.attempts.of(queryId)) await this.#discard(attempt);
    } finally {
      this.#active.get(bucket)?.delete(queryId);
    }
    await this.#updateMarker(bucket);
  }

  async deleteOrphans(kept: ReadonlySet<number>): Promise<void> {
    const buckets = new Set<string>();
    for (const attempt of this.options.attempts.all()) {
      if (kept.has(attempt.queryId)) this.#activate(attempt.queryId, attempt.bucket);
      else {
        buckets.add(attempt.bucket);
        // The record remains when S3 denies it, so that it is tried again.
        await this.#discard(attempt).catch(() => undefined);
      }
    }
    for (const bucket of buckets) {
      // An operation that uses the bucket reports the error.
      await this.#updateMarker(bucket).catch(() => undefined);
    }
  }

  blockingObject(folder: Location): Promise<Location | undefined> {
    return blockingObjectIn(this.options.storage, folder);
  }

  /** Deletes what could not be deleted when its query ended. */
  async removeLeftovers(): Promise<void> {
    for (const attempt of this.options.attempts.all()) {
      if (!this.#active.get(attempt.bucket)?.has(attempt.queryId)) await this.#removeQuietly(attempt);
    }
  }

  /** Creates no bucket: who may use S3 is decided there, and bucket names are unique among all users of Amazon S3. */
  async ensureBucket(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Publishes the attempt of a query, unless an earlier try has published it.
   * @param move copies the objects of the manifest, repeatedly if need be
   * @param claim is called before the manifest is written
   */
  async #publish(
    queryId: number,
    { isRetry }: PublicationAttempt = { isRetry: false },
    move: (manifest: readonly ManifestEntry[], from: Location) => Promise<void>,
    claim: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { attempts } = this.options;
    const [attempt] = attempts.of(queryId);
    if (!attempt || attempt.published) {
      if (attempt || isRetry) return;
      throw new errors.StorageAccessError(`the temporary objects of query ${queryId} are not recorded`);
    }
    await repeated(async () => {
      const manifest = attempts.of(queryId)[0]?.manifest ?? (await this.#writeManifest(attempt, claim));
      await move(manifest, folderOf(attempt));
      attempts.setPublished(attempt);
    });
  }

  async #writeManifest(attempt: Attempt, claim: () => Promise<void>): Promise<readonly ManifestEntry[]> {
    await claim();
    const from = folderOf(attempt);
    const manifest: ManifestEntry[] = [];
    for await (const { location, size, etag } of this.options.storage.list(from)) {
      const name = location.key.slice(from.key.length);
      if (!isHiddenObject(name)) manifest.push({ name, size, etag: etag ?? null });
    }
    manifest.push(...(await readRanges(this.options.storage, from)));
    if (manifest.length === 0) {
      throw new errors.StorageAccessError(`${formatLocation(from)} was deleted while the query ran`);
    }
    this.options.attempts.setManifest(attempt, manifest);
    return manifest;
  }

  async #copyAll(manifest: readonly ManifestEntry[], from: Location, to: Location): Promise<void> {
    const waiting = manifest.values();
    let failed = false;
    const copyNext = async () => {
      for (const entry of waiting) {
        if (failed) return;
        const target = { bucket: to.bucket, key: to.key + entry.name };
        if ("source" in entry) await this.#copyRange(entry, target);
        else {
          const location = { bucket: from.bucket, key: from.key + entry.name };
          await this.#copy({ location, size: entry.size, etag: entry.etag }, target);
        }
      }
    };
    const stopOthers = (error: unknown) => {
      failed = true;
      throw error;
    };
    const copies = Array.from({ length: parallelCopies }, () => copyNext().catch(stopOthers));
    // What comes next must not meet a copy that goes on.
    const rejected = (await Promise.allSettled(copies)).find(({ status }) => status === "rejected");
    if (rejected) throw (rejected as PromiseRejectedResult).reason;
  }

  /** Deletes what was copied of a table that failed, so that its name is free. */
  async #deleteCopies(queryId: number, target: Location): Promise<void> {
    const [attempt] = this.options.attempts.of(queryId);
    try {
      for (const { name } of attempt?.manifest ?? []) {
        await this.options.storage.delete({ bucket: target.bucket, key: target.key + name });
      }
    } catch {
      // The error of the copy is the one to report.
    }
  }

  #copyRange({ source, sourceSize, etag, start, end }: ObjectRange, target: Location): Promise<void> {
    return this.#copy({ location: source, size: sourceSize, etag }, target, { start, end });
  }

  #copy(
    { etag, ...source }: { readonly location: Location; readonly size: number; readonly etag: string | null },
    target: Location,
    range?: ByteRange,
  ): Promise<void> {
    const object = { ...source, lastModified: new Date(0), etag: etag ?? undefined };
    return this.options.storage.copy(object, target, range);
  }

  async #discard(attempt: Attempt): Promise<void> {
    if (attempt.published) return this.#remove(attempt);
    await this.#empty(attempt);
    setTimeout(() => void this.#removeQuietly(attempt), lateObjects).unref();
  }

  /** Deletes the objects first: killed in between, the record remains and is looked at again. */
  async #remove(attempt: Attempt): Promise<void> {
    await this.#empty(attempt);
    this.options.attempts.remove(attempt);
  }

  async #removeQuietly(attempt: Attempt): Promise<void> {
    try {
      await this.#remove(attempt);
    } catch {
      // The record remains, so that it is tried again.
    }
  }

  async #empty(attempt: Attempt): Promise<void> {
    const folder = folderOf(attempt);
    await this.options.storage.deleteUploads(folder);
    await this.options.storage.deleteFolder(folder);
  }

  async #hasObjects(folder: Location): Promise<boolean> {
    for await (const _ of this.options.storage.list(folder)) return true;
    return false;
  }

  async #requireBucket(bucket: string): Promise<void> {
    if (await this.options.storage.bucketExists(bucket)) return;
    throw new errors.StorageAccessError(`dag://${bucket}/ cannot be accessed: the bucket does not exist`);
  }

  /** Writes or deletes the marker of a bucket; one update after another, so that the last one knows all queries. */
  #updateMarker(bucket: string): Promise<void> {
    const marker = { bucket, key: markerKey };
    const { storage } = this.options;
    const update = () => (this.#active.get(bucket)?.size ? storage.write(marker, "") : storage.delete(marker));
    const updated = (this.#markers.get(bucket) ?? Promise.resolve()).then(update, update);
    this.#markers.set(bucket, updated);
    return updated;
  }

  #activate(queryId: number, bucket: string): void {
    const active = this.#active.get(bucket) ?? new Set();
    this.#active.set(bucket, active.add(queryId));
  }
}

function folderOf({ queryId, name, bucket }: Pick<Attempt, "queryId" | "name" | "bucket">): Location {
  return { bucket, key: `${temporaryFolder}/${queryId}/${name}/` };
}

/** Repeats a publication while S3 does not answer: the old output may be deleted already. */
async function repeated(run: () => Promise<void>): Promise<void> {
  const end = performance.now() + publishTime;
  for (let pause: number = publishPause.first; ; pause = Math.min(2 * pause, publishPause.longest)) {
    try {
      return await run();
    } catch (error) {
      if (!isTransientS3Error(error) || performance.now() > end) throw error;
    }
    await sleep(pause);
  }
}
