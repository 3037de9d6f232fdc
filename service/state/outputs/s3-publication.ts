/**
 * The publication of a result on S3, which cannot rename: the objects of the output are noted in a manifest, what lies
 * under the output folder is deleted, and the objects are copied there. Each step can be repeated, so that a publication
 * that was interrupted is completed, by this process or another.
 */
import { errors, formatLocation, isHiddenObject, type Location } from "../../../contract";
import { repeatedWhileUnanswered } from "../../../storage/s3-patience";
import { readRangesOf } from "../../../storage/read-s3-ranges";
import { rangesName, type ObjectRange } from "../../../storage/s3-ranges";
import type { S3Storage } from "../../../storage/s3";
import type { ByteRange } from "../../../storage/storage";
import type { Publication } from "../../core/ports/platform";
import { AttemptLost } from "../../core/ports/state";
import { temporaryFolder } from "./names";
import { PublicationHold } from "./hold";
import type { ManifestEntry, OutputRecord, OutputRecords } from "./output-records";

/** What a publication needs of S3. */
export type PublicationStorage = Pick<
  S3Storage,
  "head" | "list" | "read" | "write" | "copy" | "delete" | "deleteFolder"
>;

/** A publication on S3. */
export interface S3Publication extends Pick<Publication, "publishedBy" | "confirm"> {
  readonly record: OutputRecord;
  readonly target: Location;
  readonly records: OutputRecords;
  /** Returns the storage, whose requests wait for `permit`, and end when the signal is aborted. */
  readonly storage: (permit: () => Promise<void>, signal: AbortSignal) => PublicationStorage;
  /** True when no object may be under the target, and none may remain when the publication fails. */
  readonly isNew: boolean;
}

/** Objects that are copied at the same time. */
const parallelCopies = 16;

/**
 * Publishes the output of an attempt.
 * @throws {AttemptLost} when another process publishes it; StorageAccessError; OutputTableAlreadyExists
 */
export async function publishOutput(publication: S3Publication): Promise<void> {
  using hold = new PublicationHold(publication);
  const storage = publication.storage(() => hold.permit(), hold.signal);
  try {
    // The old output may be deleted already.
    await repeatedWhileUnanswered(() => new Move(publication, storage).run(), hold.signal);
  } catch (error) {
    // The error is that of a request which was not sent, or was ended.
    if (hold.lost) throw hold.lost;
    if (publication.isNew && !(error instanceof AttemptLost)) await deleteCopies(publication, storage);
    throw error;
  }
}

/** Returns the folder of an output. */
export function folderOf({ queryId, name, bucket }: Pick<OutputRecord, "queryId" | "name" | "bucket">): Location {
  return { bucket, key: `${temporaryFolder}/${queryId}/${name}/` };
}

/** One try. */
class Move {
  readonly #from: Location;

  constructor(
    private readonly publication: S3Publication,
    private readonly storage: PublicationStorage,
  ) {
    this.#from = folderOf(publication.record);
  }

  async run(): Promise<void> {
    const { record, target, publishedBy, records, isNew } = this.publication;
    const manifest = (await storedManifest(this.publication)) ?? (await this.#writeManifest());
    if (!isNew) await this.storage.deleteFolder(target);
    await this.#copyAll(await objectsOf(manifest, this.storage, this.#from));
    if (!(await records.setPublished(record, publishedBy))) throw new AttemptLost();
  }

  async #writeManifest(): Promise<readonly ManifestEntry[]> {
    const { record, target, publishedBy, records, isNew } = this.publication;
    // Objects that are there later are those of an earlier try, which are written again.
    if (isNew && (await this.#hasObjects(target))) {
      throw new errors.OutputTableAlreadyExists(
        `objects were added under ${formatLocation(target)} while the query ran`,
        { field: "outputTable" },
      );
    }
    const manifest: ManifestEntry[] = [];
    for await (const { location, size, etag } of this.storage.list(this.#from)) {
      const name = location.key.slice(this.#from.key.length);
      if (name === rangesName || !isHiddenObject(name)) manifest.push({ name, size, etag: etag ?? null });
    }
    if (manifest.length === 0) {
      throw new errors.StorageAccessError(`${formatLocation(this.#from)} was deleted while the query ran`);
    }
    if (!(await records.setManifest(record, publishedBy, manifest))) throw new AttemptLost();
    return manifest;
  }

  async #copyAll(objects: readonly PublishedObject[]): Promise<void> {
    const waiting = objects.values();
    let failed = false;
    const copyNext = async () => {
      for (const object of waiting) {
        if (failed) return;
        await this.#copyObject(object);
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

  #copyObject(object: PublishedObject): Promise<void> {
    const { bucket, key } = this.publication.target;
    const to = { bucket, key: key + object.name };
    if ("source" in object) return this.#copyRange(object, to);
    const location = { bucket: this.#from.bucket, key: this.#from.key + object.name };
    return this.#copy({ location, size: object.size, etag: object.etag }, to);
  }

  #copyRange({ source, sourceSize, etag, start, end }: ObjectRange, to: Location): Promise<void> {
    return this.#copy({ location: source, size: sourceSize, etag }, to, { start, end });
  }

  #copy(
    { etag, ...source }: { readonly location: Location; readonly size: number; readonly etag: string | null },
    to: Location,
    range?: ByteRange,
  ): Promise<void> {
    const object = { ...source, lastModified: new Date(0), etag: etag ?? undefined };
    return this.storage.copy(object, to, range);
  }

  async #hasObjects(folder: Location): Promise<boolean> {
    for await (const _ of this.storage.list(folder)) return true;
    return false;
  }
}

/** An object of the result: one that the attempt wrote, or a range of another object. */
type PublishedObject = ManifestEntry | ObjectRange;

/** Returns the objects of a result: those of its manifest, with the ranges in place of their list. */
async function objectsOf(
  manifest: readonly ManifestEntry[],
  storage: Pick<S3Storage, "read">,
  from: Location,
): Promise<PublishedObject[]> {
  const list = manifest.find(({ name }) => name === rangesName);
  if (!list) return [...manifest];
  return [
    ...manifest.filter((entry) => entry !== list),
    ...(await readRangesOf(storage, from, list.etag ?? undefined)),
  ];
}

/** Returns the manifest that an earlier try has stored. */
async function storedManifest({ record, records }: S3Publication): Promise<readonly ManifestEntry[] | null> {
  const stored = (await records.of(record.queryId)).find(({ name }) => name === record.name);
  return stored?.manifest ?? null;
}

/** Deletes what was copied of a table that failed, so that its name is free. */
async function deleteCopies(publication: S3Publication, storage: PublicationStorage): Promise<void> {
  const { bucket, key } = publication.target;
  try {
    const manifest = (await storedManifest(publication)) ?? [];
    const objects = await objectsOf(manifest, storage, folderOf(publication.record));
    for (const { name } of objects) await storage.delete({ bucket, key: key + name });
  } catch {
    // The error of the copy is the one to report.
  }
}
