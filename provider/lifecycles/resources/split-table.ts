/** SplitTable: splits large input objects into a table of objects of at most 100 MB. */
import * as z from "zod";
import { errors, fields, isWithin, parseLocation, type SplitRecord } from "../../../contract";
import { findTableSplit } from "../queries/adoption";
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
import { expandPatterns, findObjects, isPattern, NoMatchError } from "../freshness/input-objects";
import { generationFor, producersRead } from "../freshness/program-tables";
import { checkProperties, hasUnknown } from "../schema/check";
import { clusterCoordinator } from "../queries/cluster-coordinator";
import { startDeadline, type Deadline } from "../deadline";
import { diffProperties } from "../schema/diff";
import { describeError } from "../describe-error";
import { parseQueryId } from "../query-id";
import type { CheckFailure, CheckOptions, Lifecycle, LifecycleContext } from "../lifecycle";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import * as common from "../queries/query-resource";
import { hasObjects, listObjects, objectsSchema, type ObjectList } from "../queries/results";
import { redacted } from "../redaction";
import { submitOnce, type Submitted } from "../queries/submission";
import { columnNames, sameColumns, schemaProblem } from "../schema/table-columns";
import { qualifiedName } from "../schema/qualified-name";
import { namingProblem, autonamedTable } from "../schema/autonaming";
import { maxLabelLength, userLabel, submittedLabel, labelProblem } from "../queries/submission-token";
import { waitForEnd } from "../queries/waiting";

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
  schema: optional(fields.schema, { computed: true }),
  label: optional(fields.label, {
    description: `Label of the query, at most ${maxLabelLength} characters, because \`#\` and a token of 12 characters are added.`,
  }),
  ...common.commonInputs,
  rerunOnInputChange: rerunOnInputChangeInput(
    "Set to `true` to make the table anew when its input objects changed: `pulumi refresh` and `pulumi up --refresh` " +
      "compare their names, sizes and etags (times of modification for files). Requires `dag:storage`. Default `false`.",
  ),
  ...expectationInput,
  ...freshnessInputs,
};

