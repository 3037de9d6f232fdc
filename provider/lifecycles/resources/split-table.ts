/** SplitTable: large input objects cut into a table of objects of 100 MB (specification §4.2). */
import * as z from "zod";
import { errors, fields, isWithin, parseLocation, type SplitRecord } from "../../../contract";
import { findTableMaker } from "../queries/adoption";
import { checkProperties, hasUnknown } from "../schema/check";
import { clusterCoordinator } from "../queries/cluster-coordinator";
import { deadlineOf, type Deadline } from "../deadline";
import { diffProperties } from "../schema/diff";
import { queryIdOf } from "../ids";
import type { CheckFailure, CheckOptions, Lifecycle, LifecycleContext } from "../lifecycle";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";
import * as common from "../queries/query-resource";
import { holdsObjects, listObjects, objectsSchema, type ObjectList } from "../queries/results";
import { shown } from "../secrecy";
import { submitOnce, type Submitted } from "../queries/submission";
import { sameColumns, schemaProblem } from "../schema/table-columns";
import { qualifiedName } from "../schema/table-name";
import { namingProblem, tableName } from "../schema/table-naming";
import { longestLabel, ownLabel, submittedLabel, labelProblem } from "../queries/token";
import { waitForEnd } from "../queries/waiting";

const inputs = {
  clusterName: required(fields.clusterName),
  inputObjectKeys: required(fields.inputObjectKeys),
  outputDatabase: required(fields.outputDatabase),
  outputTable: optional(fields.outputTable, {
    computed: true,
    description:
      "Table to make: the folder `dag://<outputDatabase>/<outputTable>/` (specification §4.2). Default: the resource's " +
      "name and 7 characters of chance.",
  }),
  inputFormat: optional(fields.inputFormat, { fallback: "csv" }),
  schema: optional(fields.schema, { computed: true }),
  label: optional(fields.label, {
    description: `Label of the query, at most ${longestLabel} characters: \`#\` and a token of 12 are added (specification §2.1).`,
  }),
  ...common.commonInputs,
};

const outputs = {
  ...common.commonOutputs,
  schema: sometimes(z.string(), "Columns of the table as `<type> <name>, …` (specification §2.1)."),
  location: always(z.string(), "Folder of the table, `dag://<outputDatabase>/<outputTable>/`.", {
    derived: true,
    named: true,
  }),
  qualifiedName: always(z.string(), "The table as a statement names it, `<outputDatabase>.<outputTable>`.", {
    derived: true,
    named: true,
  }),
  result: sometimes(objectsSchema, "Objects of the table; only where `dag:storage` is set.", { derived: true }),
};

export type SplitTableInputs = InputsOf<typeof inputs>;
export type SplitTableState = OutputsOf<typeof outputs>;

/**
 * Makes a table of input objects. A changed input makes a new one; the old one is deleted only where the
 * deletionPolicy says so.
 */
