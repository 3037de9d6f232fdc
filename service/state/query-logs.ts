/** The port to a store of query logs that every service process reads. */
import type { Readable } from "node:stream";

/** An entry of the log of a query. */
export interface LogPart {
  readonly clusterName: string;
  readonly queryId: number;
  /** Its time, a space and what it says. */
  readonly text: string;
}

export interface QueryLogStore {
  /** Adds parts, in their order. */
  append(parts: readonly LogPart[]): Promise<void>;
  /** Returns the log of a query; empty when there is none. */
  read(queryId: number): Promise<string>;
  /** Deletes the logs of the queries of a cluster that were accepted before its last restart. */
  drop(clusterName: string): Promise<void>;
  /** Deletes the log of a query. Returns the bytes that it had. */
  delete(queryId: number): Promise<number>;
  /** Returns the bytes of the logs of all queries of a cluster. */
  bytes(clusterName: string): Promise<number>;
  /**
   * Returns the logs of all queries of a cluster as they are now, query by query, with their size in bytes. Each entry
   * has `query <ID>` behind its time, as in the cluster's log.
   */
  all(clusterName: string): Promise<{ readonly size: number; open(): Readable }>;
}
