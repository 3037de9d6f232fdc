/** ClusterLogExport: a cluster's log files, put into storage once (specification §4.11). */
import * as z from "zod";
import { errors, fields } from "../../../contract";
import { isTransient, mayHaveBeenCarriedOut } from "../../client";
import { checkProperties } from "../schema/check";
import { clusterCoordinator } from "../queries/cluster-coordinator";
import { clusterReady } from "../queries/cluster-ready";
import { deadlineOf } from "../deadline";
import { diffProperties } from "../schema/diff";
import { explain } from "../explanation";
import type { Lifecycle, LifecycleContext } from "../lifecycle";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import { shown } from "../secrecy";
import { folderText, listObjects, objectsSchema } from "../queries/results";

const inputs = {
  clusterName: required(fields.clusterName),
  outputLogPath: required(fields.outputLogPath),
  compress: optional(fields.compress, { fallback: false }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of texts: whenever it changes, the logs are exported again.",
  }),
};

const outputs = {
  location: always(z.string(), "Folder of the log files, ending in `/`.", { derived: true, named: true }),
  exportedAt: always(z.string(), "When the export ended, ISO 8601, UTC."),
  result: sometimes(objectsSchema, "Objects under `location` after the export; only where `dag:storage` is set.", {
    derived: true,
  }),
};

export type ClusterLogExportInputs = InputsOf<typeof inputs>;
export type ClusterLogExportState = OutputsOf<typeof outputs>;

/** Exports a cluster's log files; a changed input exports them again. What was exported stays. */
export const clusterLogExport: Lifecycle<ClusterLogExportInputs, ClusterLogExportState> = {
  name: "ClusterLogExport",
  description:
    "Exports a cluster's log files to storage (specification §4.11). One export runs at a time on a cluster: others wait " +
    "their turn. The files stay when the resource is deleted.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("ClusterLogExport", inputs, given, options.secret);
    return { inputs: checked, failures, warnings: [] };
  },

  diff(old, news) {
    return diffProperties(inputs, old.inputs, news, {
      deleteBeforeReplace: false,
      same: (name, before, after) => name === "outputLogPath" && folderText(`${before}`) === folderText(`${after}`),
    });
  },

  named: ({ outputLogPath }) => ({ location: folderText(outputLogPath) }),

  async create(news, context) {
    await exportInTurn(news, context);
    const exportedAt = new Date(context.now()).toISOString();
    const result = await arrived(news, context);
    context.report(`exported · ${shown(folderText(news.outputLogPath), context)}`);
    const id = `${news.clusterName}/${folderText(news.outputLogPath)}`;
    return { id, state: { location: folderText(news.outputLogPath), exportedAt, ...result } };
  },

  async read(id, known, context) {
    if (known) return { id, ...known };
    const found = inputsOf(id);
    try {
      await context.client.getCluster({ clusterName: found.clusterName }, { signal: context.signal });
    } catch (error) {
      if (error instanceof errors.ClusterNotFound) return undefined;
      throw error;
    }
    return {
      id,
      inputs: found,
      state: { location: folderText(found.outputLogPath), exportedAt: "", ...(await arrived(found, context)) },
    };
  },

  update(_id, { state }) {
    return Promise.resolve(state);
  },

  delete(_id, { state }, context) {
    context.info(`the exported log files stay under ${shown(state.location, context)}`);
    return Promise.resolve();
  },
};

/** The inputs that an id names. */
function inputsOf(id: string): ClusterLogExportInputs {
  const [, clusterName, outputLogPath] = /^([^/]+)\/(dag:\/\/.+)$/.exec(id) ?? [];
  const { inputs: found, failures } = checkProperties(
    "ClusterLogExport",
    inputs,
    { clusterName, outputLogPath },
    false,
  );
  if (failures.length === 0) return found;
  const why = clusterName === undefined ? "" : `: ${failures.map(({ reason }) => reason).join("; ")}`;
  throw new Error(
    `the id of a ClusterLogExport is <clusterName>/<outputLogPath>, such as demo/dag://logs/demo/, not "${id}"${why}`,
  );
}

/** How often an export is asked for again whose answer was lost or was an error of the service's own. */
const mostLost = 8;

async function exportInTurn(
  { clusterName, outputLogPath, compress }: ClusterLogExportInputs,
  context: LifecycleContext,
): Promise<void> {
  const deadline = deadlineOf(context);
  const { exports } = clusterCoordinator(context.client, clusterName);
  let lost = 0;
  const request = { clusterName, outputLogPath, compress };
  const attempt = async () => {
    for (;;) {
      context.report(`[1/2] exporting the logs of cluster ${clusterName}`);
      try {
        return await context.client.exportClusterLog(request, { signal: context.signal, timeout: deadline.timer() });
      } catch (error) {
        if (!(error instanceof errors.InvalidClusterState)) throw error;
        await clusterReady({ clusterName, work: "log exports", step: "[1/2]" }, error, deadline, context);
      }
    }
  };
  await exports.take(attempt, {
    isFull: (error) => {
      if (error instanceof errors.ExportLogIsAlreadyRunning) return true;
      // An export whose answer was lost may go on; the next waits its turn and writes the same files.
      return isTransient(error) && mayHaveBeenCarriedOut(error) && ++lost < mostLost;
    },
    waiting: (ahead) =>
      context.report(`[1/2] waiting for another log export of cluster ${clusterName} (${ahead} ahead)`),
    otherwise: `the logs of cluster "${clusterName}" were not exported, since others did not end`,
    signal: context.signal,
    deadline,
    clock: context,
  });
  exports.released();
}

async function arrived({ outputLogPath }: ClusterLogExportInputs, { storage, report, warn }: LifecycleContext) {
  if (!storage) return {};
  report("[2/2] listing the exported log files");
  try {
    return { result: await listObjects(storage, outputLogPath) };
  } catch (error) {
    warn(`the exported log files cannot be listed: ${explain(error)}`);
    return {};
  }
}
