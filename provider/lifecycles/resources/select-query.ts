/** SelectQuery: runs a HiveQL statement and stores its result. */
import * as z from "zod";
import { fields, type SelectRecord } from "../../../contract";
import { checkStatement } from "../../../hiveql/syntax";
import { freshnessInputs, withFreshnessDifferences } from "../freshness/differences";
import {
  checkedState,
  expectationInput,
  expectationOutput,
  expectationProblems,
  requireExpected,
  type Result,
} from "../freshness/expectation";
import {
  followedObjectsOutputs,
  followedPart,
  followedState,
  observeInputs,
  rerunOnInputChangeInput,
  takeFingerprint,
  type FollowedObjects,
  type InputSource,
} from "../freshness/follow-inputs";
import { objectsInFolders } from "../freshness/input-objects";
import { generationFor, isFollowed, tableName, tablesRead, type TableName } from "../freshness/program-tables";
import { resultColumns } from "../freshness/result-columns";
import { checkProperties, hasUnknown } from "../schema/check";
import { clusterCoordinator } from "../queries/cluster-coordinator";
import { startDeadline, type Deadline } from "../deadline";
import { diffProperties } from "../schema/diff";
import { describeError } from "../describe-error";
import { fetchLog } from "../queries/query-failure";
import { parseQueryId } from "../query-id";
import type { CheckFailure, CheckOptions, Lifecycle, LifecycleContext } from "../lifecycle";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import * as common from "../queries/query-resource";
import {
  readFirstRows,
  folderText,
  hasObjects,
  listObjects,
  maxRows,
  resultSchema,
  type QueryResult,
} from "../queries/results";
import { redacted } from "../redaction";
import { checkQuery } from "../queries/statement";
import { submitOnce } from "../queries/submission";
import { labelProblem, maxLabelLength, userLabel, submittedLabel } from "../queries/submission-token";
import { waitForEnd } from "../queries/waiting";

const rowsRule = `it must be a whole number from 0 to ${maxRows}`;

const inputs = {
  clusterName: required(fields.clusterName),
  query: required(fields.query),
  outputResourcePath: required(fields.outputResourcePath),
  outputFormat: optional(fields.outputFormat, { fallback: "csv" }),
  label: optional(fields.label, {
    description: `Label of the query, at most ${maxLabelLength} characters, because \`#\` and a token of 12 characters are added.`,
  }),
  ...common.commonInputs,
  resultRows: optional(z.int({ error: rowsRule }).min(0, rowsRule).max(maxRows, rowsRule), {
    change: "update",
    fallback: 0,
    description: `Number of the result's first rows to store in \`result.rows\`, 0 to ${maxRows}. Requires \`dag:storage\`. Default 0.`,
  }),
  rerunWithTables: optional(z.boolean({ error: "it must be true or false" }), {
    change: "update",
    fallback: true,
    description:
      "Set to `false` to keep the result when a table that the query reads was made anew by a SplitTable or a SelectQuery " +
      "of the program. By default the query runs again. Default `true`.",
  }),
  rerunOnInputChange: rerunOnInputChangeInput(
    "Set to `true` to run the query again when the objects changed of a table that it reads and that no resource of the " +
      "program makes: `pulumi refresh` and `pulumi up --refresh` compare their names, sizes and etags (times of " +
      "modification for files). Requires `dag:storage`. Default `false`.",
  ),
  ...expectationInput,
  ...freshnessInputs,
};

const outputs = {
  ...common.commonOutputs,
  stage: always(z.int(), "Number of the last stage that ran."),
  location: always(z.string(), "Folder of the result, ending in `/`.", { quotesInputs: true, fromInputs: true }),
  log: sometimes(
    z.string(),
    "Last 64 KiB of the log, stored when the query finished, because a restart of the cluster deletes the log.",
    {
      quotesInputs: true,
    },
  ),
  result: sometimes(resultSchema, "Objects of the result and its first rows. Requires `dag:storage`.", {
    quotesInputs: true,
  }),
  ...followedObjectsOutputs,
  ...expectationOutput,
};

