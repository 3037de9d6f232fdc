/** SelectQuery: runs a HiveQL statement and stores its result. */
import * as z from "zod";
import { fields, type QuerySummary, type SelectRecord } from "../../../contract";
import { selectInputsOf } from "../adoption/imported-inputs";
import { requireOwnObjects } from "../adoption/imported-objects";
import { checkTables } from "../columns/preview-check";
import { warnOfViews } from "../columns/view-tables";
import { startDeadline, type Deadline } from "../deadline";
import { freshnessInputs, withFreshnessDifferences } from "../freshness/differences";
import {
  checkedState,
  expectationInput,
  expectationOutput,
  expectedColumnsProblem,
  isOtherExpectation,
  requireExpected,
} from "../freshness/expectation";
import {
  followedObjectsOutputs,
  followedPart,
  followedState,
  observeInputs,
  rerunOnInputChangeInput,
  takeFingerprint,
  type FollowedObjects,
} from "../freshness/follow-inputs";
import { objectsInFolders, type InputSource } from "../freshness/input-objects";
import { generationFor, identityOf, isFollowed, tablesRead } from "../freshness/generations";
import { isOverwritten, purgeLeft, purgeOrLeave } from "../freshness/left-objects";
import { requireReplaceable } from "../adoption/replaceable";
import { tableName, type TableName } from "../freshness/program-tables";
import { noteReader } from "../freshness/readers";
import { columnsMade } from "../freshness/result-columns";
import type { CheckFailure, CheckOptions, Lifecycle, LifecycleContext, ReadResult, StoredResource } from "../lifecycle";
import { relinquish } from "../queries/cancel";
import { warnOfOthersResults } from "../queries/kept-inputs";
import { readUnlessExpired } from "../queries/expired-record";
import { cancelOrphans, withOrphans } from "../queries/orphans";
import { parentRunOf } from "../queries/parent-run";
import {
  deletedByReplacement,
  isGone,
  keptByReplacement,
  requirePublished,
  warnOfOthers,
  whyOthers,
} from "../queries/published-objects";
import type { Published } from "../queries/purge";
import { commonProblems } from "../queries/checks/query-checks";
import { fetchLog, requireFinished, throwResultUnavailable } from "../queries/query-failure";
import {
  commonInputs,
  commonOutputs,
  hasFinishedSince,
  isUnread,
  recordOf,
  recordState,
  refreshedState,
  unfinishedState,
  withStatusDifference,
} from "../queries/query-resource";
import { policyAtDelete } from "../freshness/replaced-policy";
import { requestSizeProblems } from "../queries/checks/request-size";
import { needsRows, resultRowsInput, resultRowsProblems } from "../queries/checks/result-rows";
import { folderText, readResult, resultSchema, resultTexts } from "../queries/results";
import { requireServiceStorage, storageFailures, withServiceStorage } from "../queries/service-storage";
import { checkQuery, isSameQuery, readStatement } from "../queries/statement";
import { submitOnce, type Submitted } from "../queries/submission";
import { submittedLabel } from "../queries/submission-token";
import { nestedProblem, objectsToDelete } from "../queries/table-guard";
import { waitForEnd } from "../queries/waiting";
import { checkProperties, hasUnknown } from "../schema/check";
import { diffProperties } from "../schema/diff";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";

