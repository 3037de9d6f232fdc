/** SplitTable: splits large input objects into a table of objects of at most 100 MB. */
import * as z from "zod";
import { fields, type QuerySummary, type SplitRecord } from "../../../contract";
import { withDeletedTable } from "../adoption/adopted-table";
import { splitInputsOf } from "../adoption/imported-inputs";
import { requireOwnObjects } from "../adoption/imported-objects";
import { keptTableWarnings, mayStay, requireTableGoes, beforeRerun } from "../adoption/kept-table";
import { tablePreflight } from "../adoption/preflight";
import { submitOrAdopt } from "../adoption/submit-or-adopt";
import { startDeadline, type Deadline } from "../deadline";
import { observeNamedInputs } from "../freshness/changed-inputs";
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
  rerunOnInputChangeInput,
  takeFingerprint,
} from "../freshness/follow-inputs";
import { objectsNamed } from "../freshness/input-objects";
import { generationFor, producersRead } from "../freshness/generations";
import { isTakenOver, purgeLeft, purgeOrLeave } from "../freshness/left-objects";
import { requirePrerequisites, requireReplaceable, warnOfMissingBucket } from "../adoption/replaceable";
import { noteSplit } from "../freshness/readers";
import type { CheckFailure, CheckOptions, Lifecycle, LifecycleContext, ReadResult, StoredResource } from "../lifecycle";
import { relinquish } from "../queries/cancel";
import { checkInputObjects, inputKeyProblems } from "../queries/checks/input-check";
import { readUnlessExpired } from "../queries/expired-record";
import { cancelOrphans, withOrphans } from "../queries/orphans";
import { isGone, keptByReplacement, requirePublished, warnOfOthers, whyOthers } from "../queries/published-objects";
import type { Published } from "../queries/purge";
import { commonProblems } from "../queries/checks/query-checks";
import { requireFinished, throwResultUnavailable } from "../queries/query-failure";
import {
  commonInputs,
  commonOutputs,
  hasFinishedSince,
  isUnread,
  recordIfKept,
  recordOf,
  recordState,
  refreshedState,
  unfinishedState,
  withStatusDifference,
} from "../queries/query-resource";
import { policyAtDelete, policyOfReplaced } from "../freshness/replaced-policy";
import { requestSizeProblems } from "../queries/checks/request-size";
import { isKnownEmpty, listObjects, objectsSchema, resultTexts, type ObjectList } from "../queries/results";
import { forMessage, requireServiceStorage, withServiceStorage } from "../queries/service-storage";
import { waitForEnd } from "../queries/waiting";
import { redacted } from "../redaction";
import { autonamedTable, namingProblem } from "../schema/autonaming";
import { checkProperties, hasUnknown } from "../schema/check";
import { diffProperties } from "../schema/diff";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import { columnNames, sameColumns, schemaProblem } from "../schema/table-columns";
import { folderOfTable, namesOf, qualifiedNameOf } from "../schema/table-names";

const inputs = {
  clusterName: required(fields.clusterName),
  inputObjectKeys: required(fields.inputObjectKeys, {
    description:
      "Objects to split, each `dag://<bucket>/<path>`, uncompressed or compressed with gzip. With `dag:storage`, `*` in a " +
      "path stands for any text without `/`: `dag://raw/2026/*.csv` is expanded, sorted by name, when the table is made.",
  }),
  outputDatabase: required(fields.outputDatabase),
  outputTable: optional(fields.outputTable, {
    computed: true,
    description:
      "Name of the table to create. Its objects are in the folder `dag://<outputDatabase>/<outputTable>/`. Default: the " +
      "resource's name and 7 random characters.",
  }),
  inputFormat: optional(fields.inputFormat, { fallback: "csv" }),
  schema: optional(fields.schema, {
    computed: true,
    description:
      "Columns of the table as `<type> <name>, …`, with Hive types. Every row is then data, also the first: remove a header " +
      "row from the inputs, or omit `schema`. With `dag:storage`, a preview warns of one. Default: inferred from the data.",
  }),
  ...commonInputs,
  rerunOnInputChange: rerunOnInputChangeInput(
    "Set to `true` to rebuild the table when its input objects changed: `pulumi refresh` and `pulumi up --refresh` " +
      "compare their names, sizes and etags (times of modification for files). Requires `dag:storage`. Default `false`.",
  ),
  ...expectationInput,
  ...freshnessInputs,
};

