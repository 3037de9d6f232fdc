/**
 * The port to the persistent state, implemented by `state/sqlite.ts`. Every change is durable when its method returns.
 */
import type { Column, InputFormat, ListOrder, OutputFormat, QueryStatus } from "../../../contract";

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

/** The progress of a query: in memory while it runs, stored when it ends. */
export interface QueryProgress {
  /** Percentage, 0 to 100. */
  readonly progress: number;
  /** Stage of the engine, from 1; 0 before the first. */
  readonly stage: number;
  /** The engine's own identifier of the job. */
  readonly jobId: string | null;
}

/** A stored query. */
export type StoredQuery = AcceptedQuery &
  QueryProgress & {
    /** Unique; never reused. */
    readonly id: number;
    readonly status: QueryStatus;
    /** True when the result is complete and being published: the query can no longer be cancelled. */
    readonly publishing: boolean;
    /** True when the cluster was restarted after the query was accepted. */
    readonly clusterRebooted: boolean;
    /** Columns of the table that a split wrote; null until it has. */
    readonly columns: readonly Column[] | null;
    /** True when every value of that table parses as its column's type. */
    readonly checked: boolean;
  };

/** A query as lists show it: without the fields that only a single query has, its statement shortened. */
export type ListedQuery = AcceptedFields &
  QueryProgress &
  Pick<StoredQuery, "id" | "type" | "status" | "clusterRebooted"> & {
    /** The statement of a select, as {@link excerptOf} shortens it; null for a split. */
    readonly excerpt: string | null;
  };

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

/** A table that a split wrote. */
export interface WrittenTable {
  readonly database: string;
  readonly table: string;
  readonly format: InputFormat;
  readonly columns: readonly Column[];
  /** Fingerprint of the table's objects when its values were checked; null when unchecked. See `catalog.ts`. */
  readonly fingerprint: string | null;
}

/** The settings of a cluster that a restart can change. */
export interface ClusterSettings {
  readonly type: string;
  readonly debug: boolean;
}

/** The change to the catalog that is stored in the same transaction as the end of a query. */
export interface CatalogChange {
  readonly put?: WrittenTable;
  /** A table whose folder received new objects: its catalog entry is deleted. */
  readonly overwritten?: { readonly database: string; readonly table: string };
}

export interface State {
  /** Stores a new running query and returns its ID. */
  accept(submission: AcceptedQuery): number;
  query(id: number): StoredQuery | undefined;
  queries(filter: QueryFilter): ListedQuery[];
  /** Returns the running queries of a cluster, or of all clusters, oldest first. */
  running(clusterName?: string): StoredQuery[];
  /** Stores that the result is complete: after a restart the service publishes it and does not run the query again. */
  markPublishing(id: number, result: { readonly columns: readonly Column[] | null; readonly checked: boolean }): void;
  end(id: number, status: Exclude<QueryStatus, "running">, progress: QueryProgress, change?: CatalogChange): void;

  /** Returns up to `limit` queries with greater IDs than `after`, oldest first. */
  kept(after: number, limit: number): KeptQuery[];
  /** Deletes the queries that do not run. */
  remove(ids: readonly number[]): void;
  /** Size of the state, in bytes. */
  bytes(): number;

  table(database: string, table: string): WrittenTable | undefined;
  tables(): WrittenTable[];

  /**
   * Registers a cluster. Returns the settings of its last restart, or the configured ones when the config has changed
   * since.
   */
  registerCluster(name: string, configured: ClusterSettings): ClusterSettings;
  /** Stores new settings and marks all earlier queries of the cluster as rebooted. */
  restartCluster(name: string, settings: ClusterSettings): void;

  /** Deletes queries, catalog and restarts. IDs are not reused. */
  reset(): void;
  close(): void;
}
