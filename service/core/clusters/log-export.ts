/** The operation exportClusterLog (specification §4.11). */
import { createGzip } from "node:zlib";
import { asFolder, errors, formatLocation, parseLocation, type Location, type RequestBody } from "../../../contract";
import type { Cluster } from "./cluster";
import { exportProblem, manifestIn } from "./export-target";
import type { LogFile } from "../ports/platform";
import { createBucket } from "../queries/missing-bucket";
import { describeOverlap } from "../queries/reservations";
import { findCluster, type ServiceContext } from "../service-context";

/** Content of `manifest.json`, which is written beside the exported files. */
export interface Manifest {
  readonly clusterName: string;
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly exportedAt: string;
  readonly compress: boolean;
  /** The exported files; `bytes` is the size before compression. */
  readonly files: readonly { readonly location: string; readonly bytes: number }[];
}

/**
 * Copies the current content of the cluster's log files to the folder, then writes `manifest.json`. Returns when
 * everything is written. A cluster runs one export at a time.
 */
export async function exportClusterLog(
  context: ServiceContext,
  name: string,
  body: RequestBody<"exportClusterLog">,
): Promise<void> {
  const target = asFolder(parseLocation(body.outputLogPath));
  const field = "outputLogPath";
  const cluster = findCluster(context, name);
  cluster.requireStatus("inspect");
  const claim = await context.state.admission.beginExport(name);
  if (!claim) throw alreadyRunningError(cluster);
  const running = Promise.withResolvers<void>();
  cluster.exporting = running.promise;
  try {
    if (!(await context.storage.bucketExists(target.bucket))) {
      throw new errors.InvalidOutputResourcePath(
        `outputLogPath names the bucket "${target.bucket}", which does not exist: ${createBucket}`,
        { field },
      );
    }
    const blocking = await context.platform.outputs.blockingObject(target);
    const unusable = (why: string) =>
      new errors.InvalidOutputResourcePath(`outputLogPath "${body.outputLogPath}" cannot be used: ${why}`, { field });
    if (blocking) throw unusable(`${formatLocation(blocking)} is an object`);
    const reservation = await context.state.admission.reserve(target, `the log export of cluster "${name}"`);
    if (reservation.refused) throw unusable(describeOverlap(reservation));
    try {
      const problem = await exportProblem(context, target);
      if (problem !== undefined) throw unusable(problem);
      await writeExport(context, cluster, target, body.compress ?? false);
    } finally {
      await reservation.release();
    }
  } finally {
    cluster.exporting = undefined;
    running.resolve();
    await claim.release();
  }
}

async function writeExport(
  context: ServiceContext,
  cluster: Cluster,
  target: Location,
  compress: boolean,
): Promise<void> {
  const { logs, clock } = context.platform;
  const locationOf = (name: string): Location => ({ bucket: target.bucket, key: `${target.key}${name}` });
  const manifest: Manifest = {
    clusterName: cluster.name,
    type: cluster.settings.type,
    exportedAt: new Date(clock.now()).toISOString(),
    compress,
    files: [],
  };
  const files = [...manifest.files];
  for (const file of await logs.list(cluster.name)) {
    const location = locationOf(compress ? `${file.name}.gz` : file.name);
    await context.storage.write(location, contents(file, compress));
    files.push({ location: formatLocation(location), bytes: file.size });
  }
  await context.storage.write(manifestIn(target), `${JSON.stringify({ ...manifest, files }, undefined, 2)}\n`);
  logs.cluster(cluster.name, `log exported to ${formatLocation(target)}: ${files.length} files`);
}

function contents(file: LogFile, compress: boolean) {
  const raw = file.open();
  if (!compress) return raw;
  const gzip = createGzip();
  raw.once("error", (error) => gzip.destroy(error));
  return raw.pipe(gzip);
}

function alreadyRunningError({ name }: Cluster) {
  return new errors.ExportLogIsAlreadyRunning(
    `a log export is already running on cluster "${name}": try again when it has ended`,
    {
      field: "clusterName",
    },
  );
}