const outputs = {
  ...common.commonOutputs,
  schema: sometimes(z.string(), "Columns of the table as `<type> <name>, …`."),
  location: always(z.string(), "Folder of the table, `dag://<outputDatabase>/<outputTable>/`.", {
    quotesInputs: true,
    fromInputs: true,
  }),
  qualifiedName: always(z.string(), "Name of the table for HiveQL statements, `<outputDatabase>.<outputTable>`.", {
    quotesInputs: true,
    fromInputs: true,
  }),
  result: sometimes(objectsSchema, "Objects of the table. Requires `dag:storage`.", { quotesInputs: true }),
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
    "Splits input objects into objects of at most 100 MB and writes them as a table, which makes repeated queries on the " +
    "same large input faster. The resource is created when the table is complete.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("SplitTable", inputs, given, options.secret);
    const outputTable = checked.outputTable ?? autonamedTable(options);
    const named = { ...checked, ...(outputTable !== undefined && { outputTable }) };
    const naming = checked.outputTable === undefined ? namingProblem(outputTable) : [];
    const found = [...failures, ...naming];
    return {
      inputs: withFreshness(named, options),
      failures: found.length > 0 ? found : checkRules(named, options),
      warnings: checked.outputTable === undefined ? [] : keptTableWarnings(named, options),
    };
  },

  async preflight({ inputObjectKeys }, { storage, warn, secret }) {
    if (!storage || hasUnknown(inputObjectKeys) || !inputObjectKeys.some(isPattern)) return {};
    try {
      await expandPatterns(storage, inputObjectKeys);
      return {};
    } catch (error) {
      const reason = secret ? "a pattern matches no object" : describeError(error);
      if (error instanceof NoMatchError) return { failures: [{ property: "inputObjectKeys", reason }] };
      warn(`cannot list the input objects${secret ? "" : `: ${reason}`}`);
      return {};
    }
  },

  diff(old, news) {
    const diff = diffProperties(inputs, old.inputs, news, {
      deleteBeforeReplace: true,
      same: (name, before, after) => name === "schema" && sameColumns(`${before}`, `${after}`),
    });
    const found = common.withStatusDifference(diff, old.state?.status, old.state?.recordExpired);
    return withFreshnessDifferences(found, old, news, (index) => String(news.inputObjectKeys[index]));
  },

  outputsFromInputs: (inputsGiven) => (inputsGiven.outputTable === undefined ? {} : namesOf(inputsGiven)),

  async create(news, context) {
    const deadline = startDeadline(context);
    // Before the patterns are expanded, so that an object that arrives between the two is noticed later.
    const followed = news.rerunOnInputChange ? await takeFingerprint(objectsOf(news), context) : {};
    const expanded = await expandedInputs(news, context);
    const { queryId, adopted } = await submitOrAdopt(expanded, followed, deadline, context);
    const record = await waitForQueryEnd(queryId, news, followed, deadline, context);
    const finished = await common.requireFinished(record, "split", context);
    const state = withDeclaredSchema(await collectResult(finished, followed, context), news);
    await requireExpected(news.expect, expectedResult(finished, news), state, context);
    return { id: String(queryId), state, adopted };
  },

  async read(id, stored, context) {
    const queryId = parseQueryId("SplitTable", id);
    const read = await common.readUnlessExpired(id, stored, context, async () => {
      const record = await context.client.getQuery({ queryId }, { signal: context.signal });
      if (record.type !== "split")
        throw new Error(`query ${id} is a ${record.type}, not a split: use a SelectQuery for it`);
      if (!stored) return { id, inputs: inputsFromRecord(record), state: await collectResult(record, {}, context) };
      const { recordExpired: _expired, ...kept } = stored.state;
      const finishedSince = stored.state.status === "running" && record.status === "finished";
      const found = finishedSince ? await collectResult(record, kept, context) : stateOf(record);
      const state = { ...kept, ...withDeclaredSchema(found, stored.inputs) };
      if (await tableIsGone(state, context)) return undefined;
      const { inputs: given } = stored;
      const checked = finishedSince
        ? await checkedState(given.expect, expectedResult(record, given), state, context)
        : state;
      return { id, inputs: given, state: checked };
    });
    if (!read || !stored?.inputs.rerunOnInputChange || read.state.status !== "finished") return read;
    return { ...read, state: await observeInputs(read.state, objectsOf(stored.inputs), context) };
  },

  async update(id, { state }, news, context) {
    if (state.status !== "running") {
      const followed = await followedState(news.rerunOnInputChange, state, objectsOf(news), context);
      const updated = { ...followed, ...(await resultOf(state.location, context)) };
      await requireExpected(news.expect, expectedResult({ ...updated, id: Number(id) }, news), updated, context);
      return updated;
    }
    const record = await waitForQueryEnd(Number(id), news, state, startDeadline(context), context);
    const finished = await common
      .requireFinished(record, "split", context)
      .catch((error: unknown) => common.throwQueryFailed(id, { ...state, ...common.recordState(record) }, error));
    const collected = withDeclaredSchema(await collectResult(finished, followedPart(state), context), news);
    await requireExpected(news.expect, expectedResult(finished, news), collected, context);
    return collected;
  },

  async delete(id, { inputs: olds, state }, context) {
    clusterCoordinator(context.client, olds.clusterName).relinquished.add(Number(id));
    if (state.status === "running") await common.cancelAndWait(Number(id), olds.clusterName, context);
    if (olds.deletionPolicy === "purge") await common.purgeFolder(state.location, context);
    else if (state.status === "finished") {
      context.warn(
        `the table ${redacted(state.qualifiedName, context)} and its objects in ` +
          `${redacted(state.location, context)} are kept, because deletionPolicy is "keep"`,
      );
    }
  },
};

function checkRules(news: SplitTableInputs, { storage, submissionToken }: CheckOptions): CheckFailure[] {
  const found: CheckFailure[] = [];
  const purgeReason = common.purgeProblem(news.deletionPolicy, storage);
  if (purgeReason !== undefined) found.push({ property: "deletionPolicy", reason: purgeReason });
  found.push(...expectationProblems(news.expect, { storage }));
  if (!storage && news.rerunOnInputChange === true) {
    const reason = `rerunOnInputChange needs access to the object storage: ${common.storageRemedy}, or remove rerunOnInputChange`;
    found.push({ property: "rerunOnInputChange", reason });
  }
  const columns = hasUnknown(news.schema) || news.schema === undefined ? undefined : schemaProblem(news.schema);
  if (columns !== undefined) found.push({ property: "schema", reason: columns });
  if (submissionToken && !hasUnknown(news.label) && (news.label?.length ?? 0) > maxLabelLength) {
    found.push({ property: "label", reason: labelProblem(news.label!) });
  }
  if (hasUnknown([news.inputObjectKeys, news.outputDatabase, news.outputTable])) return found;
  const table = { bucket: news.outputDatabase, key: `${news.outputTable}/` };
  news.inputObjectKeys.forEach((key, index) => {
    if (!storage && isPattern(key)) {
      const reason = `inputObjectKeys[${index}] "${key}" has a "*", which needs access to the object storage: ${common.storageRemedy}`;
      found.push({ property: "inputObjectKeys", reason });
    }
    if (!isWithin(parseLocation(key), table)) return;
    const reason = `inputObjectKeys[${index}] "${key}" is inside the folder of the output table: set another outputTable`;
    found.push({ property: "inputObjectKeys", reason });
  });
  return found;
}