const outputs = {
  ...commonOutputs,
  schema: sometimes(z.string(), "Columns of the table as `<type> <name>, …`, if given or imported."),
  location: always(z.string(), "Folder of the table, `dag://<outputDatabase>/<outputTable>/`.", {
    quotesInputs: true,
    fromInputs: true,
  }),
  qualifiedName: always(z.string(), "Name of the table for HiveQL statements, `<outputDatabase>.<outputTable>`.", {
    quotesInputs: true,
    fromInputs: true,
  }),
  result: sometimes(objectsSchema, resultTexts.table, { quotesInputs: true }),
  adopted: sometimes(
    z.boolean(),
    "True when a split of a resource of another name or stack, with identical inputs, made the table. A purge keeps its objects.",
  ),
  ...followedObjectsOutputs,
  ...expectationOutput,
};

export type SplitTableInputs = InputsOf<typeof inputs>;
export type SplitTableState = OutputsOf<typeof outputs>;

/**
 * Creates a table from input objects. A changed input creates a new table. The old table is deleted only with
 * deletionPolicy `purge`.
 */
export const splitTable: Lifecycle<SplitTableInputs, SplitTableState> = {
  name: "SplitTable",
  description:
    "Splits input objects into objects of at most 100 MB and writes them as a table, for repeated queries on the same " +
    "large input. With dag-service this is faster for gzip, which is decompressed once, and on Spark clusters for csv " +
    "with quotes, of which workers then read a part each. The resource is created when the table is complete.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("SplitTable", inputs, given, options.secret);
    const olds = options.olds as SplitTableInputs | undefined;
    const isGivenName = checked.outputTable !== undefined;
    const outputTable = checked.outputTable ?? autonamedTable(options);
    const news = { ...checked, ...(outputTable !== undefined && { outputTable }) };
    const found = [...failures, ...(isGivenName ? [] : namingProblem(outputTable))];
    if (found.length > 0) return { inputs: news, failures: found, warnings: [] };
    const replaces = olds ? splitTable.diff({ inputs: olds }, news).replaces : [];
    return {
      inputs: withGenerations(news, options, isGivenName),
      failures: ruleProblems(news, options),
      warnings: isGivenName ? keptTableWarnings(news, olds, replaces.length > 0, options) : [],
    };
  },

  async preflight(news, context, isReplacement = false) {
    const found = await tablePreflight(news, context, isReplacement);
    if (found.failures) return found;
    await warnOfMissingBucket(news, context);
    return { ...found, ...(await checkInputObjects(news, context)) };
  },

  diff(old, news) {
    const diff = diffProperties(inputs, old.inputs, news, {
      deleteBeforeReplace: true,
      same: (name, before, after) => name === "schema" && sameColumns(`${before}`, `${after}`),
      // An import has the columns of the service's record. What a program has made has a generation.
      wasGiven: (name) => name === "schema" && old.inputs.generation !== undefined,
    });
    const found = withStatusDifference(diff, old.state?.status);
    return withFreshnessDifferences(found, old, news, (index) => String(news.inputObjectKeys[index]));
  },

  outputsFromInputs: (given) => (given.outputTable === undefined ? {} : namesOf(given)),

  async create(news, context) {
    const deadline = startDeadline(context);
    const folder = folderOfTable(news);
    await requireServiceStorage(folder, context);
    // Before patterns are expanded, so that an object that arrives between the two is noticed later.
    const followed = news.rerunOnInputChange ? await takeFingerprint(objectsNamed(news.inputObjectKeys), context) : {};
    await purgeLeft(context, folder, true, () => requirePrerequisites(news, context));
    const { queryId, adopted, isOfOther } = await submitOrAdopt(news, followed, deadline, context);
    context.programTables?.hold(folder, adopted);
    const submitted = { ...followed, ...(isOfOther && { adopted: true }) };
    const state = await complete(queryId, news, submitted, undefined, deadline, context);
    await purgeLeft(context, folder, false);
    return { id: String(queryId), state, adopted };
  },

  async read(id, stored, given) {
    const context = await withServiceStorage(stored?.state.location, given);
    if (stored && isUnread(stored.state, given, context)) return { id, ...stored };
    const found = await readUnlessExpired("table", id, stored, context, () => readSplit(id, stored, context));
    if (!found || !stored) return found;
    const now = { inputs: stored.inputs, state: found.state };
    await warnOfOthers(publishedBy(id, now), now.state.status, stored.inputs.deletionPolicy, context);
    return { ...found, state: await observeNamedInputs(stored.inputs, now.state, context) };
  },

  async update(id, old, news, context) {
    const { state } = old;
    if (state.status === "running") {
      return complete(Number(id), news, submittedPart(state), state, startDeadline(context), context);
    }
    const published = publishedBy(id, old);
    await cancelOrphans(published, "outputTable", context);
    const isChecked = isOtherExpectation(news.expect, old.inputs.expect);
    if (isChecked) await requirePublished(published, "outputTable", context);
    const followed = await followedState(news.rerunOnInputChange, state, objectsNamed(news.inputObjectKeys), context);
    // The objects that are there now may be another query's.
    const isKept = followed.result ?? (await whyOthers(published, context));
    const updated = isKept ? followed : { ...followed, ...(await objectsAt(followed.location, context)) };
    if (isChecked) await requireAsExpected(Number(id), undefined, news, updated, context);
    return updated;
  },

  async delete(id, old, context) {
    const published = publishedBy(id, old);
    const isPurge = policyAtDelete(published.queryId, old.inputs, context) === "purge";
    if (isPurge) await requireReplaceable(published, context);
    await relinquish(id, old, context);
    const { status, location, qualifiedName } = old.state;
    const name = redacted(qualifiedName, context);
    if (isTakenOver(published, context)) {
      context.warn(
        `no query ran: the replacement adopted the table ${name}. Change "triggers" to make the table again`,
      );
      return;
    }
    if (isPurge) {
      const isPurged = await purgeOrLeave(published, context, await mayStay(old.inputs, published.queryId, context));
      // A replacement makes the objects again.
      if (!isPurged || context.programTables?.isReplaced(published.queryId)) return;
      context.info(
        `the table ${name} that query ${id} made was deleted; where another resource has adopted it, "pulumi up --refresh" ` +
          `makes it again`,
      );
    } else if (status === "finished" && !(await isKnownEmpty(forMessage(context.storage), folderOfTable(old.inputs)))) {
      const place = `${name} and its objects in ${redacted(location, context)}`;
      context.warn(`the table ${place} are kept, because deletionPolicy is "keep"`);
    }
  },

  async withObserved(id, old, diff, context) {
    const published = publishedBy(id, old);
    const found = await withOrphans(diff, old.state.status, published, context);
    return withDeletedTable(found, published, old.state, old.inputs.deletionPolicy, context);
  },

  async othersObjects(id, old, news, context) {
    const published = publishedBy(id, old);
    const adopted = await requireTableGoes(published, old, news, context);
    return adopted ?? keptByReplacement(published, policyAtDelete(Number(id), old.inputs, context), context);
  },
};

