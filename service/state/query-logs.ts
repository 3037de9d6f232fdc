/** The port to a store of query logs that every service process reads. */
import type { Readable } from "node:stream";

/** Lines of the log of a query. */
export interface LogPart {
  readonly clusterName: string;
  readonly queryId: number;
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
  /** Returns the logs of all queries of a cluster as they are now, with their size in bytes. */
  all(clusterName: string): Promise<{ readonly size: number; open(): Readable }>;
}
