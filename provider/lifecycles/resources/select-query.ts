/** SelectQuery: a HiveQL statement and its result (specification §4.1). */
import * as z from "zod";
import { fields, type SelectRecord } from "../../../contract";
import { checkProperties, hasUnknown } from "../schema/check";
import { clusterCoordinator } from "../queries/cluster-coordinator";
import { deadlineOf, type Deadline } from "../deadline";
import { diffProperties } from "../schema/diff";
import { explain } from "../explanation";
import { fetchLog } from "../queries/failure";
import { queryIdOf } from "../ids";
import type { CheckFailure, CheckOptions, Lifecycle, LifecycleContext } from "../lifecycle";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import * as common from "../queries/query-resource";
import { firstRows, folderText, holdsObjects, listObjects, mostRows, resultSchema, type QueryResult } from "../queries/results";
import { shown } from "../secrecy";
import { checkQuery } from "../queries/statement";
import { submitOnce } from "../queries/submission";
import { labelProblem, longestLabel, ownLabel, submittedLabel } from "../queries/token";
import { waitForEnd } from "../queries/waiting";

const rowsRule = `it must be a whole number from 0 to ${mostRows}`;

const inputs = {
  clusterName: required(fields.clusterName),
  query: required(fields.query),
  outputResourcePath: required(fields.outputResourcePath),
  outputFormat: optional(fields.outputFormat, { fallback: "csv" }),
  label: optional(fields.label, {
    description: `Label of the query, at most ${longestLabel} characters: \`#\` and a token of 12 are added (specification §2.1).`,
  }),
  ...common.commonInputs,
  resultRows: optional(z.int({ error: rowsRule }).min(0, rowsRule).max(mostRows, rowsRule), {
    change: "update",
    fallback: 0,
    description: `How many of the result's first rows are kept in \`result.rows\`, 0 to ${mostRows}; needs \`dag:storage\`. Default 0.`,
  }),
};

const outputs = {
  ...common.commonOutputs,
  stage: always(z.int(), "Number of the stage that ran last (specification §2.1)."),
  location: always(z.string(), "Folder of the result, ending in `/`.", { derived: true, named: true }),
  log: sometimes(
    z.string(),
    "The log's last 64 KiB, taken when the query finished: a restart of the cluster destroys it (specification §4.6).",
    {
      derived: true,
    },
  ),
  result: sometimes(resultSchema, "Objects of the result and its first rows; only where `dag:storage` is set.", {
    derived: true,
  }),
};

export type SelectQueryInputs = InputsOf<typeof inputs>;
export type SelectQueryState = OutputsOf<typeof outputs>;

/**
 * Runs a HiveQL statement and keeps what became of it. A changed input runs it anew, after the old query is
 * cancelled, so that the two never write to one place at once.
 */
export const selectQuery: Lifecycle<SelectQueryInputs, SelectQueryState> = {
  name: "SelectQuery",
  description:
    "Runs a HiveQL SELECT on a cluster and writes the result to `outputResourcePath` (specification §4.1). Resolves when " +
    "the query has finished; a query that fails or is cancelled fails the deployment.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("SelectQuery", inputs, given, options.secret);
    if (failures.length > 0) return { inputs: checked, failures, warnings: [] };
    const statement = checkQuery(checked, options.secret);
    return {
      inputs: checked,
      failures: [...statement.failures, ...ownRules(checked, options)],
      warnings: statement.warnings,
    };
  },

  async preflight({ outputResourcePath }, { storage, warn, secret }) {
    if (!storage || hasUnknown(outputResourcePath)) return;
    const folder = shown(outputResourcePath, { secret });
    try {
      if (!(await holdsObjects(storage, outputResourcePath))) return;
      warn(`${folder} holds objects: they are deleted when the query's result is complete`);
    } catch (error) {
      const reason = secret ? "" : `: ${explain(error)}`;
      warn(`it is not known whether ${folder} holds objects, which would be deleted${reason}`);
    }
  },

  diff(old, news) {
    const diff = diffProperties(inputs, old.inputs, news, {
      deleteBeforeReplace: true,
      same: (name, before, after) =>
        name === "outputResourcePath" && folderText(`${before}`) === folderText(`${after}`),
    });
    return common.withStatus(diff, old.state?.status, old.state?.recordExpired);
  },

  named: ({ outputResourcePath }) => ({ location: folderText(outputResourcePath) }),

  async create(news, context) {
    const deadline = deadlineOf(context);
    const { queryId } = await submitOnce(submission(news, context), deadline, context);
    const record = await common.finishedOrFailure(await ended(queryId, news, deadline, context), "select", context);
    return { id: String(queryId), state: await completeOrKeep(record, news, context) };
  },

  async read(id, known, context) {
    const queryId = queryIdOf("SelectQuery", id);
    return common.unlessExpired(id, known, context, async () => {
      const record = await context.client.getQuery({ queryId }, { signal: context.signal });
      if (record.type !== "select") throw new Error(`query ${id} is a ${record.type}: it belongs to a SplitTable`);
      if (!known) {
        const found = inputsOf(record);
        return { id, inputs: found, state: await complete(record, found, context) };
      }
      const { recordExpired: _gone, ...kept } = known.state;
      const finishedSince = known.state.status === "running" && record.status === "finished";
      const news = finishedSince ? await complete(record, known.inputs, context) : stateOf(record);
      return { id, inputs: known.inputs, state: { ...kept, ...news } };
    });
  },

  async update(id, old, news, context) {
    const state = old.state;
    if (state.status !== "running") {
      const result = await resultOf(news, context, state.result);
      return { ...state, ...(result && { result }) };
    }
    const record = await ended(Number(id), news, deadlineOf(context), context);
    const finished = await common
      .finishedOrFailure(record, "select", context)
      .catch((error: unknown) => common.failedLater(id, { ...state, ...common.recordState(record) }, error));
    return completeOrKeep(finished, news, context);
  },

  async delete(id, { inputs: olds, state }, context) {
    clusterCoordinator(context.client, olds.clusterName).relinquished.add(Number(id));
    if (state.status === "running") await common.endQuery(Number(id), olds.clusterName, context);
    if (olds.deletionPolicy === "purge") await common.purgeFolder(olds.outputResourcePath, context);
  },
};

