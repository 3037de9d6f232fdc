/** exportClusterLog (specification §4.11). */
import { createGzip } from "node:zlib";
import { asFolder, errors, formatLocation, parseLocation, type Location, type RequestBody } from "../../../contract";
import type { Cluster } from "./cluster";
import type { LogFile } from "../ports/platform";
import { describeReservation } from "../queries/reservations";
import { findCluster, type ServiceContext } from "../service-context";

/** What `manifest.json` beside the exported files says. */
export interface Manifest {
  readonly clusterName: string;
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly exportedAt: string;
  readonly compress: boolean;
  /** Every exported file; `bytes` are those before compression. */
  readonly files: readonly { readonly location: string; readonly bytes: number }[];
}

/**
 * Copies the cluster's log files, as they are at this moment, to the folder, and then a `manifest.json` that lists
 * them. Returns when everything is written. One at a time runs on a cluster.
 */
export async function exportClusterLog(
  context: ServiceContext,
  name: string,
  body: RequestBody<"exportClusterLog">,
): Promise<void> {
  const target = asFolder(parseLocation(body.outputLogPath));
  const field = "outputLogPath";
  const cluster = findCluster(context, name);
  cluster.require("inspect");
  if (cluster.exporting) throw alreadyRunning(cluster);
  // Taken before the first wait, so that a second export cannot come between.
  const export_ = Promise.withResolvers<void>();
  cluster.exporting = export_.promise;
  try {
    if (!(await context.storage.bucketExists(target.bucket))) {
      throw new errors.InvalidOutputResourcePath(
        `outputLogPath names the bucket "${target.bucket}", which does not exist`,
        { field },
      );
    }
    const obstacle = await context.platform.outputs.obstacle(target);
    const held = context.reservations.holder(target);
    if (obstacle || held) {
      const why = obstacle ? `${formatLocation(obstacle)} is an object` : describeReservation(held!);
      throw new errors.InvalidOutputResourcePath(`outputLogPath "${body.outputLogPath}" cannot be used: ${why}`, {
        field,
      });
    }
    const reservation = context.reservations.take(target, `the log export of cluster "${name}"`);
    try {
      await write(context, cluster, target, body.compress ?? false);
    } finally {
      reservation.release();
    }
  } finally {
    cluster.exporting = undefined;
    export_.resolve();
  }
}

async function write(context: ServiceContext, cluster: Cluster, target: Location, compress: boolean): Promise<void> {
  const { logs, clock } = context.platform;
  const at = (name: string): Location => ({ bucket: target.bucket, key: `${target.key}${name}` });
  const manifest: Manifest = {
    clusterName: cluster.name,
    type: cluster.settings.type,
    exportedAt: new Date(clock.now()).toISOString(),
    compress,
    files: [],
  };
  const files = [...manifest.files];
  for (const file of await logs.list(cluster.name)) {
    const location = at(compress ? `${file.name}.gz` : file.name);
    await context.storage.write(location, contents(file, compress));
    files.push({ location: formatLocation(location), bytes: file.size });
  }
  await context.storage.write(at("manifest.json"), `${JSON.stringify({ ...manifest, files }, undefined, 2)}\n`);
  logs.cluster(cluster.name, `log exported to ${formatLocation(target)}: ${files.length} files`);
}

function contents(file: LogFile, compress: boolean) {
  const raw = file.open();
  if (!compress) return raw;
  const gzip = createGzip();
  raw.once("error", (error) => gzip.destroy(error));
  return raw.pipe(gzip);
}

function alreadyRunning({ name }: Cluster) {
  return new errors.ExportLogIsAlreadyRunning(
    `a log export already runs on cluster "${name}": try again when it has ended`,
    {
      field: "clusterName",
    },
  );
}
