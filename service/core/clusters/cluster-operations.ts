/** The operations restartCluster, listClusters, getCluster and getClusterStatistics (specification §4.7 to §4.10). */
import {
  defaults,
  errors,
  type ClusterPage,
  type ClusterRecord,
  type ClusterStatistics,
  type RequestBody,
  type RequestParameters,
} from "../../../contract";
import type { ClusterState } from "../ports/state";
import { findCluster, type ServiceContext } from "../service-context";
import type { Cluster } from "./cluster";

/**
 * Restarts the cluster's engine. Returns when the restart has begun and the status is `restarting`. Earlier queries are
 * marked as rebooted and their logs are deleted (specification §4.7).
 */
export async function restartCluster(
  context: ServiceContext,
  name: string,
  body: RequestBody<"restartCluster">,
): Promise<void> {
  const { force, type, debug } = body;
  const cluster = findCluster(context, name);
  cluster.requireStatus("restart");
  if (type && !context.families.has(type)) {
    throw new errors.InvalidClusterType(
      `the cluster type "${type}" is not supported by this service: use ${[...context.families.keys()].join(" or ")}`,
      {
        field: "type",
      },
    );
  }
  const settings = { type: type ?? cluster.settings.type, debug: debug ?? cluster.settings.debug };
  const restarted = await context.state.admission.restartCluster(name, settings, force ?? false);
  if (restarted.refused) {
    const ids = restarted.running.join(", ");
    throw new errors.QueryIsRunning(
      `cluster "${name}" is running the queries ${ids}: wait until they end, cancel them, or restart with force`,
      { field: "force" },
    );
  }
  const cancelled = Promise.all(restarted.cancelled.map((id) => context.executions.finishCancel(id)));
  beginRestart(cluster, restarted.cluster, cancelled);
  await cancelled;
  context.platform.logs.dropQueries(name);
}

/** Restarts the engine of this process when the queries that were cancelled and a log export have ended. */
export function beginRestart(cluster: Cluster, settings: ClusterState, cancelled: Promise<unknown>): void {
  // It never rejects: a cluster to which another process's signal has reported the restart before ignores it.
  cluster.restart(settings, Promise.allSettled([cancelled, cluster.exporting]));
}

/** Returns a page of clusters (specification §4.8). */
export function listClusters(context: ServiceContext, parameters: RequestParameters<"listClusters">): ClusterPage {
  const {
    max = defaults.max,
    marker,
    status,
    type,
    clusterName,
    clusterNamePrefix = "",
    order = defaults.order,
  } = parameters;
  const found = [...context.clusters.values()]
    .map((cluster) => cluster.record())
    .filter(
      (cluster) =>
        (status === undefined || status.includes(cluster.status)) &&
        (type === undefined || type === "" || cluster.type === type) &&
        (clusterName === undefined || cluster.name === clusterName) &&
        cluster.name.startsWith(clusterNamePrefix),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1) * (order === "asc" ? 1 : -1))
    .filter(({ name }) => marker === undefined || (order === "asc" ? name > marker : name < marker));
  const clusters = found.slice(0, max);
  const isTruncated = found.length > max;
  return { ...(isTruncated ? { nextMarker: clusters.at(-1)!.name } : {}), isTruncated, clusters };
}

/** Returns one cluster (specification §4.9). */
export function getCluster(context: ServiceContext, name: string): ClusterRecord {
  return findCluster(context, name).record();
}

/**
 * Returns the disk usage of a cluster in bytes (specification §4.10). All clusters share one storage, which is divided
 * evenly between a cluster's instances: `used` and `dfsUsed` count the objects of all buckets, `nonDfsUsed` counts all
 * other files of the file system, `capacity` is its size.
 */
export async function getClusterStatistics(context: ServiceContext, name: string): Promise<ClusterStatistics> {
  const cluster = findCluster(context, name);
  cluster.requireStatus("inspect");
  const { objects, other, capacity } = await context.platform.diskUsage();
  const grades = cluster.instances.flatMap(({ grade, quantity }) => Array.from({ length: quantity }, () => grade));
  const share = (bytes: number, index: number) =>
    Math.floor(bytes / grades.length) + (index < bytes % grades.length ? 1 : 0);
  return {
    name,
    type: cluster.settings.type,
    disk: { used: objects, capacity },
    instances: grades.map((grade, index) => ({
      instanceId: index + 1,
      grade,
      disk: { dfsUsed: share(objects, index), nonDfsUsed: share(other, index), capacity: share(capacity, index) },
    })),
  };
}
