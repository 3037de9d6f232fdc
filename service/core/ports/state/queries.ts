/** The records of queries, and the port that reads them. */
import type { Column, InputFormat, ListOrder, OutputFormat, QueryStatus } from "../../../../contract";

interface AcceptedFields {
  readonly clusterName: string;
  readonly accessKeyId: string;
  readonly label: string | null;
  /** Milliseconds since 1970, by the service's clock. */
  readonly startTime: number;
}

/** An accepted select as submitted, with defaults. */
interface AcceptedSelect extends AcceptedFields {
  readonly type: "select";
  readonly query: string;
  readonly outputFormat: OutputFormat;
  /** Ends in `/`. */
  readonly outputResourcePath: string;
}

/** An accepted split as submitted, with defaults. */
interface AcceptedSplit extends AcceptedFields {
  readonly type: "split";
  readonly inputObjectKeys: readonly string[];
  readonly inputFormat: InputFormat;
  readonly schema: string | null;
  readonly outputDatabase: string;
  readonly outputTable: string;
}

export type AcceptedQuery = AcceptedSelect | AcceptedSplit;

/** The progress of a query: that of its running attempt, stored when it ends. */
export interface QueryProgress {
  /** Percentage, 0 to 100. */
  readonly progress: number;
  /** Stage of the engine, from 1; 0 before the first. */
  readonly stage: number;
  /** The engine's own identifier of the job. */
  readonly jobId: string | null;
  /** Milliseconds since 1970 at which percentage or stage last changed; absent or null when that is not known. */
  readonly movedTime?: number | null;
}

/** A stored query. */
export type StoredQuery = AcceptedQuery &
  QueryProgress & {
    /** Unique; never reused. */
    readonly id: number;
    readonly status: QueryStatus;
    /** Number of the attempt that runs the query, from 1. Each begin of an attempt raises it. */
    readonly epoch: number;
    /** True when the result is complete and being published: the query can no longer be cancelled. */
    readonly publishing: boolean;
    /** The attempt whose result is published; 0 for a query of a version without attempts. */
    readonly publishedEpoch: number;
    /** True when the cluster was restarted after the query was accepted. */
    readonly clusterRebooted: boolean;
    /** Milliseconds since 1970 at which the query ended; null while it runs, and when that was not kept. */
    readonly endTime: number | null;
    /** Rows of a select's result; null until it is complete, and when the engine does not count them. */
    readonly rows: number | null;
    /** The engine's handle of a job that goes on without this service, as {@link AttemptSteps.setEngineHandle} stored it last. */
    readonly engineHandle: string | null;
    /** Columns of what the query wrote; null until it has, and for a select of a version that did not keep them. */
    readonly columns: readonly Column[] | null;
    /** True when every value of a split's table parses as its column's type. */
    readonly checked: boolean;
  };

/** A query as lists show it: without the fields that only a single query has, its statement shortened. */
export type ListedQuery = AcceptedFields &
  QueryProgress &
  Pick<StoredQuery, "id" | "type" | "status" | "clusterRebooted" | "endTime" | "rows"> & {
    /** The statement of a select, as {@link excerptOf} shortens it; null for a split. */
    readonly excerpt: string | null;
  };

/** Filter and order of a list of queries. */
export interface QueryFilter {
  readonly statuses?: readonly QueryStatus[];
  readonly type?: AcceptedQuery["type"];
  readonly labelPrefix?: string;
  readonly clusterName?: string;
  readonly clusterNamePrefix?: string;
  readonly clusterRebooted?: boolean;
  readonly order: ListOrder;
  /** Only queries after this one in the order. */
  readonly marker?: number;
  readonly limit: number;
}

/** Reads the records of queries. */
export interface QueryRecords {
  get(id: number): Promise<StoredQuery | undefined>;
  list(filter: QueryFilter): Promise<ListedQuery[]>;
  /** Returns the IDs of the running queries of a cluster, or of all clusters, oldest first. */
  listRunning(clusterName?: string): Promise<number[]>;
}
