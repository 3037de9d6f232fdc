/** Finds the split that created an existing table, so that the resource can adopt the table. */
import { isDeepStrictEqual } from "node:util";
import { defaults, formatColumns, parseColumns, type SplitRecord } from "../../../contract";
import { clusterCoordinator } from "../clusters/cluster-coordinator";
import type { LifecycleContext } from "../lifecycle";
import { folderOfTable } from "../schema/table-names";

/** The inputs that two splits must share for one to adopt the other's table. */
export interface SplitContent {
  readonly clusterName: string;
  readonly inputObjectKeys: readonly string[];
  readonly outputDatabase: string;
  readonly outputTable: string;
  readonly inputFormat?: string | undefined;
  readonly schema?: string | undefined;
}

/** Maximum number of splits to examine, newest first. */
const maxRecords = 200;

/** The split that created or is creating a table. */
export interface TableSplit {
  readonly record: SplitRecord;
  /** True when its inputs are identical, and its resource is neither deleted nor replaced in this run. */
  readonly adoptable: boolean;
  /** True when its inputs are identical. */
  readonly sameInputs: boolean;
  /** True when this run replaces its resource, which is not deleted yet. */
  readonly isReplaced: boolean;
  /** True when this run has deleted its resource. */
  readonly isDeleted: boolean;
  /** The resource that this run has deleted. */
  readonly deletedUrn?: string | undefined;
}

/** Returns the newest finished or running split into a table; undefined if the service has no record of one. */
export async function findTableSplit(
  content: SplitContent,
  context: Pick<LifecycleContext, "client" | "programTables"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<TableSplit | undefined> {
  const { client, signal, programTables } = context;
  const { clusterName } = content;
  const { relinquished } = clusterCoordinator(client, clusterName);
  let examined = 0;
  for await (const { id, status } of client.queries({ clusterName, type: "split", order: "desc" }, { signal })) {
    if (status !== "finished" && status !== "running") continue;
    if (examined++ >= maxRecords) return undefined;
    const record = await client.getQuery({ queryId: id }, { signal });
    if (record.type !== "split" || !sameTable(record, content)) continue;
    const deletedUrn = relinquished.get(id);
    const isDeleted = deletedUrn !== undefined;
    const isMoved = programTables?.movedFrom(folderOfTable(content)) !== undefined;
    const isReplaced = (isMoved || programTables?.isReplaced(id) === true) && !isDeleted;
    const sameInputs = sameContent(record, content);
    return {
      record,
      sameInputs,
      adoptable: sameInputs && !isReplaced && !isDeleted,
      isReplaced,
      isDeleted,
      deletedUrn,
    };
  }
  return undefined;
}

/**
 * Returns true when the columns of a split were given, so that the first row of its table is data; false when the service
 * has found them, which the record of a finished split does not tell; undefined when nobody can tell.
 */
export async function hasGivenColumns(
  { status, schema, outputDatabase, outputTable }: SplitRecord,
  { client, signal }: Pick<LifecycleContext, "client"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<boolean | undefined> {
  if (status !== "finished" || !schema) return Boolean(schema);
  const listed = await client.listTables({ database: outputDatabase }, { signal });
  const found = listed?.tables.find(({ table }) => table === outputTable);
  return found?.source === "split" ? found.columns !== undefined : undefined;
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
