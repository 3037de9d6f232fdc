/**
 * The publication of a result on S3, which cannot rename: the objects of the attempt are noted in a manifest, what lies
 * under the output folder is deleted, and the objects are copied there. Each step can be repeated, so that a publication
 * that was interrupted is completed, by this process or another.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { errors, formatLocation, isHiddenObject, type Location } from "../../../contract";
import { isTransientS3Error } from "../../../storage/s3-problems";
import { readRanges } from "../../../storage/read-s3-ranges";
import type { ObjectRange } from "../../../storage/s3-ranges";
import type { S3Storage } from "../../../storage/s3";
import type { ByteRange } from "../../../storage/storage";
import type { AttemptRecord, AttemptRecords, ManifestEntry } from "../../core/ports/attempts";
import type { Attempt } from "../../core/ports/platform";
import { AttemptLost } from "../../core/ports/state";
import { temporaryFolder } from "./names";
import { PublicationHold } from "./hold";

/** What a publication needs of S3. */
export type PublicationStorage = Pick<
  S3Storage,
  "head" | "list" | "read" | "write" | "copy" | "delete" | "deleteFolder"
>;

export interface Publication {
  readonly record: AttemptRecord;
  readonly target: Location;
  readonly attempt: Attempt;
  readonly attempts: AttemptRecords;
  /** Returns the storage, whose requests wait for `permit`, and end when the signal is aborted. */
  readonly storage: (permit: () => Promise<void>, signal: AbortSignal) => PublicationStorage;
  /** True when no object may be under the target, and none may remain when the publication fails. */
  readonly isNew: boolean;
}

/** Objects that are copied at the same time. */
const parallelCopies = 16;
/** Milliseconds for which a publication is repeated when S3 does not answer, and the pause between two of them. */
const publishTime = 60_000;
const publishPause = { first: 500, longest: 8000 } as const;

/**
 * Publishes an attempt.
 * @throws {AttemptLost} when another process publishes it; StorageAccessError; OutputTableAlreadyExists
 */
export async function publishAttempt(publication: Publication): Promise<void> {
  using hold = new PublicationHold(publication.attempt);
  const storage = publication.storage(() => hold.permit(), hold.signal);
  try {
    await repeated(() => new Move(publication, storage).run(), hold.signal);
  } catch (error) {
    // The error is that of a request which was not sent, or was ended.
    if (hold.lost) throw hold.lost;
    if (publication.isNew && !(error instanceof AttemptLost)) await deleteCopies(publication, storage);
    throw error;
  }
}

/** Returns the folder that an attempt writes to. */
export function folderOf({ queryId, name, bucket }: Pick<AttemptRecord, "queryId" | "name" | "bucket">): Location {
  return { bucket, key: `${temporaryFolder}/${queryId}/${name}/` };
}

/** One try. */
class Move {
  readonly #from: Location;

  constructor(
    private readonly publication: Publication,
    private readonly storage: PublicationStorage,
  ) {
    this.#from = folderOf(publication.record);
  }

  async run(): Promise<void> {
    const { record, target, attempt, attempts, isNew } = this.publication;
    const manifest = (await storedManifest(this.publication)) ?? (await this.#writeManifest());
    if (!isNew) await this.storage.deleteFolder(target);
    await this.#copyAll(manifest);
    if (!(await attempts.setPublished(record, attempt.publisher))) throw new AttemptLost();
  }

  async #writeManifest(): Promise<readonly ManifestEntry[]> {
    const { record, target, attempt, attempts, isNew } = this.publication;
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
      if (!isHiddenObject(name)) manifest.push({ name, size, etag: etag ?? null });
    }
    manifest.push(...(await readRanges(this.storage, this.#from)));
    if (manifest.length === 0) {
      throw new errors.StorageAccessError(`${formatLocation(this.#from)} was deleted while the query ran`);
    }
    if (!(await attempts.setManifest(record, attempt.publisher, manifest))) throw new AttemptLost();
    return manifest;
  }

  async #copyAll(manifest: readonly ManifestEntry[]): Promise<void> {
    const waiting = manifest.values();
    let failed = false;
    const copyNext = async () => {
      for (const entry of waiting) {
        if (failed) return;
        await this.#copyEntry(entry);
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

  #copyEntry(entry: ManifestEntry): Promise<void> {
    const { bucket, key } = this.publication.target;
    const to = { bucket, key: key + entry.name };
    if ("source" in entry) return this.#copyRange(entry, to);
    const location = { bucket: this.#from.bucket, key: this.#from.key + entry.name };
    return this.#copy({ location, size: entry.size, etag: entry.etag }, to);
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

/** Returns the manifest that an earlier try has stored. */
async function storedManifest({ record, attempts }: Publication): Promise<readonly ManifestEntry[] | null> {
  const stored = (await attempts.of(record.queryId)).find(({ name }) => name === record.name);
  return stored?.manifest ?? null;
}

/** Deletes what was copied of a table that failed, so that its name is free. */
async function deleteCopies(publication: Publication, storage: PublicationStorage): Promise<void> {
  const { bucket, key } = publication.target;
  try {
    for (const { name } of (await storedManifest(publication)) ?? []) await storage.delete({ bucket, key: key + name });
  } catch {
    // The error of the copy is the one to report.
  }
}

/** Repeats a publication while S3 does not answer, until the signal is aborted: the old output may be deleted already. */
async function repeated(run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const end = performance.now() + publishTime;
  for (let pause: number = publishPause.first; ; pause = Math.min(2 * pause, publishPause.longest)) {
    try {
      return await run();
    } catch (error) {
      if (signal.aborted || !isTransientS3Error(error) || performance.now() > end) throw error;
    }
    await sleep(pause);
  }
}
