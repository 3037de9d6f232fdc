/** The dependencies of the operations, created once by `core/service.ts`. */
import { errors, type ParentRun } from "../../contract";
import type { Cluster } from "./clusters/cluster";
import type { EngineFamily } from "./ports/engine";
import type { QueryContext } from "./queries/query-context";
import type { Executions } from "./queries/executions";
import type { SubmissionLimits } from "./queries/submission-limits";

export interface ServiceContext extends QueryContext {
  readonly families: ReadonlyMap<string, EngineFamily>;
  readonly executions: Executions;
  readonly submissionLimits: SubmissionLimits;
}

/** The authenticated caller of an operation. */
export interface Caller {
  readonly accessKeyId: string;
  /** Returns a signal that is aborted when the caller closes its connection before it has the answer. */
  readonly signal: () => AbortSignal;
  /** Returns the run that the request says it belongs to, for OpenLineage; undefined when it says none. */
  readonly parentRun?: () => ParentRun | undefined;
}

/** Returns the cluster with this name. @throws ClusterNotFound */
export function findCluster({ clusters }: Pick<ServiceContext, "clusters">, name: string): Cluster {
  const cluster = clusters.get(name);
  if (cluster) return cluster;
  throw new errors.ClusterNotFound(
    `cluster "${name}" does not exist: this service has the clusters ${[...clusters.keys()].join(", ")}`,
    { field: "clusterName" },
  );
}