/** Adds the hidden inputs, and the table to those of the program. */
function withFreshness(news: SplitTableInputs, options: CheckOptions): SplitTableInputs {
  const { programTables } = options;
  const { inputObjectKeys, outputDatabase, outputTable, schema } = news;
  const generation = generationFor(options);
  const tables =
    news.rerunOnInputChange === true && !hasUnknown(inputObjectKeys)
      ? producersRead(inputObjectKeys, options)
      : undefined;
  if (programTables && outputTable !== undefined && !hasUnknown([outputDatabase, outputTable])) {
    const columns = () => (schema === undefined || hasUnknown(schema) ? undefined : columnNames(schema));
    programTables.add(folderOf(news), { generation, columns });
  }
  return { ...news, ...(tables && { tables }), ...(generation !== undefined && { _: generation }) };
}

/** Returns the input objects, for their fingerprint. */
function objectsOf({ inputObjectKeys }: SplitTableInputs): InputSource {
  return (storage, missing) => findObjects(storage, inputObjectKeys, missing);
}

async function expandedInputs(news: SplitTableInputs, { storage }: LifecycleContext): Promise<SplitTableInputs> {
  if (!storage || !news.inputObjectKeys.some(isPattern)) return news;
  return { ...news, inputObjectKeys: await expandPatterns(storage, news.inputObjectKeys) };
}

/** Describes the table for the check of an expectation. Its objects have the format of the inputs. */
function expectedResult(table: Pick<SplitRecord, "id" | "schema">, news: SplitTableInputs): Result {
  return {
    queryId: table.id,
    folder: folderOf(news),
    format: news.inputFormat ?? "csv",
    columns: table.schema ? columnNames(table.schema) : undefined,
    mayHaveHeader: news.schema === undefined && news.inputFormat !== "json",
  };
}

/** Warns when a replacement would reuse the name of the table that deletionPolicy "keep" keeps. */
function keptTableWarnings(news: SplitTableInputs, { olds }: CheckOptions): string[] {
  const before = olds as SplitTableInputs | undefined;
  if (news.rerunOnInputChange === true && news.deletionPolicy !== "purge" && !hasUnknown(news)) {
    return [
      `rerunOnInputChange cannot make the table ${qualifiedNameOf(news)} anew while deletionPolicy "keep" keeps it: ` +
        `set deletionPolicy "purge", or leave out outputTable`,
    ];
  }
  if (!before || before.deletionPolicy === "purge" || hasUnknown(news)) return [];
  const sameTable = before.outputDatabase === news.outputDatabase && before.outputTable === news.outputTable;
  if (!sameTable || !splitTable.diff({ inputs: before }, news).replaces.length) return [];
  return [
    `the table ${qualifiedNameOf(news)} cannot be replaced while it exists, and deletionPolicy "keep" keeps it: ` +
      `set another outputTable, or run "pulumi up" with deletionPolicy "purge" before this change`,
  ];
}

/** Submits the split. If the table already exists and has identical inputs, adopts it. */
async function submitOrAdopt(
  news: SplitTableInputs,
  followed: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const request = submissionRequest(news, followed, context);
  try {
    return await submitOnce(request, deadline, context);
  } catch (error) {
    if (!(error instanceof errors.OutputTableAlreadyExists)) throw error;
    const existingSplit = await findTableSplit({ ...news, outputTable: news.outputTable! }, context);
    // A split of the same objects may have read an earlier content. Only the label tells.
    const isCurrent = !news.rerunOnInputChange || existingSplit?.record.label === request.label;
    if (!existingSplit?.adoptable || !isCurrent) throw tableExists(news, existingSplit?.record.id, context, error);
    const table = redacted(qualifiedNameOf(news), context);
    context.info(`${table} was created from identical inputs by query ${existingSplit.record.id}: it is adopted`);
    return { queryId: existingSplit.record.id, adopted: true };
  }
}

