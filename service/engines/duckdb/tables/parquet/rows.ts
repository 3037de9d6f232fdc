/**
 * Generates the SQL of the rows of Parquet files. As in Hive, columns are found by their names without regard to case, and
 * a column that a file does not have is NULL.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { nestingLimits, type Column, type QueryNote } from "../../../../../contract";
import { storageType } from "../../../../../hiveql/index";
import { EngineError } from "../../engine-errors";
import { quoteIdentifier, quotePathPattern } from "../../sql-quoting";
import type { CastFromText } from "../cast";
import { noOrigin, originColumns } from "../partitions/number";
import { dataColumn, showsColumn, type TableRows } from "../partitions/values";
import type { PartitionedFile, PartitionedTable } from "../partitions/index";
import { byTableName, namesOf } from "./names";
import type { ParquetColumn, ParquetColumns, ParquetGroup } from "./schema";
import { commonHiveType, withoutUnknown } from "./common-type";
import { convertedValue, hiveTypeOf, isReadAs, nestingOf } from "./types";

/** The rows of a table, and what the user should know of them. */
export interface ParquetRows extends TableRows {
  /** For the query's log. */
  readonly notes: readonly QueryNote[];
  /** The columns as the files have them. */
  readonly stored?: readonly Pick<ParquetColumn, "name" | "type">[];
}

export interface ParquetRowsOptions {
  readonly cast: CastFromText;
  readonly parquetColumns: ParquetColumns;
  readonly signal: AbortSignal;
}

/**
 * Returns the rows of a table. Its columns are declared, or those of the files.
 * @throws EngineError when a file is not Parquet, or its columns cannot be read as those of the table.
 */
export async function parquetRows(
  connection: DuckDBConnection,
  table: PartitionedTable,
  { cast, parquetColumns, signal }: ParquetRowsOptions,
): Promise<ParquetRows> {
  const groupsOf = (files: readonly PartitionedFile[]) => parquetColumns.groupsOf(connection, files, signal);
  const groups = await groupsOf(table.files);
  const isShown = showsColumn(table);
  const columns = table.columns?.length
    ? table.columns
    : foundColumns(table, groups.length > 0 ? groups : await groupsOf(sampledFiles(table)));
  const shown = columns.filter(({ name }) => isShown(name));
  const taken = namesOf(groups);
  const scans = groups.map((group) => scanSql(group, { table, declared: shown, groups, taken, cast }));
  const none = shown.map(({ type }, index) => `NULL::${storageType(type)} AS ${dataColumn(index)}`);
  if (shown.length + table.partitionColumns.length === 0) {
    throw new EngineError(`the table "${table.database}.${table.table}" has no columns`);
  }
  const nothing = `SELECT ${[...none, noOrigin].join(", ")} WHERE false`;
  const cutOff = [...new Set(groups.flatMap((group) => group.cutOff))];
  const text = `timestamps of "${table.database}.${table.table}" are stored with nanoseconds (${cutOff.join(", ")}): their digits below a microsecond are cut off`;
  const notes: readonly QueryNote[] = cutOff.length === 0 ? [] : [{ severity: "warning", text }];
  const stored = groups.flatMap((group) => group.columns);
  return { columns: shown, notes, stored, sql: scans.length > 0 ? scans.join(" UNION ALL ") : nothing };
}

/** Returns the files whose columns a statement has that reads no row. */
const sampledFiles = ({ sampled = [] }: PartitionedTable): PartitionedFile[] =>
  sampled.slice(0, 1).map((file) => ({ ...file, partition: 0 }));

function foundColumns({ database, table }: PartitionedTable, groups: readonly ParquetGroup[]): Column[] {
  const taken = namesOf(groups);
  const found = new Map<string, { readonly type?: string; readonly file: PartitionedFile }>();
  for (const { files, columns } of groups) {
    const file = files[0]!;
    for (const [name, column] of byTableName(columns, taken)) {
      requireReadable(column, file);
      const earlier = found.get(name);
      const type = column.isNull ? earlier?.type : hiveTypeOf(column.type);
      if (type === undefined && !column.isNull) throw unreadable(column, file);
      const common = type === undefined || earlier?.type === undefined ? type : commonHiveType(earlier.type, type);
      if (type !== undefined && common === undefined) {
        const both = ["double", "string"].find((target) => isReadAs(earlier!.type!, target) && isReadAs(type, target));
        const remedy = both === undefined ? "" : `declare it as ${both} in the config, or `;
        throw new EngineError(
          `the column "${name}" of the table "${database}.${table}" is ${earlier!.type} in ${earlier!.file.location} and ${type} in ${file.location}: ${remedy}write the objects with one type`,
        );
      }
      found.set(name, { ...(common && { type: common }), file: earlier?.type === undefined ? file : earlier.file });
    }
  }
  return [...found].map(([name, { type = "void" }]) => ({ name, type: withoutUnknown(type) }));
}