function ownRules(news: SelectQueryInputs, { storage, submissionToken }: CheckOptions): CheckFailure[] {
  const found: CheckFailure[] = [];
  const purging = common.purgeProblem(news.deletionPolicy, storage);
  if (purging !== undefined) found.push({ property: "deletionPolicy", reason: purging });
  if (!storage && !hasUnknown(news.resultRows) && (news.resultRows ?? 0) > 0) {
    const reason = `resultRows ${news.resultRows} needs access to the objects: ${common.storageRemedy}, or leave resultRows out`;
    found.push({ property: "resultRows", reason });
  }
  if (submissionToken && !hasUnknown(news.label) && (news.label?.length ?? 0) > longestLabel) {
    found.push({ property: "label", reason: labelProblem(news.label!) });
  }
  return found;
}

function submission(news: SelectQueryInputs, context: LifecycleContext) {
  const { clusterName, query, outputResourcePath, outputFormat, label, triggers } = news;
  const location = folderText(outputResourcePath);
  const same = { clusterName, query, location, outputFormat: outputFormat ?? "csv", label, triggers };
  const submitted = context.submissionToken ? submittedLabel(label, { urn: context.urn, inputs: same }) : label;
  return {
    clusterName,
    label: submitted,
    send: (signal: AbortSignal) =>
      context.client.submitSelect(
        { clusterName, query, outputResourcePath, outputFormat, label: submitted },
        { signal },
      ),
  };
}

function ended(
  queryId: number,
  { clusterName, outputResourcePath }: SelectQueryInputs,
  deadline: Deadline,
  context: LifecycleContext,
) {
  const location = folderText(outputResourcePath);
  return waitForEnd<SelectQueryState>(
    {
      queryId,
      clusterName,
      partial: (seen) => ({
        ...(seen ? common.recordState(seen) : common.unseenState(queryId)),
        stage: seen?.type === "select" ? seen.stage : 0,
        location,
      }),
    },
    deadline,
    context,
  );
}

function stateOf(record: SelectRecord) {
  return { ...common.recordState(record), stage: record.stage, location: folderText(record.outputResourcePath) };
}

async function complete(
  record: SelectRecord,
  news: SelectQueryInputs,
  context: LifecycleContext,
): Promise<SelectQueryState> {
  context.report(`[3/3] collecting the result of query ${record.id}`);
  const log = await fetchLog(record.id, context);
  const result = record.status === "finished" ? await resultOf(news, context) : undefined;
  context.report(`${record.status} · query ${record.id}`);
  return { ...stateOf(record), ...(log !== undefined && { log }), ...(result && { result }) };
}

/** The same; where the result cannot be looked at, the finished query is kept and the next update looks again. */
async function completeOrKeep(record: SelectRecord, news: SelectQueryInputs, context: LifecycleContext) {
  try {
    return await complete(record, news, context);
  } catch (error) {
    return common.keepFinished(String(record.id), stateOf(record), error);
  }
}

/** The result's objects and first rows, of those known already where they are given. */
async function resultOf(
  { outputResourcePath, outputFormat, resultRows = 0 }: SelectQueryInputs,
  { storage }: LifecycleContext,
  known?: QueryResult,
): Promise<QueryResult | undefined> {
  if (!storage) return undefined;
  const list = known ?? (await listObjects(storage, outputResourcePath));
  const { rows: _known, ...objects } = list as QueryResult;
  if (resultRows === 0) return objects;
  return { ...objects, rows: await firstRows(storage, objects.objects, outputFormat ?? "csv", resultRows) };
}

function inputsOf(record: SelectRecord): SelectQueryInputs {
  const { clusterName, query, outputResourcePath, outputFormat, label } = record;
  const own = ownLabel(label);
  return {
    clusterName,
    query,
    outputResourcePath,
    outputFormat,
    ...(own !== undefined && { label: own }),
  };
}
