/**
 * The port to the persistent state, implemented by `state/sqlite` for one service process and by `state/postgres` for
 * several. Every change is durable when the promise of its method resolves. A method that checks and changes does both in
 * one step: no other call, of this process or of another, comes in between.
 */
import type { AttemptRecords } from "./attempts";
import type { JobsToEnd } from "./jobs-to-end";
import type { LineageRuns, NewLineageRun } from "./lineage-runs";
import type { PublishedFolder } from "./published-folder";
import type { ReadInput, ReadRecords } from "./read-records";
import type { Column, InputFormat, ListOrder, Location, OutputFormat, QueryStatus } from "../../../contract";

export type { PublishedFolder };

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
    /** The engine's handle of a job that goes on without this service, as {@link State.setEngineHandle} stored it last. */
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

/** Some of the tables that splits wrote. */
export interface TablePage {
  readonly limit: number;
  /** Only the tables of this database. */
  readonly database?: string;
  /** The last table of the page before. */
  readonly after?: { readonly database: string; readonly table: string };
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

/** The settings of a cluster after its last restart. */
export interface ClusterState extends ClusterSettings {
  /** Greater after each restart. */
  readonly generation: number;
}

/** The change to the catalog that is stored in the same transaction as the end of a query. */
export interface CatalogChange {
  readonly put?: WrittenTable;
  /** A table whose folder received new objects: its catalog entry is deleted. */
  readonly overwritten?: { readonly database: string; readonly table: string };
  readonly published?: PublishedFolder;
}

/** One attempt to run a query. Only the query's last attempt can store anything. */
export type QueryAttempt = Pick<StoredQuery, "id" | "epoch">;

/** What is known of a complete result before it is published. */
export interface CompleteResult {
  readonly columns: readonly Column[] | null;
  readonly checked: boolean;
  /** Rows of a select's result. @default not known */
  readonly rows?: number | null;
  /** What the query read. @default not known */
  readonly reads?: readonly ReadInput[];
}

/** Thrown when an attempt is no longer its query's last one: another process runs the query, or it was cancelled. */
export class AttemptLost extends Error {
  override readonly name = "AttemptLost";

  constructor() {
    super("another service process has taken over or ended the query");
  }
}

/** Milliseconds, from a call of {@link State.confirm}, for which its answer holds. */
export const confirmedMilliseconds = 8000;

/** Another writer uses the same folder, a parent or a child of it. */
export interface Overlap {
  readonly refused: "overlap";
  readonly folder: Location;
  /** The writer, for messages, such as `query 7`. */
  readonly owner: string;
}

/** A reserved folder: no other writer uses it, a parent or a child of it, until it is released. */
export interface Reservation {
  readonly refused?: never;
  release(): Promise<void>;
}

/** What an acceptance depends on. */
export interface AcceptConditions {
  /** Queries that the cluster may run at a time. */
  readonly slots: number;
  /** The generation of the cluster that has checked the submission. */
  readonly generation: number;
  /** The caller's reservation of the output folder, which the query takes over. @default none */
  readonly reservation?: Reservation;
  /** The run whose OpenLineage events are to be sent. @default none are */
  readonly lineageRun?: NewLineageRun | undefined;
}

/** An accepted query, which this process runs, or the reason why nothing was stored. */
export type Acceptance =
  | { readonly refused?: never; readonly query: StoredQuery }
  | { readonly refused: "slots"; readonly running: number }
  /** The cluster was restarted since the submission was checked. */
  | { readonly refused: "restarted" }
  | Overlap;

/** The result of a restart: the queries that it cancels, or those that forbid it. */
export type RestartResult =
  | { readonly refused: true; readonly running: readonly number[] }
  | { readonly refused?: never; readonly cancelled: readonly number[]; readonly cluster: ClusterState };

/** Receives what another process, or the loss of a lease, changes for this one. */
export interface StateListener {
  /** A query of this process is cancelled: its attempt ends, and stores that. */
  cancelled(id: number): void;
  /** An attempt of this process is no longer its query's last one: it ends, and stores nothing. */
  lost(attempt: QueryAttempt): void;
  /** There may be queries that no process runs. */
  orphaned(): void;
  /** A cluster was restarted, possibly by this process. */
  restarted(name: string, cluster: ClusterState): void;
}

export interface State {
  /** What attempts have written to S3. */
  readonly attempts: AttemptRecords;
  /** The jobs on servers that no attempt goes on with. */
  readonly jobsToEnd: JobsToEnd;
  /** What finished queries read. */
  readonly reads: ReadRecords;
  /** The runs whose OpenLineage events are to be sent. */
  readonly lineageRuns: LineageRuns;

  /** Registers who is told of changes by other processes. Called once, before all methods that change something. */
  listen(listener: StateListener): void;

