/**
 * What may begin: acceptances, cancels, reservations, log exports and restarts of clusters. Each method checks and changes
 * in one step: no other call, of this process or of another, comes in between.
 */
import type { Location, QueryStatus } from "../../../../contract";
import type { NewLineageRun } from "../lineage-runs";
import type { AcceptedQuery, StoredQuery } from "./queries";

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

export interface Admission {
  /** Stores a new running query, whose first attempt this process runs, if the conditions hold. */
  accept(submission: AcceptedQuery, conditions: AcceptConditions): Promise<Acceptance>;
  /**
   * Cancels a running query: its result will not be published. The process that runs it is notified.
   * @returns false when it has ended or is being published
   */
  cancel(id: number): Promise<boolean>;
  /**
   * Waits until a cancelled query has ended; one that does not end in time is ended here.
   * @returns its status; undefined when it does not exist any more
   */
  waitForCancelEnd(id: number): Promise<QueryStatus | undefined>;
  /** Reserves a folder for a writer that is not a query. */
  reserve(folder: Location, owner: string): Promise<Reservation | Overlap>;
  /** Begins a log export of a cluster; undefined while one runs. */
  beginExport(clusterName: string): Promise<Reservation | undefined>;
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
}
