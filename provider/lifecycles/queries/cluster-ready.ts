/** Waits for a cluster that refuses work now and is about to take it again, as while it restarts. */
import { allowedClusterStatuses, type ClusterStatus } from "../../../contract";
import { waitUntil } from "../../client";
import { waitClock, type Deadline } from "../deadline";
import type { LifecycleContext } from "../lifecycle";

/** What the cluster is waited for. */
export interface ClusterWork {
  readonly clusterName: string;
  /** What it is to take, such as `queries`. */
  readonly work: string;
  /** Which step of the resource's the wait is part of, such as `[1/3]`. */
  readonly step: string;
}

/** Statuses in which a cluster takes queries and log exports. */
const accepting: ReadonlySet<ClusterStatus> = new Set(allowedClusterStatuses.submit);
/** Statuses from which a cluster comes to take work by itself. */
const coming: ReadonlySet<ClusterStatus> = new Set(["init", "starting", "restarting", "failed"]);
/** How long a failed cluster may take to come back by itself, in milliseconds. */
const failedGrace = 30_000;

/**
 * Resolves when the cluster takes work.
 * @param refusal how it refused work; thrown where it will not come to take any by itself.
 * @throws {WaitError} at the deadline and at the signal.
 */
export async function clusterReady(
  { clusterName, work, step }: ClusterWork,
  refusal: Error,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<void> {
  let failedSince: number | undefined;
  await waitUntil({
    what: `cluster "${clusterName}" to take ${work}`,
    look: async (signal) => (await context.client.getCluster({ clusterName }, { signal })).status,
    until: (status) => {
      failedSince = status === "failed" ? (failedSince ?? context.now()) : undefined;
      const gone = failedSince !== undefined && context.now() - failedSince > failedGrace;
      if (gone || !(accepting.has(status) || coming.has(status))) throw refusal;
      return accepting.has(status);
    },
    observed: (status) => context.report(`${step} waiting for cluster ${clusterName} (${status})`),
    describe: (status) => status,
    timeout: deadline.left(),
    signal: context.signal,
    clock: waitClock(context),
  });
}