type Stored = StoredResource<SplitTableInputs, SplitTableState>;

/** Adds the hidden inputs, and the table to those of the program. */
function withGenerations(news: SplitTableInputs, options: CheckOptions, isGivenName: boolean): SplitTableInputs {
  const { programTables, urn } = options;
  const { inputObjectKeys, outputDatabase, outputTable, schema } = news;
  const generation = generationFor(options);
  noteSplit(news, options);
  const tables =
    news.rerunOnInputChange === true && !hasUnknown(inputObjectKeys)
      ? producersRead(inputObjectKeys, options)
      : undefined;
  if (programTables && outputTable !== undefined && !hasUnknown([outputDatabase, outputTable])) {
    const olds = options.olds as SplitTableInputs | undefined;
    const folder = folderOfTable(news);
    const columns = () => (schema === undefined || hasUnknown(schema) ? undefined : columnNames(schema));
    // A resource whose folder changes is replaced, so that it does not have the folder yet.
    const exists = olds !== undefined && folderOfTable(olds) === folder;
    const moved = { urn, deletionPolicy: policyOfReplaced(olds ?? {}, news, ["outputTable"]) };
    if (olds && !exists) programTables.moves(folderOfTable(olds), moved);
    programTables.add(folder, { urn, generation, exists, columns, mayBeDeclared: false, isNamed: isGivenName });
  }
  return { ...news, ...(tables && { tables }), ...(generation !== undefined && { generation }) };
}

function ruleProblems(news: SplitTableInputs, options: CheckOptions): CheckFailure[] {
  const found = [...commonProblems(news, options), ...requestSizeProblems(news, options)];
  const columns =
    hasUnknown(news.schema) || news.schema === undefined ? undefined : schemaProblem(news.schema, options);
  if (columns !== undefined) found.push({ property: "schema", reason: columns });
  else if (news.schema !== undefined && !hasUnknown(news.schema)) {
    found.push(...expectedColumnsProblem(news.expect, columnNames(news.schema), options.secret));
  }
  if (hasUnknown([news.inputObjectKeys, news.outputDatabase, news.outputTable])) return found;
  found.push(...inputKeyProblems(news, options));
  return found;
}

/** What a state keeps of the submission of its query. */
type SubmittedPart = Pick<SplitTableState, "inputFingerprint" | "adopted">;

