/** What the core remembers, as a port: `state/sqlite.ts` keeps it. Every change is durable when its method returns. */
import type { Column, InputFormat, ListOrder, OutputFormat, QueryStatus } from "../../../contract";

interface AcceptedQuery {
  readonly clusterName: string;
  readonly accessKeyId: string;
  readonly label: string | null;
  /** Milliseconds since 1970, by the service's clock. */
  readonly startTime: number;
}

/** An accepted select, as it was submitted, defaults filled in. */
interface SelectSubmission extends AcceptedQuery {
  readonly type: "select";
  readonly query: string;
  readonly outputFormat: OutputFormat;
  /** Ends in `/`. */
  readonly outputResourcePath: string;
}

/** An accepted split, as it was submitted, defaults filled in. */
interface SplitSubmission extends AcceptedQuery {
  readonly type: "split";
  readonly inputObjectKeys: readonly string[];
  readonly inputFormat: InputFormat;
  readonly schema: string | null;
  readonly outputDatabase: string;
  readonly outputTable: string;
}

export type Submission = SelectSubmission | SplitSubmission;

/** How far a query came. While it runs these are in memory; the end writes them down. */
export interface Advance {
  /** 0 to 100. */
  readonly progress: number;
  /** From 1; 0 before the first. */
  readonly stage: number;
  /** The engine's own identifier of the work. */
  readonly jobId: string | null;
}

/** A query as it is remembered. */
export type StoredQuery = Submission &
  Advance & {
    /** Given once, never again. */
    readonly id: number;
    readonly status: QueryStatus;
    /** Whether the result is complete and is being moved to its place: from here on the query can only finish. */
    readonly publishing: boolean;
    /** Whether the cluster was restarted since. */
    readonly clusterRebooted: boolean;
    /** Columns of the table that a split wrote; null before. */
    readonly columns: readonly Column[] | null;
    /** Whether every value of that table parses as its column's type. */
    readonly checked: boolean;
  };

/** Which queries to list, in which order. */
export interface QueryFilter {
  readonly statuses?: readonly QueryStatus[];
  readonly type?: Submission["type"];
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
export interface CatalogTable {
  readonly database: string;
  readonly table: string;
  readonly format: InputFormat;
  readonly columns: readonly Column[];
  /** What the table's objects were when its values were checked; null where they were not. See `core/catalog.ts`. */
  readonly fingerprint: string | null;
}

/** What a restart may change about a cluster. */
export interface ClusterSettings {
  readonly type: string;
  readonly debug: boolean;
}

/** What the end of a query changes in the catalog, in the same step. */
export interface CatalogChange {
  readonly put?: CatalogTable;
  /** A folder that new objects came to: what the catalog says of a table there is no longer so. */
  readonly overwritten?: { readonly database: string; readonly table: string };
}

export interface State {
  /** Remembers a query as running and gives it its id. */
  accept(submission: Submission): number;
  query(id: number): StoredQuery | undefined;
  queries(filter: QueryFilter): StoredQuery[];
  /** The running queries of a cluster, or of all, oldest first. */
  running(clusterName?: string): StoredQuery[];
  /** The result is complete: a service that starts again moves it to its place instead of running the query again. */
  publishing(id: number, result: { readonly columns: readonly Column[] | null; readonly checked: boolean }): void;
  end(id: number, status: Exclude<QueryStatus, "running">, advance: Advance, change?: CatalogChange): void;

  table(database: string, table: string): CatalogTable | undefined;
  tables(): CatalogTable[];

  /**
   * Makes a cluster known, and answers what it was restarted with last; where the configured settings differ from
   * those of the time before, they are what counts.
   */
  registerCluster(name: string, configured: ClusterSettings): ClusterSettings;
  /** Marks every query of the cluster so far as rebooted. */
  restartCluster(name: string, settings: ClusterSettings): void;

  /** Forgets queries, catalog and restarts; ids go on where they were. */
  reset(): void;
  close(): void;
}