  /** Stores a new running query, whose first attempt this process runs, if the conditions hold. */
  accept(submission: AcceptedQuery, conditions: AcceptConditions): Promise<Acceptance>;
  query(id: number): Promise<StoredQuery | undefined>;
  queries(filter: QueryFilter): Promise<ListedQuery[]>;
  /** Returns the IDs of the running queries of a cluster, or of all clusters, oldest first. */
  running(clusterName?: string): Promise<number[]>;

  /** Takes over the running queries that no process runs, oldest first: begins an attempt of each. */
  takeOver(): Promise<StoredQuery[]>;
  /** Reports the progress of an attempt. It is not durable before the query ends. */
  progress(attempt: QueryAttempt, progress: QueryProgress): void;
  /**
   * Stores what a later attempt needs to go on with the job of this one. An earlier job of the query is one to end.
   * @returns false when the attempt is not the query's last one: nothing is stored
   */
  setEngineHandle(attempt: QueryAttempt, handle: string): Promise<boolean>;
  /**
   * Stores that the result of an attempt is complete: the next attempt publishes it and does not run the query again.
   * @returns `cancelled` when the query was cancelled before, `lost` when the attempt is not the last one.
   */
  markPublishing(attempt: QueryAttempt, result: CompleteResult): Promise<"marked" | "cancelled" | "lost">;
  /**
   * Returns true when the attempt is the query's last one, and will be for {@link confirmedMilliseconds} from the call:
   * the code that runs in this time, or in the same turn as the answer, may change what only the last attempt may change.
   */
  confirm(attempt: QueryAttempt): Promise<boolean>;
  /**
   * Stores the end of a query; if it is not `finished`, its job on a server is one to end.
   * @param failure why it has failed, if it has
   * @returns false when it has ended before, or when the attempt is not the last one
   */
  end(
    attempt: QueryAttempt,
    status: Exclude<QueryStatus, "running">,
    progress: QueryProgress,
    change?: CatalogChange,
    failure?: string,
  ): Promise<boolean>;
  /**
   * Cancels a running query: its result will not be published. The process that runs it is told.
   * @returns false when it has ended or is being published
   */
  cancel(id: number): Promise<boolean>;
  /**
   * Waits until a cancelled query has ended; one that does not end in time is ended here.
   * @returns its status; undefined when it does not exist any more
   */
  cancelled(id: number): Promise<QueryStatus | undefined>;

  /** Reserves a folder for a writer that is not a query. */
  reserve(folder: Location, owner: string): Promise<Reservation | Overlap>;
  /** Begins a log export of a cluster; undefined while one runs. */
  beginExport(clusterName: string): Promise<Reservation | undefined>;

  /** Returns up to `limit` queries with greater IDs than `after`, oldest first. */
  kept(after: number, limit: number): Promise<KeptQuery[]>;
  /** Deletes the queries that do not run, what they read, and their publications unless they are the last ones to their folders. */
  remove(ids: readonly number[]): Promise<void>;
  /** Size of the state, in bytes. */
  bytes(): Promise<number>;
  /** Runs work that only one process does at a time; does nothing while another process does it. */
  exclusively(work: () => Promise<void>): Promise<void>;

  table(database: string, table: string): Promise<WrittenTable | undefined>;
  /** Returns the tables that splits wrote, in the order of their databases and names. */
  tables(page: TablePage): Promise<WrittenTable[]>;
  /**
   * Returns the last publication to the folder, and to each folder in it, in the order of the folders.
   * @param newest the number of publications that are returned at most, the last one first. @default all
   */
  published(folder: Location, newest?: number): Promise<PublishedFolder[]>;
  /**
   * Returns the first publication that wrote this content, and the first one of each other type, format and columns, in
   * the order of their queries. At most 100.
   */
  publishedAs(content: string): Promise<PublishedFolder[]>;

  /**
   * Registers a cluster. Returns the settings of its last restart, or the configured ones when the config has changed
   * since.
   */
  registerCluster(name: string, configured: ClusterSettings): Promise<ClusterState>;
  /**
   * Stores new settings, marks all earlier queries of the cluster as rebooted, and cancels those that run.
   * @param force false to refuse when queries run.
   */
  restartCluster(name: string, settings: ClusterSettings, force: boolean): Promise<RestartResult>;

  /** Returns why the state can store nothing until an operator acts; undefined as far as is known. */
  problem(): string | undefined;
  /** Says that the process stops: steps of its queries that wait for the state give up soon. */
  stopping(): void;
  /** Deletes queries, catalog and restarts. IDs are not reused. */
  reset(): Promise<void>;
  /** Ends the access. Other processes may take over at once what this one ran. */
  close(): Promise<void>;
}