const inputs = {
  clusterName: required(fields.clusterName),
  query: required(fields.query),
  outputResourcePath: required(fields.outputResourcePath, {
    description:
      "Folder `dag://<bucket>/<path>` that receives the result. The earlier objects of the folder are deleted when the result is complete. With `dag:storage` and dag-service, objects that are not the result of a select are refused in a new folder, and named before they are deleted in the query's own.",
  }),
  outputFormat: optional(fields.outputFormat, { fallback: "csv" }),
  ...commonInputs,
  ...resultRowsInput,
  rerunWithTables: optional(z.boolean({ error: "it must be true or false" }), {
    change: "update",
    fallback: true,
    description:
      "Set to `false` to keep the result when a table that the query reads was rebuilt by a SplitTable or a SelectQuery " +
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
  ...commonOutputs,
  stage: always(z.int(), "Number of the last stage that ran."),
  location: always(z.string(), "Folder of the result, ending in `/`.", { quotesInputs: true, fromInputs: true }),
  log: sometimes(
    z.string(),
    "The last whole lines of the log, at most 64 KiB, stored when the query finished, because a restart of the cluster deletes the log.",
    { quotesInputs: true },
  ),
  result: sometimes(resultSchema, resultTexts.query, { quotesInputs: true }),
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
    const { inputs: news, failures } = checkProperties("SelectQuery", inputs, given, options.secret);
    // Before the statement is read, which takes long for one of this size.
    const found = failures.length > 0 ? failures : requestSizeProblems(news, options);
    if (found.length > 0) return { inputs: news, failures: found, warnings: [] };
    const statement = checkQuery(news, options);
    return {
      inputs: withGenerations(news, statement.tables, options),
      failures: [...statement.failures, ...ruleProblems(news, options)],
      warnings: statement.warnings,
    };
  },

  async preflight(news, context) {
    const failures = hasUnknown(news.outputResourcePath) ? [] : await storageFailures(folderOf(news), context);
    if (!hasUnknown([news.query, news.clusterName])) failures.push(...(await checkTables(news, context)));
    if (failures.length === 0 && !hasUnknown(news.query)) {
      await warnOfOthersResults(news.query, context);
      await warnOfViews(news.query, context);
    }
    if (failures.length > 0 || hasUnknown(news.outputResourcePath)) return { failures };
    const folder = folderOf(news);
    if (context.ownFolder === folder) return {};
    const nested = nestedProblem(folder, news.deletionPolicy, context);
    return nested === undefined ? objectsToDelete(folder, context) : { failures: [nested] };
  },

  diff(old, news) {
    // Unknown while a table that it names is rebuilt, which does not concern a result that is kept.
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
    const found = withStatusDifference(diff, old.state?.status);
    return withFreshnessDifferences(found, old, news, (index) => tableName(readStatement(news.query).tables[index]!));
  },

  outputsFromInputs: (given) => ({ location: folderOf(given) }),

  async create(news, context) {
    const deadline = startDeadline(context);
    // The query deletes what is there.
    await requireServiceStorage(folderOf(news), context);
    const followed = news.rerunOnInputChange ? await takeFingerprint(objectsRead(news), context) : {};
    const { queryId, adopted } = await submit(news, followed, deadline, context);
    context.programTables?.hold(folderOf(news), adopted);
    const state = await complete(queryId, news, followed, undefined, deadline, context);
    await purgeLeft(context, folderOf(news), false);
    return { id: String(queryId), state, adopted };
  },

  async read(id, stored, given) {
    const context = await withServiceStorage(stored?.state.location, given);
    if (stored && isUnread(stored.state, given, context)) return { id, ...stored };
    const found = await readUnlessExpired("result", id, stored, context, () => readSelect(id, stored, context));
    if (!found || !stored) return found;
    const { deletionPolicy, rerunOnInputChange } = stored.inputs;
    const now = { inputs: stored.inputs, state: found.state };
    await warnOfOthers(publishedBy(id, now), now.state.status, deletionPolicy, context);
    const source = objectsRead(now.inputs);
    return { ...found, state: await observeInputs(rerunOnInputChange, now.state, source, context) };
  },

  async update(id, old, news, context) {
    const { state } = old;
    if (state.status === "running") {
      return complete(Number(id), news, followedPart(state), state, startDeadline(context), context);
    }
    const published = publishedBy(id, old);
    await cancelOrphans(published, "outputResourcePath", context);
    const isChecked = isOtherExpectation(news.expect, old.inputs.expect);
    const isNeeded = isChecked || needsRows(news.resultRows, old.inputs.resultRows, state.result);
    if (isNeeded) await requirePublished(published, "outputResourcePath", context);
    const followed = await followedState(news.rerunOnInputChange, state, objectsRead(news), context);
    const isKept = !isNeeded && (state.result ? news.resultRows : await whyOthers(published, context));
    if (isKept) return followed;
    const result = await readResult(context.storage, news, followed.result);
    const updated = { ...followed, ...(result && { result }) };
    if (isChecked) await requireAsExpected(Number(id), news, updated, context);
    return updated;
  },

  async delete(id, old, context) {
    // If the new query fails, the old result is still there.
    const isKept = isOverwritten(publishedBy(id, old), context);
    const isPurge = !isKept && policyAtDelete(Number(id), old.inputs, context) === "purge";
    // Also where nothing is purged: the state keeps the result, instead of a replacement that cannot be made.
    await requireReplaceable(publishedBy(id, old), context);
    await relinquish(id, old, context);
    if (isPurge) await purgeOrLeave(publishedBy(id, old), context, true);
  },

  withObserved: (id, old, diff, context) => withOrphans(diff, old.state.status, publishedBy(id, old), context),

  async othersObjects(id, old, news, context) {
    const policy = policyAtDelete(Number(id), old.inputs, context);
    const isOverwrittenNext = !hasUnknown(news.outputResourcePath) && folderOf(news) === folderOf(old.inputs);
    if (!isOverwrittenNext) return keptByReplacement(publishedBy(id, old), policy, context);
    return deletedByReplacement(publishedBy(id, old), { policy, status: old.state.status }, context);
  },
};

type Stored = StoredResource<SelectQueryInputs, SelectQueryState>;

/** Returns the folder of the result. */
function folderOf({ outputResourcePath }: SelectQueryInputs): string {
  return folderText(outputResourcePath);
}

/** Adds the hidden inputs, and the folder of the result to the tables of the program. */
function withGenerations(
  news: SelectQueryInputs,
  read: readonly TableName[] | undefined,
  options: CheckOptions,
): SelectQueryInputs {
  const { urn, programTables } = options;
  const { query, outputResourcePath, rerunWithTables } = news;
  const olds = options.olds as SelectQueryInputs | undefined;
  noteReader(news, olds, read, options);
  const generation = generationFor(options);
  // A result that is kept also keeps what it was made of, so that it can follow its tables again later.
  const tables = tablesRead(olds && rerunWithTables === false ? undefined : read, options);
  if (programTables && !hasUnknown(outputResourcePath)) {
    const columns = () => (hasUnknown(query) ? undefined : columnsMade(query, programTables));
    // One whose folder changes is replaced.
    const exists = olds?.outputResourcePath !== undefined && folderOf(olds) === folderOf(news);
    programTables.add(outputResourcePath, { urn, generation, exists, columns, mayBeDeclared: true });
  }
  return { ...news, ...(tables && { tables }), ...(generation !== undefined && { generation }) };
}

function ruleProblems(news: SelectQueryInputs, options: CheckOptions): CheckFailure[] {
  const found = commonProblems(news, options);
  // A result that is kept has the columns that its tables had.
  const isKept = news.rerunWithTables === false && isSameQuery(news, options);
  const isKnown = news.expect !== undefined && !hasUnknown(news.query) && !isKept;
  const columns = isKnown ? columnsMade(news.query, options.programTables) : undefined;
  found.push(...expectedColumnsProblem(news.expect, columns, options.secret));
  return [...found, ...resultRowsProblems(news, options)];
}

/** Returns the objects of the tables that no resource of the program makes. */
function objectsRead({ query, tables }: SelectQueryInputs): InputSource {
  return (storage, missing) => {
    const others = readStatement(query).tables.filter((_table, index) => !isFollowed(index, tables));
    const folders = others.map(({ database, table }) => `dag://${database}/${table}/`);
    return objectsInFolders(storage, folders, missing);
  };
}

/** Submits the query, or finds an identical one that runs. */
function submit(
  news: SelectQueryInputs,
  { inputFingerprint }: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const { clusterName, query, outputResourcePath, outputFormat, label, triggers } = news;
  const location = folderOf(news);
  // A query that reads an earlier generation of a table, or earlier objects, is another query.
  const read = { tables: identityOf(news.tables), inputFingerprint };
  const same = { clusterName, query, location, outputFormat: outputFormat ?? "csv", label, triggers, ...read };
  const submitted = context.submissionToken ? submittedLabel(label, { urn: context.urn, inputs: same }) : label;
  const request = { clusterName, query, outputResourcePath, outputFormat, label: submitted };
  const send = (signal: AbortSignal) =>
    context.client.submitSelect(request, { signal, parentRun: parentRunOf(context.urn) });
  const replaces = context.programTables?.queryOf(context.urn);
  return submitOnce({ clusterName, label: submitted, folder: location, replaces, send }, deadline, context);
}

/**
 * Waits for a query, collects its result and checks it. The next update reads a result again that cannot be read.
 * @param stored the state that has the id of the query already; undefined for a new one.
 */
async function complete(
  queryId: number,
  news: SelectQueryInputs,
  followed: FollowedObjects,
  stored: SelectQueryState | undefined,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<SelectQueryState> {
  const { clusterName } = news;
  const partial = (seen?: QuerySummary) => {
    const stage = seen?.type === "select" ? seen.stage : 0;
    return { ...unfinishedState(queryId, seen), stage, location: folderOf(news), ...followed };
  };
  const ended = await waitForEnd<SelectQueryState>({ queryId, clusterName, made: stored, partial }, deadline, context);
  const record = await requireFinished(ended, "select", stored, context);
  const finished = { ...stateOf(record), ...followed };
  const state = await withResult(finished, record, news, context, stored !== undefined).catch((error: unknown) =>
    throwResultUnavailable(queryId, finished, error, context),
  );
  await requireAsExpected(queryId, news, state, context);
  return state;
}

/** Reads the record of the query, and the result of one that has finished since; undefined when the result is gone. */
async function readSelect(
  id: string,
  stored: Stored | undefined,
  context: LifecycleContext,
): Promise<ReadResult<SelectQueryInputs, SelectQueryState> | undefined> {
  const record = await recordOf(id, "select", stored?.state, context);
  const given = stored?.inputs ?? selectInputsOf(record);
  if (!stored) await requireOwnObjects(record, folderOf(given), context);
  const isComplete = stored !== undefined && hasFinishedSince(stored.state, record);
  const found =
    stored && !isComplete ? stateOf(record) : await withResult(stateOf(record), record, given, context, isComplete);
  if (!stored) return { id, inputs: given, state: found };
  const state = refreshedState(stored.state, found);
  if (await isGone("result", state, context)) return undefined;
  if (!isComplete) return { id, inputs: given, state };
  const check = () => requireAsExpected(record.id, given, state, context);
  return { id, inputs: given, state: await checkedState(state, check) };
}

/** Returns the state that a record tells, without the result. */
function stateOf(record: SelectRecord): SelectQueryState {
  return { ...recordState(record), stage: record.stage, location: folderText(record.outputResourcePath) };
}

/** Adds log and result to the state of a query that has ended. @param mayBeOthers true when it may have ended long ago. */
async function withResult(
  state: SelectQueryState,
  { id, status }: SelectRecord,
  news: SelectQueryInputs,
  context: LifecycleContext,
  mayBeOthers: boolean,
): Promise<SelectQueryState> {
  context.report(`[3/3] collecting the result of query ${id}`);
  const log = await fetchLog(id, context);
  if (status === "finished") await requireServiceStorage(state.location, context, { isWritten: true });
  if (status === "finished" && mayBeOthers) {
    await requirePublished(publishedBy(`${id}`, { inputs: news, state }), "outputResourcePath", context);
  }
  const result = status === "finished" ? await readResult(context.storage, news) : undefined;
  context.report(`${status} · query ${id}`);
  return { ...state, ...(log !== undefined && { log }), ...(result && { result }) };
}

function publishedBy(id: string, { inputs: news, state }: Stored): Published {
  return { queryId: Number(id), folder: folderOf(news), objects: state.result, startTime: state.startTime };
}

/** Checks the result, if the inputs say what it must fulfil. */
async function requireAsExpected(
  queryId: number,
  news: SelectQueryInputs,
  state: SelectQueryState,
  context: LifecycleContext,
): Promise<void> {
  const { query, outputFormat, expect } = news;
  if (expect === undefined) return;
  const result = {
    queryId,
    folder: folderOf(news),
    format: outputFormat ?? "csv",
    columns: expect.columns && columnsMade(query, context.programTables),
    columnsRemedy: "name the columns in the statement instead of using *",
    mayHaveHeader: false,
  };
  await requireExpected(expect, result, state, context);
}
