/** ClusterLogExport: exports a cluster's log files to storage once. */
import * as z from "zod";
import { errors, fields } from "../../../contract";
import { warnOfMissingBucket } from "../adoption/replaceable";
import { isTransient, mayHaveBeenCarriedOut } from "../../client";
import { checkProperties } from "../schema/check";
import { clusterCoordinator } from "../clusters/cluster-coordinator";
import { waitForClusterReady } from "../clusters/cluster-ready";
import { startDeadline } from "../deadline";
import { diffProperties } from "../schema/diff";
import { describeError } from "../describe-error";
import type { Lifecycle, LifecycleContext } from "../lifecycle";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import { redacted, redactedError } from "../redaction";
import { folderText, listObjects, objectsSchema } from "../queries/results";

const inputs = {
  clusterName: required(fields.clusterName),
  outputLogPath: required(fields.outputLogPath),
  compress: optional(fields.compress, { fallback: false }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of strings. The logs are exported again when the value changes.",
  }),
};

const outputs = {
  location: always(z.string(), "Folder of the log files, ending in `/`.", { quotesInputs: true, fromInputs: true }),
  exportedAt: always(z.string(), "Time at which the export ended, in ISO 8601, UTC; empty after an import."),
  result: sometimes(objectsSchema, "Objects in `location` after the export. Requires `dag:storage`.", {
    quotesInputs: true,
  }),
};

export type ClusterLogExportInputs = InputsOf<typeof inputs>;
export type ClusterLogExportState = OutputsOf<typeof outputs>;

/** Exports a cluster's log files. A changed input exports them again. Exported files are never deleted. */
export const clusterLogExport: Lifecycle<ClusterLogExportInputs, ClusterLogExportState> = {
  name: "ClusterLogExport",
  description:
    "Exports a cluster's log files to storage. A cluster runs one export at a time; further exports wait. The files are " +
    "kept when the resource is deleted. A refresh does not look at them: `result` lists what was there after the export, also when files " +
    "were deleted since; change a value in `triggers` to export again. The id of the resource has `clusterName` and `outputLogPath` in plain text, also when " +
    "they are secret.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("ClusterLogExport", inputs, given, options.secret);
    return { inputs: checked, failures, warnings: [] };
  },

  async preflight(news, context) {
    await warnOfMissingBucket(news, context);
    return {};
  },

  diff(old, news) {
    return diffProperties(inputs, old.inputs, news, {
      deleteBeforeReplace: false,
      same: (name, before, after) =>
        name === "outputLogPath"
          ? folderText(`${before}`) === folderText(`${after}`)
          : // An import does not know it.
            name === "compress" && old.inputs.compress === undefined && old.state?.exportedAt === "",
    });
  },

  outputsFromInputs: ({ outputLogPath }) => ({ location: folderText(outputLogPath) }),

  async create(news, context) {
    await exportInTurn(news, context);
    const exportedAt = new Date(context.now()).toISOString();
    const result = await listExportedFiles(news, context);
    context.report(`exported · ${redacted(folderText(news.outputLogPath), context)}`);
    const id = `${news.clusterName}/${folderText(news.outputLogPath)}`;
    return { id, state: { location: folderText(news.outputLogPath), exportedAt, ...result } };
  },

  async read(id, stored, context) {
    if (stored) return { id, ...stored };
    const found = inputsFromId(id);
    try {
      await context.client.getCluster({ clusterName: found.clusterName }, { signal: context.signal });
    } catch (error) {
      if (error instanceof errors.ClusterNotFound) return undefined;
      throw error;
    }
    const listed = await listExportedFiles(found, context);
    // An export has at least its manifest.
    if (listed.result?.objects.length === 0) return undefined;
    return { id, inputs: found, state: { location: folderText(found.outputLogPath), exportedAt: "", ...listed } };
  },

  update(_id, { state }) {
    return Promise.resolve(state);
  },

  delete(_id, { state }, context) {
    context.info(`the exported log files are kept in ${redacted(state.location, context)}`);
    return Promise.resolve();
  },
};

/** Returns the inputs that an id contains. */
function inputsFromId(id: string): ClusterLogExportInputs {
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
    `the id "${id}" of a ClusterLogExport is not valid${why}; ` +
      `it must be <clusterName>/<outputLogPath>, such as demo/dag://logs/demo/`,
  );
}

/** Maximum number of attempts of an export whose response was lost or was a failure inside the service. */
const maxLostResponses = 8;

async function exportInTurn(
  { clusterName, outputLogPath, compress }: ClusterLogExportInputs,
  context: LifecycleContext,
): Promise<void> {
  const deadline = startDeadline(context);
  const { logExports } = clusterCoordinator(context.client, clusterName);
  const name = redacted(clusterName, context);
  let lost = 0;
  const request = { clusterName, outputLogPath, compress };
  const attempt = async () => {
    for (;;) {
      context.report(`[1/2] exporting the logs of cluster ${name}`);
      try {
        return await context.client.exportClusterLog(request, {
          signal: context.signal,
          timeout: deadline.remainingForTimer(),
        });
      } catch (error) {
        if (!(error instanceof errors.InvalidClusterState)) throw error;
        await waitForClusterReady({ clusterName, work: "log exports", step: "[1/2]" }, error, deadline, context);
      }
    }
  };
  await logExports.run(attempt, {
    isFull: (error) => {
      if (error instanceof errors.ExportLogIsAlreadyRunning) return true;
      // An export with a lost response may still be running. The next attempt waits for it and writes the same files.
      return isTransient(error) && mayHaveBeenCarriedOut(error) && ++lost < maxLostResponses;
    },
    onWaiting: (ahead) => context.report(`[1/2] waiting for another log export of cluster ${name} (${ahead} ahead)`),
    failureMessage: `the logs of cluster "${name}" were not exported, because other exports did not end`,
    signal: context.signal,
    deadline,
    clock: context,
  });
  logExports.release();
}

async function listExportedFiles({ outputLogPath }: ClusterLogExportInputs, context: LifecycleContext) {
  const { storage, report, warn } = context;
  if (!storage) return {};
  report("[2/2] listing the exported log files");
  try {
    return { result: await listObjects(storage, outputLogPath) };
  } catch (error) {
    warn(`cannot list the exported log files: ${describeError(redactedError(error, context))}`);
    return {};
  }
}
