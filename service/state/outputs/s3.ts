/**
 * Temporary folders of results on S3, `tmp/<queryId>/<attempt>/` of the output bucket. What is written there is recorded
 * in the state, which all service processes share: none lists the buckets for it.
 */
import { randomBytes } from "node:crypto";
import { errors, type Location } from "../../../contract";
import type { S3Storage } from "../../../storage/s3";
import type { AttemptRecord, AttemptRecords } from "../../core/ports/attempts";
import type { Attempt, OutputFolders } from "../../core/ports/platform";
import { AttemptLost } from "../../core/ports/state";
import { blockingObjectIn, markerKey } from "./names";
import { folderOf, publishAttempt, type PublicationStorage } from "./s3-publication";

export interface S3OutputOptions {
  readonly storage: PublicationStorage &
    Pick<S3Storage, "bucketExists" | "deleteUploads"> & {
      guarded(permit: () => Promise<void>, signal: AbortSignal): PublicationStorage;
    };
  readonly attempts: AttemptRecords;
}

type FolderName = Pick<AttemptRecord, "queryId" | "name" | "bucket">;

/**
 * Milliseconds after which the folder of an attempt that was not published is emptied once more: an engine process that
 * was killed may have sent an object that S3 stores later.
 */
const lateObjects = 10_000;

export class S3OutputFolders implements OutputFolders {
  /** The attempts that this process has begun and not discarded, by the ID of their query. */
  readonly #own = new Map<number, FolderName & { readonly epoch: number }>();
  /** The last update of the marker of each bucket. */
  readonly #markers = new Map<string, Promise<void>>();

  constructor(private readonly options: S3OutputOptions) {}

  async prepare(queryId: number, epoch: number, bucket: string, keepsEarlier = false): Promise<Location> {
    const { attempts } = this.options;
    await this.#requireBucket(bucket);
    const earlier = keepsEarlier ? [] : await attempts.of(queryId);
    for (const each of earlier) await this.#discardAttempt(each);
    const attempt = { queryId, epoch, name: `${epoch}-${randomBytes(6).toString("hex")}`, bucket };
    if (!(await attempts.begin(attempt))) throw new AttemptLost();
    this.#own.set(queryId, attempt);
    await this.#updateMarker(bucket);
    return folderOf(attempt);
  }

  publishReplacing(queryId: number, target: Location, attempt: Attempt): Promise<void> {
    return this.#publish(queryId, target, attempt, false);
  }

  publishNew(queryId: number, target: Location, attempt: Attempt): Promise<void> {
    return this.#publish(queryId, target, attempt, true);
  }

  async discard(queryId: number, bucket: string, epoch?: number): Promise<void> {
    const isMeant = (attempt: { readonly epoch: number }) => epoch === undefined || attempt.epoch === epoch;
    const recorded = (await this.options.attempts.of(queryId)).filter(isMeant);
    const removeLater = (attempt: AttemptRecord) =>
      void setTimeout(() => void this.#removeQuietly(attempt), lateObjects).unref();
    for (const attempt of recorded) {
      await this.#discardAttempt(attempt);
      if (!attempt.published) removeLater(attempt);
    }
    const own = this.#own.get(queryId);
    if (own && isMeant(own)) {
      // Another process may have deleted the record before this one has ended its writing.
      if (!recorded.some(({ name }) => name === own.name)) await this.#empty(own);
      this.#own.delete(queryId);
    }
    const published = recorded.filter((attempt) => attempt.published);
    try {
      await this.#updateMarker(bucket);
    } catch (error) {
      for (const attempt of published) removeLater(attempt);
      throw error;
    }
    for (const attempt of published) await this.options.attempts.remove(attempt);
  }

  async deleteOrphans(): Promise<void> {
    await this.removeLeftovers();
  }

  blockingObject(folder: Location): Promise<Location | undefined> {
    return blockingObjectIn(this.options.storage, folder);
  }

  /** Deletes what could not be deleted when its query ended. */
  async removeLeftovers(): Promise<void> {
    for (const attempt of await this.options.attempts.ended()) await this.#removeQuietly(attempt);
  }

  /** Creates no bucket: who may use S3 is decided there, and bucket names are unique among all users of Amazon S3. */
  async ensureBucket(): Promise<void> {
    return Promise.resolve();
  }

  /** Publishes the attempt of a query, unless an earlier try has published it. */
  async #publish(queryId: number, target: Location, attempt: Attempt, isNew: boolean): Promise<void> {
    const { attempts, storage } = this.options;
    const record = (await attempts.of(queryId)).find(({ epoch }) => epoch === attempt.epoch);
    if (!record || record.published) {
      if (record || attempt.isRetry) return;
      throw new errors.StorageAccessError(`the temporary objects of query ${queryId} are not recorded`);
    }
    const guarded = (permit: () => Promise<void>, signal: AbortSignal) => storage.guarded(permit, signal);
    await publishAttempt({ record, target, attempt, attempts, storage: guarded, isNew });
  }

  /** Notes first that nothing of the attempt is published, then deletes its objects. */
  async #discardAttempt(attempt: AttemptRecord): Promise<void> {
    if (!attempt.discarded) await this.options.attempts.setDiscarded(attempt);
    await this.#empty(attempt);
  }

  /**
   * Deletes the objects and the marker first: killed in between, the record remains and both are looked at again. The
   * marker is not needed for an attempt that is discarded.
   */
  async #remove(attempt: AttemptRecord): Promise<void> {
    await this.#discardAttempt(attempt);
    await this.#updateMarker(attempt.bucket);
    await this.options.attempts.remove(attempt);
  }

  async #removeQuietly(attempt: AttemptRecord): Promise<void> {
    try {
      await this.#remove(attempt);
    } catch {
      // The record remains, so that it is tried again.
    }
  }

  async #empty(attempt: FolderName): Promise<void> {
    const folder = folderOf(attempt);
    await this.options.storage.deleteUploads(folder);
    await this.options.storage.deleteFolder(folder);
  }

  async #requireBucket(bucket: string): Promise<void> {
    if (await this.options.storage.bucketExists(bucket)) return;
    throw new errors.StorageAccessError(`dag://${bucket}/ cannot be accessed: the bucket does not exist`);
  }

  /** Writes or deletes the marker of a bucket; one update of this process after another. */
  #updateMarker(bucket: string): Promise<void> {
    const update = () => this.#writeMarker(bucket);
    const updated = (this.#markers.get(bucket) ?? Promise.resolve()).then(update, update);
    this.#markers.set(bucket, updated);
    return updated;
  }

  /** Repeats what another process has changed in between. */
  async #writeMarker(bucket: string): Promise<void> {
    const { attempts, storage } = this.options;
    const marker = { bucket, key: markerKey };
    for (let isUsed = await attempts.isUsed(bucket); ;) {
      await (isUsed ? storage.write(marker, "") : storage.delete(marker));
      const isStillUsed = await attempts.isUsed(bucket);
      if (isStillUsed === isUsed) return;
      isUsed = isStillUsed;
    }
  }
}
