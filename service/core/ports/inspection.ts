/** The port to what the console shows besides the API. `compose.ts` selects the adapters. */
import type { Column, Location, TableFormat } from "../../../contract";

/** A folder whose objects hold rows. */
export interface RowSource {
  readonly location: Location;
  readonly format: TableFormat;
  /** The declared columns; absent when they are inferred from the data. */
  readonly columns?: readonly Column[] | undefined;
  /** The declared partition columns. */
  readonly partitions?: readonly Column[] | undefined;
  /** False when the first row is never a header, as in results. @default true */
  readonly mayHaveHeader?: boolean;
}

/** The columns and first rows of a source. */
export interface RowSample {
  readonly columns: readonly Column[];
  /** Cells as text; null is NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly isTruncated: boolean;
}

export interface Inspection {
  /** Names of all buckets, sorted. */
  buckets(): Promise<string[]>;
  /** Names of the folders at the top of a bucket, sorted. */
  folders(bucket: string): Promise<string[]>;
  /** Reads the first rows. @throws StorageAccessError */
  sample(source: RowSource, limit: number): Promise<RowSample>;
  /** Bytes of memory that the processes of each cluster use; undefined where the system does not tell. */
  memory(): Promise<ReadonlyMap<string, number> | undefined>;
}
