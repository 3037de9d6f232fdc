/** How a SplitTable is made, and how its objects are read. */
import { errors, headerRowWarning, type SplitRecord } from "../../../contract";
import { findObjects } from "../freshness/input-objects";
import type { LifecycleContext } from "../lifecycle";
import type { QueryKind } from "../queries/query-lifecycle";
import { recordState } from "../queries/query-resource";
import { hasObjects, listObjects, type ObjectList } from "../queries/results";
import { userLabel } from "../queries/submission-token";
import { redacted } from "../redaction";
import { columnNames } from "../schema/table-columns";
import { folderOf, namesOf, qualifiedNameOf } from "./split-table-names";
import type { SplitTableInputs, SplitTableState } from "./split-table-properties";
import { submitOrAdopt } from "./split-table-submission";

const headerProblem = (table: string) =>
  `the first row of ${table} has the names of the schema's columns, and is read as data: with a schema no row is a header; ` +
  "remove the row from the input, or omit schema";

/** The queries of SplitTable. */
export const split: QueryKind<SplitTableInputs, SplitTableState, "split"> = {
  type: "split",
  resource: "SplitTable",
  other: "SelectQuery",

  objectsOf:
    ({ inputObjectKeys }) =>
    (storage, missing) =>
      findObjects(storage, inputObjectKeys, missing),

  submit: submitOrAdopt,

  unfinishedOutputs: (news) => namesOf(news),

  /** Contains the columns only if they were declared, because the service need not have found others. */
  stateOf(record, { schema: declared }) {
    const { schema } = record;
    return { ...recordState(record), ...namesOf(record), ...(declared !== undefined && schema && { schema }) };
  },

  async withResult(state, record, news, context) {
    await warnOfHeader(record, news, context);
    context.report(`[3/3] listing the objects of ${redacted(qualifiedNameOf(record), context)}`);
    const result = record.status === "finished" ? await resultOf(state.location, context) : {};
    context.report(`${record.status} · query ${record.id}`);
    return { ...state, ...result };
  },

  // The objects that are there now may be another query's.
  withResultAgain: async (state, _news, context) =>
    state.result ? state : { ...state, ...(await resultOf(state.location, context)) },

  /** The objects of the table have the format of the inputs. */
  async resultToCheck(queryId, record, news, context) {
    const schema = news.schema ?? record?.schema ?? (await schemaFound(queryId, context));
    return {
      queryId,
      folder: folderOf(news),
      format: news.inputFormat ?? "csv",
      columns: schema ? columnNames(schema) : undefined,
      columnsRemedy: "set schema",
      mayHaveHeader: news.schema === undefined && news.inputFormat !== "json",
    };
  },

  inputsOf(record: SplitRecord) {
    const { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema } = record;
    const label = userLabel(record.label);
    return {
      clusterName,
      inputObjectKeys,
      outputDatabase,
      outputTable,
      inputFormat,
      ...(schema && { schema }),
      ...(label !== undefined && { label }),
    };
  },

  isGone: tableIsGone,

  folderOf,

  kept({ qualifiedName, location, status }, context) {
    if (status !== "finished") return;
    context.warn(
      `the table ${redacted(qualifiedName, context)} and its objects in ` +
        `${redacted(location, context)} are kept, because deletionPolicy is "keep"`,
    );
  },
};

/** Warns of a header row under a schema, which the query's log tells. A log that cannot be read fails nothing. */
async function warnOfHeader(record: SplitRecord, news: SplitTableInputs, context: LifecycleContext): Promise<void> {
  if (news.schema === undefined || news.inputFormat === "json" || record.status !== "finished") return;
  const { client, signal } = context;
  const answer = await client.getQueryLog({ queryId: record.id }, { signal }).catch(() => undefined);
  if (!answer?.log.includes(headerRowWarning)) return;
  context.warn(headerProblem(redacted(qualifiedNameOf(record), context)));
}

/** Returns the columns that the service found in the objects of an earlier split; undefined if it has no record of it. */
async function schemaFound(queryId: number, { client, signal }: LifecycleContext): Promise<string | undefined> {
  try {
    const record = await client.getQuery({ queryId }, { signal });
    return (record.type === "split" && record.schema) || undefined;
  } catch (error) {
    if (error instanceof errors.QueryNotFound) return undefined;
    throw error;
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
