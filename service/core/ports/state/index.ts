/**
 * The persistent state, one port for each that needs it, implemented by `state/sqlite` for one service process and by
 * `state/postgres` for several. Every change is durable when the promise of its method resolves.
 */
import type { JobsToEnd } from "../jobs-to-end";
import type { LineageRuns } from "../lineage-runs";
import type { ReadRecords } from "../read-records";
import type { Admission } from "./admission";
import type { AttemptSteps } from "./attempts";
import type { CatalogRecords } from "./catalog";
import type { Leases } from "./leases";
import type { QueryRecords } from "./queries";
import type { RetentionRecords } from "./retention";

export type { PublishedFolder } from "../published-folder";
export type * from "./admission";
export * from "./attempts";
export type * from "./catalog";
export type * from "./leases";
export type * from "./queries";
export type * from "./retention";

export interface State {
  readonly queries: QueryRecords;
  readonly admission: Admission;
  readonly attempts: AttemptSteps;
  readonly leases: Leases;
  readonly catalog: CatalogRecords;
  readonly retention: RetentionRecords;
  /** What finished queries read. */
  readonly reads: ReadRecords;
  /** The runs whose OpenLineage events are to be sent. */
  readonly lineageRuns: LineageRuns;
  /** The jobs on servers that no attempt resumes. */
  readonly jobsToEnd: JobsToEnd;

  /** Returns why the state can store nothing now; undefined as far as is known. */
  problem(): string | undefined;
  /** Deletes queries, catalog and restarts. IDs are not reused. */
  reset(): Promise<void>;
  /** Ends the access. Other processes may take over at once what this one ran. */
  close(): Promise<void>;
}
