/**
 * Generates the SQL of a view with typed columns. As in Hive, a text that is not a value of the column's type is NULL.
 */
import { quoteIdentifier, quoteLiteral } from "../sql-quoting";
import { castPlain, castWithFastPath, plainTypes, tryCast, type CastFromText } from "./cast";
import { jsonScan, memberText } from "./json-scan";
import type { TypedColumn } from "./column-types";
import type { ResolvedTable } from "./resolve";
import { partitionColumn, partitionValue } from "./partition-number";
import type { PartitionedTable } from "./partitions";
import { textColumn, textScan } from "./text-scan";

export interface TypedViewOptions {
  readonly columns: readonly TypedColumn[];
  readonly cast: CastFromText;
  /** True when several threads may read a file. */
  readonly parallel: boolean;
}

/** Returns a SELECT of the table's rows with typed columns; the partition columns are last, as in Hive. */
export function typedViewSql(resolved: ResolvedTable, options: TypedViewOptions): string {
  const { columns, cast } = options;
  const isShown = showsColumn(resolved.table);
  const tryCasts = columns.flatMap(({ type, form }, index) => {
    const value = form === undefined ? tryCast(textColumn(index), type) : undefined;
    return value === undefined ? [] : [`${value} AS ${valueColumn(index)}`];
  });
  const list = [
    ...columns.flatMap((column, index) =>
      isShown(column.name) ? [`${valueSql(column, index, cast)} AS ${quoteIdentifier(column.name)}`] : [],
    ),
    ...partitionValues(resolved.table, cast),
  ];
  return `SELECT ${list.join(", ")} FROM (SELECT ${["*", ...tryCasts].join(", ")} FROM (${cellsSql(resolved, options)}))`;
}

/** Returns a test for columns of the data that the table has: the value of a folder hides one of the same name. */
export function showsColumn({ partitionColumns }: PartitionedTable): (name: string) => boolean {
  const hidden = new Set(partitionColumns.map(({ name }) => name));
  return (name) => !hidden.has(name.toLowerCase());
}

/** Returns the partition columns of a SELECT over a scan that has {@link partitionColumn}. */
export function partitionValues({ partitionColumns, partitionRows }: PartitionedTable, cast: CastFromText): string[] {
  return partitionColumns.map(({ name, type }, level) => {
    const sqlOf = (value: string | null) => cast(value === null ? "NULL::VARCHAR" : quoteLiteral(value), type);
    const [first = sqlOf(null), ...others] = partitionRows.map((row) => sqlOf(row[level] ?? null));
    return `${partitionValue([first, ...others])} AS ${quoteIdentifier(name)}`;
  });
}

/** Returns a SELECT of the cells as `t0`, `t1`, …: texts, or values when the reader can produce them. */
function cellsSql({ format, files }: ResolvedTable, { columns, parallel }: TypedViewOptions): string {
  if (format !== "json") return textScan({ format, files, parallel, types: columns.map((column) => scanType(column)) });
  const members = columns.map(({ name }, index) => `${memberText(name)} AS ${textColumn(index)}`);
  return `SELECT ${[...members, partitionColumn].join(", ")} FROM (${jsonScan(files)})`;
}

/** Returns the type with which the reader of text files produces a column. */
function scanType({ type, form }: TypedColumn): string {
  return form === "plain-never-empty" ? (plainTypes.get(type) ?? "VARCHAR") : "VARCHAR";
}

function valueSql(column: TypedColumn, index: number, cast: CastFromText): string {
  const text = textColumn(index);
  const { type, form } = column;
  if (form === undefined) return castWithFastPath(text, tryCast(text, type) && valueColumn(index), type, cast);
  return scanType(column) === "VARCHAR" ? castPlain(text, type) : text;
}

const valueColumn = (index: number) => `v${index}`;
