/** Waits for a cluster that temporarily rejects work, for example during a restart. */
import { allowedClusterStatuses, type ClusterStatus } from "../../../contract";
import { waitUntil } from "../../client";
import { clientClock, type Deadline } from "../deadline";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";

/** The work that needs the cluster. */
export interface ClusterWork {
  readonly clusterName: string;
  /** Name of the work, such as `queries`. */
  readonly work: string;
  /** Step of the operation that waits, such as `[1/3]`. */
  readonly step: string;
}

/** Statuses in which a cluster accepts queries and log exports. */
const acceptingStatuses: ReadonlySet<ClusterStatus> = new Set(allowedClusterStatuses.submit);
/** Statuses from which a cluster recovers by itself. */
const recoveringStatuses: ReadonlySet<ClusterStatus> = new Set(["init", "starting", "restarting", "failed"]);
/** Time in which a failed cluster must recover by itself, in milliseconds. */
const failedGrace = 30_000;

/**
 * Resolves when the cluster accepts work.
 * @param rejection error with which the cluster rejected the work; thrown when the cluster does not recover by itself.
 * @throws {WaitError} at the deadline or when the signal is aborted.
 */
export async function waitForClusterReady(
  { clusterName, work, step }: ClusterWork,
  rejection: Error,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<void> {
  const name = redacted(clusterName, context);
  let failedSince: number | undefined;
  await waitUntil({
    what: `cluster "${name}" to accept ${work}`,
    look: async (signal) => (await context.client.getCluster({ clusterName }, { signal })).status,
    until: (status) => {
      failedSince = status === "failed" ? (failedSince ?? context.now()) : undefined;
      const notRecovered = failedSince !== undefined && context.now() - failedSince > failedGrace;
      if (notRecovered || !(acceptingStatuses.has(status) || recoveringStatuses.has(status))) throw rejection;
      return acceptingStatuses.has(status);
    },
    observed: (status) => context.report(`${step} waiting for cluster ${name} (${status})`),
    describe: (status) => status,
    timeout: deadline.remaining(),
    signal: context.signal,
    clock: clientClock(context),
  });
}
