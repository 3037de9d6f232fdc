/** What the retention of records reads and deletes. */
import type { QueryStatus } from "../../../../contract";

/** What the retention of records needs of a query. */
export interface KeptQuery {
  readonly id: number;
  readonly clusterName: string;
  readonly status: QueryStatus;
  readonly startTime: number;
  /** Milliseconds since 1970 at which the query ended; its start for a query that runs. */
  readonly endTime: number;
  /** Size of its request. */
  readonly bytes: number;
}

export interface RetentionRecords {
  /** Returns up to `limit` queries with greater IDs than `after`, oldest first. */
  listQueries(after: number, limit: number): Promise<KeptQuery[]>;
  /** Deletes the queries that do not run, what they read, and their publications unless they are the last ones to their folders. */
  removeQueries(ids: readonly number[]): Promise<void>;
  /** Size of the state, in bytes. */
  storedBytes(): Promise<number>;
  /** Runs a task that only one process runs at a time; does nothing while another process runs it. */
  exclusively(task: () => Promise<void>): Promise<void>;
}
