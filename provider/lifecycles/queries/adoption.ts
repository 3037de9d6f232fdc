/** Finds the split that made a table, so that a table that is there already is not made twice. */
import { isDeepStrictEqual } from "node:util";
import { defaults, formatColumns, parseColumns, type SplitRecord } from "../../../contract";
import { clusterCoordinator } from "./cluster-coordinator";
import type { LifecycleContext } from "../lifecycle";

/** What makes two splits the same. */
export interface SplitContent {
  readonly clusterName: string;
  readonly inputObjectKeys: readonly string[];
  readonly outputDatabase: string;
  readonly outputTable: string;
  readonly inputFormat?: string | undefined;
  readonly schema?: string | undefined;
}

/** Splits of the cluster that are looked at, the newest first. */
const mostLooks = 200;

/** The split that made a table, or makes it. */
export interface TableMaker {
  readonly record: SplitRecord;
  /** Whether it is of the very same inputs, and nobody in this process has given it up. */
  readonly same: boolean;
}

/** The newest split into a table that finished or runs; undefined where the service has no record of one. */
export async function findTableMaker(
  content: SplitContent,
  context: LifecycleContext,
): Promise<TableMaker | undefined> {
  const { client, signal } = context;
  const { clusterName } = content;
  const { relinquished } = clusterCoordinator(client, clusterName);
  let looks = 0;
  for await (const { id, status } of client.queries({ clusterName, type: "split", order: "desc" }, { signal })) {
    if (status !== "finished" && status !== "running") continue;
    if (looks++ >= mostLooks) return undefined;
    const record = await client.getQuery({ queryId: id }, { signal });
    if (record.type !== "split" || !sameTable(record, content)) continue;
    return { record, same: sameContent(record, content) && !relinquished.has(id) };
  }
  return undefined;
}

function sameTable(record: SplitRecord, { outputDatabase, outputTable }: SplitContent): boolean {
  return record.outputDatabase === outputDatabase && record.outputTable === outputTable;
}

function sameContent(record: SplitRecord, { inputObjectKeys, inputFormat, schema }: SplitContent): boolean {
  return (
    isDeepStrictEqual(record.inputObjectKeys, [...inputObjectKeys]) &&
    record.inputFormat === (inputFormat ?? defaults.inputFormat) &&
    (schema === undefined || columns(record.schema ?? "") === columns(schema))
  );
}

function columns(schema: string): string {
  return schema === "" ? "" : formatColumns(parseColumns(schema));
}