interface ScanOptions {
  readonly table: Pick<PartitionedTable, "database" | "table">;
  readonly declared: readonly Column[];
  /** All files of the table. */
  readonly groups: readonly ParquetGroup[];
  readonly taken: ReadonlySet<string>;
  readonly cast: CastFromText;
}

/** Returns a SELECT of the columns of files with the same columns. */
function scanSql({ files, columns }: ParquetGroup, options: ScanOptions): string {
  const { table, declared, taken, cast } = options;
  const byName = byTableName(columns, taken);
  const cells = declared.map(({ name, type }, index) => {
    const column = byName.get(name.toLowerCase());
    if (!column || column.isNull) return `NULL::${storageType(type)} AS ${dataColumn(index)}`;
    requireReadable(column, files[0]!);
    const where = `the column "${name}" of "${table.database}.${table.table}"`;
    const { isInRange } = column;
    const value = convertedValue(quoteIdentifier(column.name), column.type, type, { cast, isInRange, where });
    if (value === undefined) throw otherType(column, { ...options, column: { name, type }, of: files[0]! });
    return `${value} AS ${dataColumn(index)}`;
  });
  const paths = files.map(({ path, remote = path }) => quotePathPattern(remote)).join(", ");
  // Other programs leave NaN out of a column's least and greatest value, by which DuckDB leaves row groups out.
  const reading = "hive_partitioning = false, union_by_name = false, can_have_nan = true";
  return `SELECT ${[...cells, originColumns(files)].join(", ")} FROM read_parquet([${paths}], ${reading})`;
}

/** Refuses a column whose values no Hive type has, or that takes too long to read. @throws EngineError */
function requireReadable({ name, type, problem }: ParquetColumn, { location }: PartitionedFile): void {
  if (problem !== undefined)
    throw new EngineError(
      `the column "${name}" of ${location} ${problem}, or declare the table's schema without it in the config`,
    );
  const { levels, lists } = nestingOf(type);
  if (levels <= nestingLimits.levels && lists <= nestingLimits.lists) return;
  throw new EngineError(
    `the column "${name}" of ${location} has ${levels} nested levels, of which ${lists} are arrays or maps, and at most ${nestingLimits.levels} levels with ${nestingLimits.lists} arrays or maps can be read: declare the table's schema without it in the config, or write it with fewer levels`,
  );
}

function unreadable({ name, type }: ParquetColumn, { location }: PartitionedFile) {
  return new EngineError(
    `the column "${name}" of ${location} has the type ${type.toString()}, for which Hive has none: declare the table's schema without it in the config, or write it as another type`,
  );
}

interface OtherType extends ScanOptions {
  readonly column: Column;
  readonly of: PartitionedFile;
}

/** Returns the error for a column of another type than it is declared, with the type in which all files can be read. */
function otherType({ type }: ParquetColumn, { column, of, groups, taken, cast }: OtherType) {
  const name = column.name.toLowerCase();
  const others = groups.flatMap(({ files, columns }) => {
    const other = byTableName(columns, taken).get(name);
    return other && !other.isNull ? [{ ...other, own: hiveTypeOf(other.type), file: files[0]! }] : [];
  });
  const readsAll = (target: string) =>
    others.every((other) => convertedValue("", other.type, target, { cast, isInRange: true, where: "" }) !== undefined);
  const own = hiveTypeOf(type) ?? type.toString();
  const found = [own, ...others.flatMap((other) => other.own ?? []), "double"].find(readsAll);
  const wrong = `the column "${name}" is declared as ${column.type}, and is ${own} in ${of.location}`;
  if (found !== undefined)
    return new EngineError(`${wrong}: declare it as ${found} in the config, and use CAST in the statement`);
  const other = others.find((each) => each.own !== own);
  const also = other ? ` and ${other.own ?? other.type.toString()} in ${other.file.location}` : "";
  return new EngineError(`${wrong}${also}: no declaration reads all objects, so write them with one type`);
}
