/** How a SplitTable is made, and how its objects are read. */
import { errors, type SplitRecord } from "../../../contract";
import { findObjects } from "../freshness/input-objects";
import type { LifecycleContext } from "../lifecycle";
import type { QueryKind } from "../queries/query-kind";
import { recordState } from "../queries/query-resource";
import { listObjects, type ObjectList } from "../queries/results";
import { userLabel } from "../queries/submission-token";
import { redacted } from "../redaction";
import { columnNames } from "../schema/table-columns";
import { folderOf, namesOf, qualifiedNameOf } from "./split-table-names";
import type { SplitTableInputs, SplitTableState } from "./split-table-properties";
import { submitOrAdopt } from "./split-table-submission";

/** The queries of SplitTable. */
export const split: QueryKind<SplitTableInputs, SplitTableState, "split"> = {
  type: "split",
  resource: "SplitTable",
  other: "SelectQuery",
  overwrites: false,

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

  async withResult(state, record, _news, context) {
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

  folderOf,

  purged({ qualifiedName, queryId }, context) {
    context.info(
      `the table ${redacted(qualifiedName, context)} that query ${queryId} made was deleted; a stack that has adopted it ` +
        `makes it again in its next "pulumi up"`,
    );
  },

  kept({ qualifiedName, location, status }, context) {
    if (status !== "finished") return;
    context.warn(
      `the table ${redacted(qualifiedName, context)} and its objects in ` +
        `${redacted(location, context)} are kept, because deletionPolicy is "keep"`,
    );
  },
};

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
