/**
 * The outbox of OpenLineage: the runs of queries whose events are still to be sent. A run is stored with the acceptance of
 * its query, in one step, and is deleted when the event of its end has been received.
 */
import type { Location, ParentRun } from "../../../contract";

/** What is known of a run when its query is accepted. */
export interface NewLineageRun {
  /** The folders of the tables, views and objects that the query names, also through views. */
  readonly inputs: readonly Location[];
  readonly parent: ParentRun | null;
}

/** A run of which an event is to be sent. */
export interface LineageRun extends NewLineageRun {
  readonly queryId: number;
  /** True when the event of its start has been received. */
  readonly isStarted: boolean;
  /** Why the query has failed; null when it has not. */
  readonly failure: string | null;
}

/** The outbox, to which {@link Admission.accept} and {@link AttemptSteps.end} write. */
export interface LineageRuns {
  /** Returns the oldest runs that have an event to send: their start, or the end of a query that does not run any more. */
  waiting(limit: number): Promise<LineageRun[]>;
  /** Returns the number of all runs. */
  count(): Promise<number>;
  /** Stores that the start of a run has been received. */
  setStarted(queryId: number): Promise<void>;
  remove(queryId: number): Promise<void>;
  /** Deletes all but the newest runs. @returns how many were deleted */
  keepNewest(limit: number): Promise<number>;
  /** Runs a task that only one process runs at a time; does nothing while another process runs it. */
  exclusively(task: () => Promise<void>): Promise<void>;
}
