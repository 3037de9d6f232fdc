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
      const compress = body.compress ?? false;
      const files = (await context.platform.logs.list(name)).map((file) => ({
        file,
        location: { bucket: target.bucket, key: `${target.key}${file.name}${compress ? ".gz" : ""}` },
      }));
      const problem = await exportProblem(
        context,
        target,
        files.map(({ location }) => location),
      );
      if (problem !== undefined) throw unusable(problem);
      await writeExport(context, cluster, { target, files, compress });
    } finally {
      await reservation.release();
    }
  } finally {
    cluster.exporting = undefined;
    running.resolve();
    await claim.release();
  }
}

/** What is exported, and where. */
interface Export {
  readonly target: Location;
  readonly files: readonly { readonly file: LogFile; readonly location: Location }[];
  readonly compress: boolean;
}

/** Writes the files, then the manifest. What a first export to the folder has written goes when it fails. */
async function writeExport(
  { platform: { logs, clock }, storage }: ServiceContext,
  { name: clusterName, settings: { type } }: Cluster,
  { target, files, compress }: Export,
): Promise<void> {
  const isFirst = (await storage.head(manifestIn(target))) === undefined;
  const manifest: Manifest = {
    clusterName,
    type,
    exportedAt: new Date(clock.now()).toISOString(),
    compress,
    files: files.map(({ file, location }) => ({ location: formatLocation(location), bytes: file.size })),
  };
  try {
    for (const { file, location } of files) await storage.write(location, contents(file, compress));
    await storage.write(manifestIn(target), `${JSON.stringify(manifest, undefined, 2)}\n`);
  } catch (error) {
    // Without a manifest, the next export would take them for the files of others.
    if (isFirst) await Promise.allSettled(files.map(({ location }) => storage.delete(location)));
    throw error;
  }
  logs.cluster(clusterName, `log exported to ${formatLocation(target)}: ${files.length} files`);
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