export type SelectQueryInputs = InputsOf<typeof inputs>;
export type SelectQueryState = OutputsOf<typeof outputs>;

/**
 * Runs a HiveQL statement and stores its result. A changed input runs it again, after the old query is cancelled, so
 * that two queries never write to the same folder at the same time.
 */
export const selectQuery: Lifecycle<SelectQueryInputs, SelectQueryState> = {
  name: "SelectQuery",
  description:
    "Runs a HiveQL SELECT on a cluster and writes the result to `outputResourcePath`. The resource is created when the " +
    "query has finished. A query that fails or is cancelled fails the deployment.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("SelectQuery", inputs, given, options.secret);
    if (failures.length > 0) return { inputs: checked, failures, warnings: [] };
    // The statement of an existing resource was checked before; its tables matter when the program makes one of them.
    const statement = isKnown(checked, options) ? uncheckedStatement : checkQuery(checked, options.secret);
    return {
      inputs: withFreshness(checked, statement.tables, options),
      failures: [...statement.failures, ...checkRules(checked, options)],
      warnings: statement.warnings,
    };
  },

  async preflight({ outputResourcePath }, { storage, warn, secret }, isReplacement) {
    if (!storage || isReplacement || hasUnknown(outputResourcePath)) return {};
    const folder = redacted(outputResourcePath, { secret });
    try {
      if (!(await hasObjects(storage, outputResourcePath))) return {};
      warn(`${folder} contains objects: they are deleted when the query's result is complete`);
      return { deletes: folder };
    } catch (error) {
      const reason = secret ? "" : `: ${describeError(error)}`;
      warn(`cannot check whether ${folder} contains objects, which would be deleted${reason}`);
      return {};
    }
  },

  diff(old, news) {
    // Unknown while a table that it names is made anew, which does not concern a result that is kept.
    const query = news.rerunWithTables === false && hasUnknown(news.query) ? old.inputs.query : news.query;
    const diff = diffProperties(
      inputs,
      old.inputs,
      { ...news, query },
      {
        deleteBeforeReplace: true,
        same: (name, before, after) =>
          name === "outputResourcePath" && folderText(`${before}`) === folderText(`${after}`),
      },
    );
    const found = common.withStatusDifference(diff, old.state?.status, old.state?.recordExpired);
    return withFreshnessDifferences(found, old, news, (index) => tableName(checkStatement(news.query).tables[index]!));
  },

  outputsFromInputs: ({ outputResourcePath }) => ({ location: folderText(outputResourcePath) }),

  async create(news, context) {
    const deadline = startDeadline(context);
    const followed = news.rerunOnInputChange ? await takeFingerprint(objectsOf(news), context) : {};
    const { queryId, adopted } = await submitOnce(submissionRequest(news, followed, context), deadline, context);
    const record = await waitForQueryEnd(queryId, news, followed, deadline, context);
    const finished = await common.requireFinished(record, "select", context);
    const state = await collectResultOrKeep(finished, news, followed, context);
    await requireExpected(news.expect, expectedResult(finished.id, news, context), state, context);
    return { id: String(queryId), state, adopted };
  },

  async read(id, stored, context) {
    const queryId = parseQueryId("SelectQuery", id);
    const found = await common.readUnlessExpired(id, stored, context, async () => {
      const record = await context.client.getQuery({ queryId }, { signal: context.signal });
      if (record.type !== "select")
        throw new Error(`query ${id} is a ${record.type}, not a select: use a SplitTable for it`);
      if (!stored) {
        const given = inputsFromRecord(record);
        return { id, inputs: given, state: await collectResult(record, given, context) };
      }
      const { recordExpired: _expired, ...kept } = stored.state;
      const finishedSince = stored.state.status === "running" && record.status === "finished";
      const news = finishedSince ? await collectResult(record, stored.inputs, context) : stateOf(record);
      const { inputs: given } = stored;
      const state = { ...kept, ...news };
      const checked = finishedSince
        ? await checkedState(given.expect, expectedResult(record.id, given, context), state, context)
        : state;
      return { id, inputs: given, state: checked };
    });
    if (!found || !stored?.inputs.rerunOnInputChange || found.state.status !== "finished") return found;
    return { ...found, state: await observeInputs(found.state, objectsOf(stored.inputs), context) };
  },

  async update(id, old, news, context) {
    const state = old.state;
    if (state.status !== "running") {
      const result = await resultOf(news, context, state.result);
      const followed = await followedState(news.rerunOnInputChange, state, objectsOf(news), context);
      const updated = { ...followed, ...(result && { result }) };
      await requireExpected(news.expect, expectedResult(Number(id), news, context), updated, context);
      return updated;
    }
    const record = await waitForQueryEnd(Number(id), news, state, startDeadline(context), context);
    const finished = await common
      .requireFinished(record, "select", context)
      .catch((error: unknown) => common.throwQueryFailed(id, { ...state, ...common.recordState(record) }, error));
    const collected = await collectResultOrKeep(finished, news, followedPart(state), context);
    await requireExpected(news.expect, expectedResult(finished.id, news, context), collected, context);
    return collected;
  },

  async delete(id, { inputs: olds, state }, context) {
    clusterCoordinator(context.client, olds.clusterName).relinquished.add(Number(id));
    if (state.status === "running") await common.cancelAndWait(Number(id), olds.clusterName, context);
    if (olds.deletionPolicy === "purge") await common.purgeFolder(olds.outputResourcePath, context);
  },
};