export const splitTable: Lifecycle<SplitTableInputs, SplitTableState> = {
  name: "SplitTable",
  description:
    "Cuts input objects into objects of 100 MB and writes them as a table (specification §4.2), which shortens later " +
    "queries that read the same large input again and again. Resolves when the table is complete.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("SplitTable", inputs, given, options.secret);
    const outputTable = checked.outputTable ?? tableName(options);
    const named = { ...checked, ...(outputTable !== undefined && { outputTable }) };
    const naming = checked.outputTable === undefined ? namingProblem(outputTable) : [];
    const found = [...failures, ...naming];
    return {
      inputs: named,
      failures: found.length > 0 ? found : ownRules(named, options),
      warnings: checked.outputTable === undefined ? [] : leftBehind(named, options),
    };
  },

  diff(old, news) {
    const diff = diffProperties(inputs, old.inputs, news, {
      deleteBeforeReplace: true,
      same: (name, before, after) => name === "schema" && sameColumns(`${before}`, `${after}`),
    });
    return common.withStatus(diff, old.state?.status, old.state?.recordExpired);
  },

  named: (inputsGiven) => (inputsGiven.outputTable === undefined ? {} : namesOf(inputsGiven)),

  async create(news, context) {
    const deadline = deadlineOf(context);
    const { queryId } = await submitOrAdopt(news, deadline, context);
    const record = await ended(queryId, news, deadline, context);
    return {
      id: String(queryId),
      state: await complete(await common.finishedOrFailure(record, "split", context), context),
    };
  },

  async read(id, known, context) {
    const queryId = queryIdOf("SplitTable", id);
    return common.unlessExpired(id, known, context, async () => {
      const record = await context.client.getQuery({ queryId }, { signal: context.signal });
      if (record.type !== "split") throw new Error(`query ${id} is a ${record.type}: it belongs to a SelectQuery`);
      if (!known) return { id, inputs: inputsOf(record), state: await complete(record, context) };
      const { recordExpired: _gone, ...kept } = known.state;
      const finishedSince = known.state.status === "running" && record.status === "finished";
      const state = { ...kept, ...(finishedSince ? await complete(record, context) : stateOf(record)) };
      return (await emptied(state, context)) ? undefined : { id, inputs: known.inputs, state };
    });
  },

  async update(id, { state }, news, context) {
    if (state.status !== "running") return { ...state, ...(await resultOf(state.location, context)) };
    const record = await ended(Number(id), news, deadlineOf(context), context);
    const finished = await common
      .finishedOrFailure(record, "split", context)
      .catch((error: unknown) => common.failedLater(id, { ...state, ...common.recordState(record) }, error));
    return complete(finished, context);
  },

  async delete(id, { inputs: olds, state }, context) {
    clusterCoordinator(context.client, olds.clusterName).relinquished.add(Number(id));
    if (state.status === "running") await common.endQuery(Number(id), olds.clusterName, context);
    if (olds.deletionPolicy === "purge") await common.purgeFolder(state.location, context);
    else if (state.status === "finished") {
      context.warn(
        `the table ${shown(state.qualifiedName, context)} stays, with its objects under ` +
          `${shown(state.location, context)}: deletionPolicy is "keep"`,
      );
    }
  },
};

function ownRules(news: SplitTableInputs, { storage, submissionToken }: CheckOptions): CheckFailure[] {
  const found: CheckFailure[] = [];
  const purging = common.purgeProblem(news.deletionPolicy, storage);
  if (purging !== undefined) found.push({ property: "deletionPolicy", reason: purging });
  const columns = hasUnknown(news.schema) || news.schema === undefined ? undefined : schemaProblem(news.schema);
  if (columns !== undefined) found.push({ property: "schema", reason: columns });
  if (submissionToken && !hasUnknown(news.label) && (news.label?.length ?? 0) > longestLabel) {
    found.push({ property: "label", reason: labelProblem(news.label!) });
  }
  if (hasUnknown([news.inputObjectKeys, news.outputDatabase, news.outputTable])) return found;
  const table = { bucket: news.outputDatabase, key: `${news.outputTable}/` };
  news.inputObjectKeys.forEach((key, index) => {
    if (!isWithin(parseLocation(key), table)) return;
    const reason = `inputObjectKeys[${index}] "${key}" lies in the folder of the table that it is to become: choose another outputTable`;
    found.push({ property: "inputObjectKeys", reason });
  });
  return found;
}

/** A new table cannot take the name of the one that deletionPolicy "keep" leaves. */
function leftBehind(news: SplitTableInputs, { olds }: CheckOptions): string[] {
  const before = olds as SplitTableInputs | undefined;
  if (!before || before.deletionPolicy === "purge" || hasUnknown(news)) return [];
  const sameTable = before.outputDatabase === news.outputDatabase && before.outputTable === news.outputTable;
  if (!sameTable || !splitTable.diff({ inputs: before }, news).replaces.length) return [];
  return [
    `a new table cannot be made while ${nameOf(news)} exists, and deletionPolicy "keep" leaves it: ` +
      `choose another outputTable, or run "pulumi up" with deletionPolicy "purge" before this change`,
  ];
}