function submittedPart({ adopted, ...state }: SplitTableState): SubmittedPart {
  return { ...followedPart(state), ...(adopted && { adopted }) };
}

/**
 * Waits for a split, lists the objects of its table and checks them.
 * @param stored the state that has the id of the query already; undefined for a new one.
 */
async function complete(
  queryId: number,
  news: SplitTableInputs,
  submitted: SubmittedPart,
  stored: SplitTableState | undefined,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<SplitTableState> {
  const { clusterName } = news;
  const partial = (seen?: QuerySummary) => ({ ...unfinishedState(queryId, seen), ...namesOf(news), ...submitted });
  const ended = await waitForEnd<SplitTableState>({ queryId, clusterName, made: stored, partial }, deadline, context);
  const record = await requireFinished(ended, "split", stored, context);
  const finished = { ...stateOf(record, news), ...submitted };
  const state = await withObjects(finished, record, context, stored !== undefined).catch((error: unknown) =>
    throwResultUnavailable(queryId, finished, error, context),
  );
  await requireAsExpected(queryId, record, news, state, context);
  return state;
}

/** Reads the record of the split, and the objects of a table that is complete since; undefined when they are gone. */
async function readSplit(
  id: string,
  stored: Stored | undefined,
  context: LifecycleContext,
): Promise<ReadResult<SplitTableInputs, SplitTableState> | undefined> {
  const record = await recordOf(id, "split", stored?.state, context);
  const given = stored?.inputs ?? splitInputsOf(record);
  if (!stored) await requireOwnObjects(record, folderOfTable(given), context);
  const isComplete = stored !== undefined && hasFinishedSince(stored.state, record);
  const seen = stateOf(record, given);
  const found = stored && !isComplete ? seen : await withObjects(seen, record, context, isComplete);
  if (!stored) return { id, inputs: given, state: found };
  const state = refreshedState(stored.state, found);
  if (await isGone("table", state, context)) return undefined;
  if (!isComplete) return { id, inputs: given, state };
  const check = () => requireAsExpected(record.id, record, given, state, context);
  return { id, inputs: given, state: await checkedState(state, check) };
}

/** Returns the state that a record tells: the columns only if they were declared, because the service need not find others. */
function stateOf(record: SplitRecord, { schema: declared }: SplitTableInputs): SplitTableState {
  const { schema } = record;
  return { ...recordState(record), ...namesOf(record), ...(declared !== undefined && schema && { schema }) };
}

/** Adds the objects to the state of a split that has ended. @param mayBeOthers true when it may have ended long ago. */
async function withObjects(
  state: SplitTableState,
  record: SplitRecord,
  context: LifecycleContext,
  mayBeOthers: boolean,
): Promise<SplitTableState> {
  context.report(`[3/3] listing the objects of ${redacted(qualifiedNameOf(record), context)}`);
  if (record.status === "finished") await requireServiceStorage(state.location, context, { isWritten: true });
  const published = { queryId: record.id, folder: state.location, startTime: state.startTime, objects: undefined };
  if (record.status === "finished" && mayBeOthers) await requirePublished(published, "outputTable", context);
  const objects = record.status === "finished" ? await objectsAt(state.location, context) : {};
  context.report(`${record.status} · query ${record.id}`);
  return { ...state, ...objects };
}

async function objectsAt(location: string, { storage }: LifecycleContext): Promise<{ result?: ObjectList }> {
  return storage ? { result: await listObjects(storage, location) } : {};
}

function publishedBy(id: string, { inputs: news, state }: Stored): Published {
  return {
    queryId: Number(id),
    folder: folderOfTable(news),
    objects: state.result,
    startTime: state.startTime,
    adopted: state.adopted,
  };
}

/**
 * Checks the table, whose objects have the format of the inputs.
 * @param record undefined when the query finished in an earlier run.
 */
async function requireAsExpected(
  queryId: number,
  record: SplitRecord | undefined,
  { expect, ...news }: SplitTableInputs,
  state: SplitTableState,
  context: LifecycleContext,
): Promise<void> {
  if (expect === undefined) return;
  const made = news.schema === undefined ? (record ?? (await recordIfKept(queryId, state, context))) : undefined;
  // The columns that the service has found, or was given.
  const schema = news.schema ?? (made?.type === "split" ? made.schema : undefined);
  const table = {
    queryId,
    folder: folderOfTable(news),
    format: news.inputFormat ?? "csv",
    columns: schema ? columnNames(schema) : undefined,
    columnsRemedy: "set schema",
    mayHaveHeader: news.schema === undefined && news.inputFormat !== "json",
    beforeRerun: beforeRerun(news, state, context),
  };
  await requireExpected(expect, table, state, context);
}
