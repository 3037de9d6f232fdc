/** What another engine must know of a table of a statement: its columns, and how to read its objects. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column, QueryNote } from "../../../../contract";
import { withSortedFields } from "../../../../hiveql/index";
import type { ExternalTable, Reader } from "../../prepared-statement";
import type { EngineTable, FileExtent } from "../files";
import type { Tables } from "../tables";
import { quotePathPattern } from "../sql-quoting";
import { scansAllRows, type ScanMode } from "../tables/columns";
import type { ParquetRows } from "../tables/parquet/rows";
import { hiveTypeOf } from "../tables/parquet/types";
import { showsColumn } from "../tables/partitions/values";
import type { PartitionedTable } from "../tables/partitions/index";
import { resolveTable, type ResolvedFile } from "../tables/resolve";
import { nonNumberNotes } from "../tables/undeclared/non-numbers";
import { cannotRead, hiveFolders, plainText, requireCastable, requireSparkLayout } from "./facts";
import { sparkTextFacts } from "./spark-text";
import { hiveTextFacts } from "./text-facts";

/**
 * Returns the columns of a table and how another engine reads its objects.
 * @throws EngineError when that engine would read them differently
 */
export async function tableFacts(
  tables: Tables,
  connection: DuckDBConnection,
  table: PartitionedTable,
  { scanMode, reader, signal }: { readonly scanMode: ScanMode; readonly reader: Reader; readonly signal: AbortSignal },
): Promise<Omit<ExternalTable, "database" | "table" | "paths"> & { readonly notes: readonly QueryNote[] }> {
  const { format, partitionColumns: partitions } = table;
  if (reader === "spark") requireSparkLayout(table);
  const folders = reader === "hive" ? hiveFolders(table) : [];
  const common = { format, partitions: [...partitions], folders, isEmpty: table.files.length === 0 };
  const isScanned = scansAllRows(table.files, scanMode);
  await tables.provide(table, isScanned && table.files.length > 0 ? scannedExtent(table) : "outline", signal);
  if (format === "parquet") {
    const { columns, stored = [] } = await tables.parquetRows(connection, table, signal);
    const unsigned = stored.find(({ type }) => /\bU(?:INTEGER|BIGINT)\b/.test(type.toString()));
    if (reader === "hive" && unsigned) throw cannotRead({ table }, `has unsigned numbers in "${unsigned.name}"`);
    requireOwnFields(table, columns, stored);
    if (!table.columns?.length) await requireOwnNames(connection, table, columns);
    // Its notes are on values, which the other engine reads by itself.
    return { ...plainText, ...common, notes: [], columns: columns.map(({ name, type }) => ({ name, type })) };
  }
  const resolved = await resolveTable(table, format, { signal, holdsLoop: true });
  const columns = await tables.columnsOfAnyCell(connection, resolved, { scanMode, signal });
  const scan = { isScanned, columnCount: columns.length, chunks: (file: ResolvedFile) => tables.chunks(file, signal) };
  const facts = reader === "hive" ? await hiveTextFacts(resolved, scan) : await sparkTextFacts(resolved, scan);
  if (reader === "hive") requireCastable(table, columns, facts);
  const isShown = showsColumn(table);
  const isEmpty = resolved.files.length === 0;
  return {
    ...facts,
    ...common,
    notes: [...resolved.notes, ...nonNumberNotes(table, columns)],
    isEmpty,
    columns: columns.map(({ name, type }) => ({ name, type: isShown(name) ? type : "" })),
  };
}

/** Returns what must be in the files of a table that another engine reads: only types that are found need all rows. */
const scannedExtent = ({ format, columns = [] }: EngineTable): FileExtent =>
  format === "parquet" || columns.length > 0 ? "heads" : "whole";

/**
 * Refuses nested values with other fields or types than the table's: the embedded engine converts them by the names of the
 * fields. @throws EngineError
 */
function requireOwnFields(
  table: PartitionedTable,
  columns: readonly Column[],
  stored: NonNullable<ParquetRows["stored"]>,
): void {
  for (const { name, type } of stored) {
    const own = hiveTypeOf(type);
    const column = columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!own?.includes("<") || !column) continue;
    const [, field] = /[<,]([^:<>,]*[^\p{L}\p{N}_:<>,][^:<>,]*):/u.exec(own) ?? [];
    if (field !== undefined) throw cannotRead({ table }, `has the field "${field}" in the column "${column.name}"`);
    if (withSortedFields(own) === withSortedFields(column.type)) continue;
    throw cannotRead({ table }, `has the column "${column.name}" of ${column.type}, which is ${own} in an object`);
  }
}

/**
 * Refuses columns that the embedded engine numbers because their names differ in case only: no object has the column
 * `x_1`, and another engine would read NULL.
 * @throws EngineError
 */
async function requireOwnNames(
  connection: DuckDBConnection,
  table: PartitionedTable,
  columns: readonly Pick<Column, "name">[],
): Promise<void> {
  const numbered = columns.filter(({ name }) => /_\d+$/.test(name));
  if (numbered.length === 0 || table.files.length === 0) return;
  const paths = table.files.map(({ path }) => quotePathPattern(path)).join(", ");
  const reader = await connection.runAndReadAll(`SELECT DISTINCT name FROM parquet_schema([${paths}])`);
  const own = new Set(reader.getRowsJson().map(([name]) => String(name).toLowerCase()));
  const wrong = numbered.find(({ name }) => !own.has(name));
  if (!wrong) return;
  throw cannotRead({ table }, `has columns whose names differ in case only, as that of "${wrong.name}" does`);
}