/** Returns true when a check of the same statement passed, and no resource of the program makes a table that it reads. */
function isKnown(news: SelectQueryInputs, { olds, programTables }: CheckOptions): boolean {
  const before = olds as Partial<SelectQueryInputs> | undefined;
  const isSame = before?.query === news.query && before.outputResourcePath === news.outputResourcePath;
  return isSame && programTables !== undefined && !hasUnknown(news.query) && !programTables.mayBeReadBy(news.query);
}

const uncheckedStatement = { failures: [], warnings: [], tables: undefined };

/** Adds the hidden inputs, and the folder of the result to the tables of the program. */
function withFreshness(
  news: SelectQueryInputs,
  read: readonly TableName[] | undefined,
  options: CheckOptions,
): SelectQueryInputs {
  const { olds, programTables } = options;
  const generation = generationFor(options);
  // A result that is kept also keeps what it was made of, so that it can follow its tables again later.
  const tables = tablesRead(olds && news.rerunWithTables === false ? undefined : read, options);
  if (programTables && !hasUnknown(news.outputResourcePath)) {
    const columns = () =>
      hasUnknown(news.query) ? undefined : resultColumns(news.query, (table) => programTables.get(table)?.columns());
    programTables.add(news.outputResourcePath, { generation, columns });
  }
  return { ...news, ...(tables && { tables }), ...(generation !== undefined && { _: generation }) };
}

/** Returns the objects of the tables that no resource of the program makes, for their fingerprint. */
function objectsOf({ query, tables }: SelectQueryInputs): InputSource {
  const others = checkStatement(query).tables.filter((_table, index) => !isFollowed(index, tables));
  const folders = others.map(({ database, table }) => `dag://${database}/${table}/`);
  return (storage, missing) => objectsInFolders(storage, folders, missing);
}

/** Describes the result for the check of an expectation. */
function expectedResult(
  queryId: number,
  { query, outputResourcePath, outputFormat, expect }: SelectQueryInputs,
  { programTables }: LifecycleContext,
): Result {
  return {
    queryId,
    folder: folderText(outputResourcePath),
    format: outputFormat ?? "csv",
    columns: expect?.columns && resultColumns(query, (table) => programTables?.get(table)?.columns()),
    mayHaveHeader: false,
  };
}

