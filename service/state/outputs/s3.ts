/**
 * Temporary folders of results on S3, `tmp/<queryId>/<attempt>/` of the output bucket. What is written there is recorded
 * in the state, which all service processes share: none lists the buckets for it.
 */
import { randomBytes } from "node:crypto";
import { errors, type Location } from "../../../contract";
import type { S3Storage } from "../../../storage/s3";
import type { OutputFolders, Publication } from "../../core/ports/platform";
import { AttemptLost } from "../../core/ports/state";
import { blockingObjectIn, markerKey } from "./names";
import type { OutputRecord, OutputRecords } from "./output-records";
import { folderOf, publishOutput, type PublicationStorage } from "./s3-publication";

export interface S3OutputOptions {
  readonly storage: PublicationStorage &
    Pick<S3Storage, "bucketExists" | "deleteUploads"> & {
      guarded(permit: () => Promise<void>, signal: AbortSignal): PublicationStorage;
    };
  readonly records: OutputRecords;
}

type FolderName = Pick<OutputRecord, "queryId" | "name" | "bucket">;

/**
 * Milliseconds after which the folder of an attempt that was not published is emptied once more: an engine process that
 * was killed may have sent an object that S3 stores later.
 */
const lateObjects = 10_000;

export class S3OutputFolders implements OutputFolders {
  /** The outputs that this process has begun and not discarded, by the ID of their query. */
  readonly #own = new Map<number, FolderName & { readonly epoch: number }>();
  /** The last update of the marker of each bucket. */
  readonly #markers = new Map<string, Promise<void>>();

  constructor(private readonly options: S3OutputOptions) {}

  async prepare(queryId: number, epoch: number, bucket: string, keepsEarlier = false): Promise<Location> {
    const { records } = this.options;
    await this.#requireBucket(bucket);
    const recorded = keepsEarlier ? [] : await records.of(queryId);
    // A later attempt may write already: this process learns below that it has lost the query.
    for (const each of recorded) if (each.epoch <= epoch) await this.#discardOutput(each);
    const output = { queryId, epoch, name: `${epoch}-${randomBytes(6).toString("hex")}`, bucket };
    if (!(await records.begin(output))) throw new AttemptLost();
    this.#own.set(queryId, output);
    await this.#updateMarker(bucket);
    return folderOf(output);
  }

  publishReplacing(queryId: number, target: Location, publication: Publication): Promise<void> {
    return this.#publish(queryId, target, publication, false);
  }

  publishNew(queryId: number, target: Location, publication: Publication): Promise<void> {
    return this.#publish(queryId, target, publication, true);
  }

  async discard(queryId: number, bucket: string, epoch?: number): Promise<void> {
    const isMeant = (output: { readonly epoch: number }) => epoch === undefined || output.epoch === epoch;
    const recorded = (await this.options.records.of(queryId)).filter(isMeant);
    for (const output of recorded) {
      await this.#discardOutput(output);
      if (!output.published) this.#removeLater(output);
    }
    const own = this.#own.get(queryId);
    if (own && isMeant(own)) {
      // Another process may have deleted the record before this one has ended its writing.
      if (!recorded.some(({ name }) => name === own.name)) await this.#empty(own);
      this.#own.delete(queryId);
    }
    const published = recorded.filter((output) => output.published);
    try {
      await this.#updateMarker(bucket);
    } catch (error) {
      for (const output of published) this.#removeLater(output);
      throw error;
    }
    for (const output of published) await this.options.records.remove(output);
  }

  async deleteOrphans(): Promise<void> {
    await this.removeLeftovers();
  }

  blockingObject(folder: Location): Promise<Location | undefined> {
    return blockingObjectIn(this.options.storage, folder);
  }

  /** Deletes what could not be deleted when its query ended, or may have come later because its process was killed. */
  async removeLeftovers(): Promise<void> {
    for (const output of await this.options.records.ended()) {
      if (output.published) await quietly(this.#remove(output));
      else {
        await quietly(this.#emptyDiscarded(output));
        this.#removeLater(output);
      }
    }
  }

  /** Creates no bucket: who may use S3 is decided there, and bucket names are unique among all users of Amazon S3. */
  async ensureBucket(): Promise<void> {
    return Promise.resolve();
  }

  /** Publishes what an attempt of a query wrote, unless an earlier try has published it. */
  async #publish(queryId: number, target: Location, publication: Publication, isNew: boolean): Promise<void> {
    const { records, storage } = this.options;
    const record = (await records.of(queryId)).find(({ epoch }) => epoch === publication.writtenBy);
    if (!record || record.published) {
      if (record || publication.isRetry) return;
      throw new errors.StorageAccessError(`the temporary objects of query ${queryId} are not recorded`);
    }
    const guarded = (permit: () => Promise<void>, signal: AbortSignal) => storage.guarded(permit, signal);
    const { publishedBy } = publication;
    const confirm = () => publication.confirm();
    await publishOutput({ record, target, publishedBy, confirm, records, storage: guarded, isNew });
  }

  /** Notes first that nothing of the attempt is published, then deletes its objects. */
  async #discardOutput(output: OutputRecord): Promise<void> {
    if (!output.discarded) await this.options.records.setDiscarded(output);
    await this.#empty(output);
  }

  /** Deletes the objects and the marker first: killed in between, the record remains and both are deleted again. */
  async #remove(output: OutputRecord): Promise<void> {
    await this.#emptyDiscarded(output);
    await this.options.records.remove(output);
  }

  /** Removes an output once more after {@link lateObjects}; stopped before, the record remains for the next start. */
  #removeLater(output: OutputRecord): void {
    setTimeout(() => void quietly(this.#remove(output)), lateObjects).unref();
  }

  /** Deletes the objects, and the marker, which an attempt that is discarded does not need. */
  async #emptyDiscarded(output: OutputRecord): Promise<void> {
    await this.#discardOutput(output);
    await this.#updateMarker(output.bucket);
  }

  async #empty(output: FolderName): Promise<void> {
    const folder = folderOf(output);
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
    const { records, storage } = this.options;
    const marker = { bucket, key: markerKey };
    for (let isUsed = await records.isUsed(bucket); ;) {
      await (isUsed ? storage.write(marker, "") : storage.delete(marker));
      const isStillUsed = await records.isUsed(bucket);
      if (isStillUsed === isUsed) return;
      isUsed = isStillUsed;
    }
  }
}

/** The record of an output that could not be deleted remains, so that it is tried again. */
const quietly = (deletion: Promise<void>) => deletion.catch(() => undefined);
