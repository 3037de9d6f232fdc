/** The port to what the console shows besides the API. `compose.ts` selects the adapters. */
import type { Column, InputFormat, Location } from "../../../contract";
import type { RowSample } from "./engine";

/** A folder whose objects hold rows. */
export interface RowSource {
  readonly location: Location;
  readonly format: InputFormat;
  /** The declared columns; absent when they are inferred from the data. */
  readonly columns?: readonly Column[] | undefined;
  /** The declared partition columns. */
  readonly partitions?: readonly Column[] | undefined;
  /** False when the first row is never a header, as in results. @default true */
  readonly mayHaveHeader?: boolean;
}

export interface Inspection {
  /** Names of all buckets, sorted. */
  buckets(): Promise<string[]>;
  /** Names of the folders at the top of a bucket, sorted. */
  folders(bucket: string): AsyncIterable<string>;
  /** Reads the first rows. @throws StorageAccessError */
  sample(source: RowSource, limit: number): Promise<RowSample>;
  /** Bytes of memory that the processes of each cluster use; undefined where the system does not report it. */
  memory(): Promise<ReadonlyMap<string, number> | undefined>;
}
