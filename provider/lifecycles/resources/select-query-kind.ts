/** How a SelectQuery is submitted, and how its result is read. */
import type { SelectRecord } from "../../../contract";
import { checkStatement } from "../../../hiveql/syntax";
import { objectsInFolders } from "../freshness/input-objects";
import { identityOf, isFollowed } from "../freshness/program-tables";
import { resultColumns } from "../freshness/result-columns";
import type { LifecycleContext } from "../lifecycle";
import { fetchLog } from "../queries/query-failure";
import type { QueryKind } from "../queries/query-kind";
import { recordState } from "../queries/query-resource";
import { folderText, listObjects, readFirstRows, type QueryResult } from "../queries/results";
import { parentRunOf } from "../queries/parent-run";
import { submitOnce } from "../queries/submission";
import { submittedLabel, userLabel } from "../queries/submission-token";
import type { SelectQueryInputs, SelectQueryState } from "./select-query-properties";

/** The queries of SelectQuery. */
export const select: QueryKind<SelectQueryInputs, SelectQueryState, "select"> = {
  type: "select",
  resource: "SelectQuery",
  other: "SplitTable",
  overwrites: true,

  /** The objects of the tables that no resource of the program makes. */
  objectsOf({ query, tables }) {
    const others = checkStatement(query).tables.filter((_table, index) => !isFollowed(index, tables));
    const folders = others.map(({ database, table }) => `dag://${database}/${table}/`);
    return (storage, missing) => objectsInFolders(storage, folders, missing);
  },

  submit(news, { inputFingerprint }, deadline, context) {
    const { clusterName, query, outputResourcePath, outputFormat, label, triggers } = news;
    const location = folderText(outputResourcePath);
    // A query that reads an earlier generation of a table, or earlier objects, is another query.
    const read = { tables: identityOf(news.tables), inputFingerprint };
    const same = { clusterName, query, location, outputFormat: outputFormat ?? "csv", label, triggers, ...read };
    const submitted = context.submissionToken ? submittedLabel(label, { urn: context.urn, inputs: same }) : label;
    const request = { clusterName, query, outputResourcePath, outputFormat, label: submitted };
    const send = (signal: AbortSignal) =>
      context.client.submitSelect(request, { signal, parentRun: parentRunOf(context.urn) });
    return submitOnce({ clusterName, label: submitted, folder: location, send }, deadline, context);
  },

  unfinishedOutputs: ({ outputResourcePath }, seen) => ({
    stage: seen?.type === "select" ? seen.stage : 0,
    location: folderText(outputResourcePath),
  }),

  stateOf: (record) => ({
    ...recordState(record),
    stage: record.stage,
    location: folderText(record.outputResourcePath),
  }),

  async withResult(state, record, news, context) {
    context.report(`[3/3] collecting the result of query ${record.id}`);
    const log = await fetchLog(record.id, context);
    const result = record.status === "finished" ? await resultOf(news, context) : undefined;
    context.report(`${record.status} · query ${record.id}`);
    return { ...state, ...(log !== undefined && { log }), ...(result && { result }) };
  },

  async withResultAgain(state, news, context) {
    const result = await resultOf(news, context, state.result);
    return { ...state, ...(result && { result }) };
  },

  async resultToCheck(queryId, _record, { query, outputResourcePath, outputFormat, expect }, { programTables }) {
    return {
      queryId,
      folder: folderText(outputResourcePath),
      format: outputFormat ?? "csv",
      columns: expect?.columns && resultColumns(query, (table) => programTables?.get(table)?.columns()),
      columnsRemedy: "name the columns in the statement instead of using *",
      mayHaveHeader: false,
    };
  },

  inputsOf(record: SelectRecord) {
    const { clusterName, query, outputResourcePath, outputFormat } = record;
    const label = userLabel(record.label);
    return { clusterName, query, outputResourcePath, outputFormat, ...(label !== undefined && { label }) };
  },

  folderOf: ({ outputResourcePath }) => folderText(outputResourcePath),
};

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
