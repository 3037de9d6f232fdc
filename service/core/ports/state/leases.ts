/** Which process runs which query: takeovers, and what one process must know of the others. */
import type { ClusterState } from "./admission";
import type { QueryAttempt } from "./attempts";
import type { StoredQuery } from "./queries";

/** Receives what another process, or the loss of a lease, changes for this one. */
export interface StateListener {
  /** A query of this process is cancelled: its attempt ends, and stores that. */
  cancelled(id: number): void;
  /** An attempt of this process is no longer its query's last one: it ends, and stores nothing. */
  lost(attempt: QueryAttempt): void;
  /** This process has begun an attempt of a query that no process ran. */
  takenOver(query: StoredQuery): void;
  /** Queries that no process runs could not be taken over. It is tried again. */
  takeoverFailed(error: unknown): void;
  /** A cluster was restarted, possibly by this process. */
  restarted(name: string, cluster: ClusterState): void;
}

export interface Leases {
  /** Registers who is notified of changes by other processes. Called once, before all methods that change something. */
  listen(listener: StateListener): void;
  /**
   * Takes over the running queries that no process runs, oldest first: begins an attempt of each and returns it. Later
   * ones are taken over without a call, and given to the listener.
   */
  takeOver(): Promise<StoredQuery[]>;
  /** Says that the process stops: it takes nothing over, and steps of its queries that wait for the state give up soon. */
  beginShutdown(): void;
}