function tableExists(
  news: SplitTableInputs,
  createdBy: number | undefined,
  context: LifecycleContext,
  cause: unknown,
): Error {
  const origin =
    createdBy === undefined
      ? "created by an unknown query"
      : `created by query ${createdBy} from different inputs${news.rerunOnInputChange ? " or an earlier content of them" : ""}`;
  const [name, id] = [context.urn.split("::").at(-1)!, createdBy ?? "<query id>"];
  return new Error(
    `the table ${redacted(qualifiedNameOf(news), context)} already exists, ${origin}: set another outputTable, delete the objects in ` +
      `${redacted(folderOf(news), context)}, or refer to the existing table with SplitTable.get("${name}", "${id}") ` +
      `("pulumi import dag:index:SplitTable ${name} ${id}" with the plugin)`,
    { cause },
  );
}

function submissionRequest(
  { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema, ...news }: SplitTableInputs,
  { inputFingerprint }: FollowedObjects,
  context: LifecycleContext,
) {
  const request = { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema };
  const { label, triggers, tables } = news;
  const identity = { ...request, label, triggers, tables, inputFingerprint };
  const submitted = context.submissionToken ? submittedLabel(label, { urn: context.urn, inputs: identity }) : label;
  return {
    clusterName,
    label: submitted,
    send: (signal: AbortSignal) =>
      context.client.submitSplit({ ...request, outputTable: outputTable!, label: submitted }, { signal }),
  };
}

function waitForQueryEnd(
  queryId: number,
  news: SplitTableInputs,
  followed: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
) {
  return waitForEnd<SplitTableState>(
    {
      queryId,
      clusterName: news.clusterName,
      partial: (seen) => ({
        ...(seen ? common.recordState(seen) : common.initialState(queryId)),
        ...namesOf(news),
        ...followedPart(followed),
      }),
    },
    deadline,
    context,
  );
}

function namesOf(table: Pick<SplitTableInputs, "outputDatabase" | "outputTable">) {
  return { location: folderOf(table), qualifiedName: qualifiedNameOf(table) };
}

function folderOf({ outputDatabase, outputTable }: Pick<SplitTableInputs, "outputDatabase" | "outputTable">): string {
  return `dag://${outputDatabase}/${outputTable}/`;
}

function qualifiedNameOf({
  outputDatabase,
  outputTable,
}: Pick<SplitTableInputs, "outputDatabase" | "outputTable">): string {
  return qualifiedName(outputDatabase, outputTable!);
}

/** Leaves the columns out that the service has found, which need not be in every state: only those that were declared stay. */
function withDeclaredSchema<State extends { readonly schema?: string | undefined }>(
  state: State,
  { schema: declared }: Pick<SplitTableInputs, "schema">,
): State {
  if (declared !== undefined) return state;
  const { schema: _found, ...rest } = state;
  return rest as State;
}

function stateOf(record: SplitRecord) {
  const { schema } = record;
  return { ...common.recordState(record), ...namesOf(record), ...(schema && { schema }) };
}

async function collectResult(
  record: SplitRecord,
  followed: FollowedObjects,
  context: LifecycleContext,
): Promise<SplitTableState> {
  context.report(`[3/3] listing the objects of ${redacted(qualifiedNameOf(record), context)}`);
  const state = { ...stateOf(record), ...followedPart(followed) };
  try {
    const result = record.status === "finished" ? await resultOf(state.location, context) : {};
    context.report(`${record.status} · query ${record.id}`);
    return { ...state, ...result };
  } catch (error) {
    return common.throwResultUnavailable(String(record.id), state, error);
  }
}

async function resultOf(location: string, { storage }: LifecycleContext): Promise<{ result?: ObjectList }> {
  return storage ? { result: await listObjects(storage, location) } : {};
}

/** Returns true when all objects of a table were deleted. The table then no longer exists and is created again. */
async function tableIsGone({ location, result }: SplitTableState, context: LifecycleContext): Promise<boolean> {
  const { storage, warn } = context;
  if (!storage || !result || result.objects.length === 0 || (await hasObjects(storage, location))) return false;
  warn(
    `the objects in ${redacted(location, context)} were deleted, so the table no longer exists: run "pulumi up" to create it again`,
  );
  return true;
}

function inputsFromRecord(record: SplitRecord): SplitTableInputs {
  const { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema, label } = record;
  const labelOfUser = userLabel(label);
  return {
    clusterName,
    inputObjectKeys,
    outputDatabase,
    outputTable,
    inputFormat,
    ...(schema && { schema }),
    ...(labelOfUser !== undefined && { label: labelOfUser }),
  };
}
