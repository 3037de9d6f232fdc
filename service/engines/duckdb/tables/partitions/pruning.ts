/** Selects the partitions that a statement needs, before any object is opened. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { TableNode } from "../../../../../hiveql/index";
import { duckdbErrorKind } from "../../engine-errors";
import type { Statement } from "../../process/translator";
import type { CastFromText } from "../cast";
import { quoteIdentifier } from "../../sql-quoting";
import { namedPartitionRowsSql, numberColumn } from "./values";
import type { PartitionedTable } from "./index";

/** A table with those of its objects that some places of a statement need. */
export interface TableRead {
  readonly table: PartitionedTable;
  /** The places. */
  readonly nodes: readonly TableNode[];
}

/**
 * Returns the reads of a statement. A table has several when it is named with different conditions.
 * @param options.onlyPlain true to take only conditions that another engine decides as Hive does
 */
export async function selectPartitions(
  connection: DuckDBConnection,
  tables: readonly PartitionedTable[],
  query: Statement,
  { cast, onlyPlain = false }: { readonly cast: CastFromText; readonly onlyPlain?: boolean },
): Promise<TableRead[]> {
  const byName = new Map(tables.map((table) => [`${table.database}.${table.table}`, table]));
  const columnsOf = (database: string, table: string) => byName.get(`${database}.${table}`)?.partitionColumns;
  const conditions = query.partitionsNeeded(columnsOf, onlyPlain);
  const reads = new Map<string, TableRead>();
  for (const [node, { database, table: name, sql }] of conditions) {
    const table = byName.get(`${database}.${name}`);
    // The translation refuses a table that is not there.
    if (!table) continue;
    const key = JSON.stringify([database, name, sql]);
    const read = reads.get(key) ?? { table: await selected(connection, table, sql, cast), nodes: [] };
    reads.set(key, { ...read, nodes: [...read.nodes, node] });
  }
  return [...reads.values()];
}

/** Returns a table with the files of the partitions that meet a condition. */
async function selected(
  connection: DuckDBConnection,
  table: PartitionedTable,
  condition: string | undefined,
  cast: CastFromText,
): Promise<PartitionedTable> {
  if (condition === undefined || table.files.length === 0) return table;
  const kept = await matching(connection, table, condition, cast);
  if (kept.length === table.partitionRows.length) return table;
  const indexes = new Map(kept.map((partition, index) => [partition, index]));
  const files = table.files.flatMap((file) => {
    const partition = indexes.get(file.partition);
    return partition === undefined ? [] : [{ ...file, partition }];
  });
  const partitionRows = kept.map((index) => table.partitionRows[index]!);
  return withFiles({ ...table, partitionRows }, files);
}

/** Returns a table with some of its files. Undeclared columns are those of some, also when the statement needs none. */
export function withFiles(table: PartitionedTable, files: PartitionedTable["files"]): PartitionedTable {
  return { ...table, files, sampled: files.length > 0 || table.columns?.length ? files : table.files };
}

/** Returns the indexes of the partitions for which a condition is true, or cannot be computed. */
async function matching(
  connection: DuckDBConnection,
  table: PartitionedTable,
  condition: string,
  cast: CastFromText,
): Promise<number[]> {
  const number = quoteIdentifier(numberColumn);
  const isNeeded = `coalesce(TRY(coalesce(${condition}, false)), true)`;
  try {
    const reader = await connection.runAndReadAll(
      `SELECT ${number} FROM (${namedPartitionRowsSql(table, cast)}) p WHERE ${isNeeded} ORDER BY ALL`,
    );
    return reader.getRowsJson().map(([found]) => Number(found) - 1);
  } catch (error) {
    // TRY refuses functions that can raise an error of ours, such as lpad.
    if (!["translation", "correlated"].includes(duckdbErrorKind(error))) throw error;
    return table.partitionRows.map((_row, index) => index);
  }
}
