/**
 * The records of what attempts write to S3, where nothing can be renamed: an attempt is recorded before it writes, and its
 * manifest before the first object of it is published. Only a recorded attempt is published or deleted.
 */
import type { ObjectRange } from "../../../storage/s3-ranges";

/** An object of a result, as it was when the attempt was complete, or one to make of a range of another object. */
export type ManifestEntry =
  | {
      /** Its key below the attempt's folder. */
      readonly name: string;
      readonly size: number;
      readonly etag: string | null;
    }
  | ObjectRange;

/** An attempt of a query, which writes to `tmp/<queryId>/<name>/` of its bucket. */
export interface AttemptRecord {
  readonly queryId: number;
  readonly epoch: number;
  /** Unique among all services that use the bucket. */
  readonly name: string;
  readonly bucket: string;
  /** The objects to publish; null until the publication begins. */
  readonly manifest: readonly ManifestEntry[] | null;
  /** True when every object is at its place. */
  readonly published: boolean;
  /** True when nothing of the attempt will be published: its objects are deleted, and late ones may still come. */
  readonly discarded: boolean;
}

/** What names an attempt. */
type AttemptName = Pick<AttemptRecord, "queryId" | "name">;

/** The records of attempts. Every change is durable when the promise of its method resolves. */
export interface AttemptRecords {
  /** Returns the attempts of a query, the earliest first. */
  of(queryId: number): Promise<AttemptRecord[]>;
  /** Returns the attempts of queries that do not run. */
  ended(): Promise<AttemptRecord[]>;
  /** Returns true when an attempt that is not discarded has its folder in the bucket. */
  isUsed(bucket: string): Promise<boolean>;
  /** Records an attempt. @returns false when it is not the query's last one: nothing is recorded */
  begin(attempt: Pick<AttemptRecord, "queryId" | "epoch" | "name" | "bucket">): Promise<boolean>;
  /**
   * Stores the manifest of an attempt.
   * @param publisher the attempt that publishes it
   * @returns false when the publisher is not the query's last attempt: nothing is stored
   */
  setManifest(attempt: AttemptName, publisher: number, manifest: readonly ManifestEntry[]): Promise<boolean>;
  /** Stores that every object is at its place. Parameters and result are those of `setManifest`. */
  setPublished(attempt: AttemptName, publisher: number): Promise<boolean>;
  setDiscarded(attempt: AttemptName): Promise<void>;
  remove(attempt: AttemptName): Promise<void>;
}
