/**
 * The records of what attempts write to S3, where nothing can be renamed: an output is recorded before the attempt writes,
 * and its manifest before the first object of it is published. Only a recorded output is published or deleted.
 */

/**
 * An object that an attempt wrote, as it was when the attempt was complete. The one with the name `rangesName` lists
 * objects that are made of ranges of others (`storage/s3-ranges.ts`).
 */
export interface ManifestEntry {
  /** Its key below the output's folder. */
  readonly name: string;
  readonly size: number;
  readonly etag: string | null;
}

/** What an attempt of a query writes, in `tmp/<queryId>/<name>/` of its bucket. */
export interface OutputRecord {
  readonly queryId: number;
  /** Epoch of the attempt. */
  readonly epoch: number;
  /** Unique among all services that use the bucket. */
  readonly name: string;
  readonly bucket: string;
  /** The objects to publish; null until the publication begins. */
  readonly manifest: readonly ManifestEntry[] | null;
  /** True when every object is at its place. */
  readonly published: boolean;
  /** True when nothing of the output will be published: its objects are deleted, and late ones may still come. */
  readonly discarded: boolean;
}

/** What names an output. */
type OutputName = Pick<OutputRecord, "queryId" | "name">;

/** Every change is durable when the promise of its method resolves. */
export interface OutputRecords {
  /** Returns the outputs of the attempts of a query, the earliest first. */
  of(queryId: number): Promise<OutputRecord[]>;
  /** Returns the outputs of queries that do not run. */
  ended(): Promise<OutputRecord[]>;
  /** Returns true when an output that is not discarded has its folder in the bucket. */
  isUsed(bucket: string): Promise<boolean>;
  /** Records the output of an attempt. @returns false when it is not the query's last one: nothing is recorded */
  begin(output: Pick<OutputRecord, "queryId" | "epoch" | "name" | "bucket">): Promise<boolean>;
  /**
   * Stores the manifest of an output.
   * @param publishedBy epoch of the attempt that publishes it
   * @returns false when that attempt is not the query's last one: nothing is stored
   */
  setManifest(output: OutputName, publishedBy: number, manifest: readonly ManifestEntry[]): Promise<boolean>;
  /** Stores that every object is at its place. Parameters and result are those of `setManifest`. */
  setPublished(output: OutputName, publishedBy: number): Promise<boolean>;
  setDiscarded(output: OutputName): Promise<void>;
  remove(output: OutputName): Promise<void>;
}