/** Submits; where the table is there already and is the very same, takes that one. */
async function submitOrAdopt(
  news: SplitTableInputs,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  try {
    return await submitOnce(submission(news, context), deadline, context);
  } catch (error) {
    if (!(error instanceof errors.OutputTableAlreadyExists)) throw error;
    const maker = await findTableMaker({ ...news, outputTable: news.outputTable! }, context);
    if (!maker?.same) throw tableExists(news, maker?.record.id, context, error);
    const table = shown(nameOf(news), context);
    context.info(`${table} was made of the very same inputs by query ${maker.record.id}: it is taken over`);
    return { queryId: maker.record.id, adopted: true };
  }
}

function tableExists(
  news: SplitTableInputs,
  madeBy: number | undefined,
  context: LifecycleContext,
  cause: unknown,
): Error {
  const made = madeBy === undefined ? "no query that the service knows" : `query ${madeBy}, of other inputs`;
  const [name, id] = [context.urn.split("::").at(-1)!, madeBy ?? "<query id>"];
  return new Error(
    `the table ${shown(nameOf(news), context)} exists already, made by ${made}: choose another outputTable, delete the objects under ` +
      `${shown(folder(news), context)}, or take the existing table into the program with SplitTable.get("${name}", "${id}") ` +
      `("pulumi import dag:index:SplitTable ${name} ${id}" with the plugin)`,
    { cause },
  );
}

function submission(news: SplitTableInputs, context: LifecycleContext) {
  const { deletionPolicy: _policy, triggers, label, ...request } = news;
  const submitted = context.submissionToken
    ? submittedLabel(label, { urn: context.urn, inputs: { ...request, label, triggers } })
    : label;
  return {
    clusterName: news.clusterName,
    label: submitted,
    send: (signal: AbortSignal) =>
      context.client.submitSplit({ ...request, outputTable: news.outputTable!, label: submitted }, { signal }),
  };
}

function ended(queryId: number, news: SplitTableInputs, deadline: Deadline, context: LifecycleContext) {
  return waitForEnd<SplitTableState>(
    {
      queryId,
      clusterName: news.clusterName,
      partial: (seen) => ({ ...(seen ? common.recordState(seen) : common.unseenState(queryId)), ...namesOf(news) }),
    },
    deadline,
    context,
  );
}

function namesOf(table: Pick<SplitTableInputs, "outputDatabase" | "outputTable">) {
  return { location: folder(table), qualifiedName: nameOf(table) };
}

function folder({ outputDatabase, outputTable }: Pick<SplitTableInputs, "outputDatabase" | "outputTable">): string {
  return `dag://${outputDatabase}/${outputTable}/`;
}

function nameOf({ outputDatabase, outputTable }: Pick<SplitTableInputs, "outputDatabase" | "outputTable">): string {
  return qualifiedName(outputDatabase, outputTable!);
}

function stateOf(record: SplitRecord) {
  const { schema } = record;
  return { ...common.recordState(record), ...namesOf(record), ...(schema && { schema }) };
}

async function complete(record: SplitRecord, context: LifecycleContext): Promise<SplitTableState> {
  context.report(`[3/3] listing the objects of ${shown(nameOf(record), context)}`);
  const state = stateOf(record);
  try {
    const result = record.status === "finished" ? await resultOf(state.location, context) : {};
    context.report(`${record.status} · query ${record.id}`);
    return { ...state, ...result };
  } catch (error) {
    return common.keepFinished(String(record.id), state, error);
  }
}

async function resultOf(location: string, { storage }: LifecycleContext): Promise<{ result?: ObjectList }> {
  return storage ? { result: await listObjects(storage, location) } : {};
}

/** Whether a table that had objects has none any more: then it does not exist, and can be made anew. */
async function emptied({ location, result }: SplitTableState, context: LifecycleContext): Promise<boolean> {
  const { storage, warn } = context;
  if (!storage || !result || result.objects.length === 0 || (await holdsObjects(storage, location))) return false;
  warn(`the objects under ${shown(location, context)} are gone, so the table is: the next "pulumi up" makes it anew`);
  return true;
}

function inputsOf(record: SplitRecord): SplitTableInputs {
  const { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema, label } = record;
  const own = ownLabel(label);
  return {
    clusterName,
    inputObjectKeys,
    outputDatabase,
    outputTable,
    inputFormat,
    ...(schema && { schema }),
    ...(own !== undefined && { label: own }),
  };
}