function checkRules(news: SelectQueryInputs, { storage, submissionToken }: CheckOptions): CheckFailure[] {
  const found: CheckFailure[] = expectationProblems(news.expect, { storage });
  if (!storage && news.rerunOnInputChange === true) {
    const reason = `rerunOnInputChange needs access to the object storage: ${common.storageRemedy}, or remove rerunOnInputChange`;
    found.push({ property: "rerunOnInputChange", reason });
  }
  const purgeReason = common.purgeProblem(news.deletionPolicy, storage);
  if (purgeReason !== undefined) found.push({ property: "deletionPolicy", reason: purgeReason });
  if (!storage && !hasUnknown(news.resultRows) && (news.resultRows ?? 0) > 0) {
    const reason = `resultRows ${news.resultRows} needs access to the object storage: ${common.storageRemedy}, or remove resultRows`;
    found.push({ property: "resultRows", reason });
  }
  if (submissionToken && !hasUnknown(news.label) && (news.label?.length ?? 0) > maxLabelLength) {
    found.push({ property: "label", reason: labelProblem(news.label!) });
  }
  return found;
}

function submissionRequest(news: SelectQueryInputs, { inputFingerprint }: FollowedObjects, context: LifecycleContext) {
  const { clusterName, query, outputResourcePath, outputFormat, label, triggers, tables } = news;
  const location = folderText(outputResourcePath);
  // A query that reads an earlier generation of a table, or earlier objects, is another query.
  const read = { tables, inputFingerprint };
  const same = { clusterName, query, location, outputFormat: outputFormat ?? "csv", label, triggers, ...read };
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

function waitForQueryEnd(
  queryId: number,
  { clusterName, outputResourcePath }: SelectQueryInputs,
  followed: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
) {
  const location = folderText(outputResourcePath);
  return waitForEnd<SelectQueryState>(
    {
      queryId,
      clusterName,
      partial: (seen) => ({
        ...(seen ? common.recordState(seen) : common.initialState(queryId)),
        stage: seen?.type === "select" ? seen.stage : 0,
        location,
        ...followedPart(followed),
      }),
    },
    deadline,
    context,
  );
}

function stateOf(record: SelectRecord) {
  return { ...common.recordState(record), stage: record.stage, location: folderText(record.outputResourcePath) };
}

async function collectResult(
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

/** Collects the result. If it cannot be read, stores the finished query, and the next update reads the result again. */
async function collectResultOrKeep(
  record: SelectRecord,
  news: SelectQueryInputs,
  followed: FollowedObjects,
  context: LifecycleContext,
): Promise<SelectQueryState> {
  try {
    return { ...(await collectResult(record, news, context)), ...followed };
  } catch (error) {
    return common.throwResultUnavailable(String(record.id), { ...stateOf(record), ...followed }, error);
  }
}

/** Returns the result's objects and first rows. Does not list the objects again when `storedResult` is set. */
async function resultOf(
  { outputResourcePath, outputFormat, resultRows = 0 }: SelectQueryInputs,
  { storage }: LifecycleContext,
  storedResult?: QueryResult,
): Promise<QueryResult | undefined> {
  if (!storage) return undefined;
  const list = storedResult ?? (await listObjects(storage, outputResourcePath));
  const { rows: _rows, ...objects } = list as QueryResult;
  if (resultRows === 0) return objects;
  return { ...objects, rows: await readFirstRows(storage, objects.objects, outputFormat ?? "csv", resultRows) };
}

function inputsFromRecord(record: SelectRecord): SelectQueryInputs {
  const { clusterName, query, outputResourcePath, outputFormat, label } = record;
  const labelOfUser = userLabel(label);
  return {
    clusterName,
    query,
    outputResourcePath,
    outputFormat,
    ...(labelOfUser !== undefined && { label: labelOfUser }),
  };
}
