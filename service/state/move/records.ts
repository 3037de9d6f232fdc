/** What the record of a service consists of, as both adapters store it. */
import type { QueryRow as FileRow } from "../sqlite/rows";

/** What was moved. */
export interface MoveSummary {
  readonly queries: number;
  /** The name under which the source is kept. */
  readonly kept: string;
}

/** A query; the fields that only PostgreSQL has are made from these. A file has numbers for booleans. */
export interface QueryRow extends Omit<FileRow, "checked" | "publishing"> {
  readonly end_time: number | null;
  readonly excerpt: string | null;
  readonly checked: boolean | number;
  readonly publishing: boolean | number;
}

export interface ClusterRow {
  readonly name: string;
  readonly type: string;
  readonly debug: boolean;
  readonly configured: string;
  readonly rebooted_to: number;
}

export interface TableRow {
  readonly database: string;
  readonly name: string;
  readonly format: string;
  readonly columns: string;
  readonly fingerprint: string | null;
}

export interface AttemptRow {
  readonly query_id: number;
  readonly epoch: number;
  readonly name: string;
  readonly bucket: string;
  readonly manifest: string | null;
  readonly published: boolean;
  readonly discarded: boolean;
}

export interface JobRow {
  readonly query_id: number;
  readonly cluster_name: string;
  readonly handle: string;
  readonly since: number;
}

/** Queries that are read and written at a time. */
export const batchSize = 500;

/** The time as a part of a name, such as `2026-11-22T18-30-00`. */
export function timestamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(":", "-");
}
