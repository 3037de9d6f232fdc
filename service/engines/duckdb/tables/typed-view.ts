/** The SQL of a table whose columns have their types, as Hive reads it: a text that is no value of its type is NULL. */
import { quoteName } from "../sql";
import { castPlain, castQuickly, plainTypes, tryCast, type CastFromText } from "./cast";
import { jsonScan, memberText } from "./json";
import type { KnownColumn } from "./prove";
import type { ResolvedTable } from "./resolve";
import { textColumn, textScan } from "./text";

export interface RelationOptions {
  readonly columns: readonly KnownColumn[];
  readonly cast: CastFromText;
  /** Whether a file may be read by several threads. */
  readonly parallel: boolean;
}

/** A SELECT of the table's rows under the names of its columns. */
export function relationSql(resolved: ResolvedTable, options: RelationOptions): string {
  const { columns, cast } = options;
  const tried = columns.flatMap(({ type, written }, index) => {
    const value = written === undefined ? tryCast(textColumn(index), type) : undefined;
    return value === undefined ? [] : [`${value} AS ${valueColumn(index)}`];
  });
  const list = columns.map((column, index) => `${valueSql(column, index, cast)} AS ${quoteName(column.name)}`);
  return `SELECT ${list.join(", ")} FROM (SELECT ${["*", ...tried].join(", ")} FROM (${textsSql(resolved, options)}))`;
}

/** A SELECT of the cells as `t0`, `t1`, …: texts, or values where the reader itself yields them. */
function textsSql({ table, files }: ResolvedTable, { columns, parallel }: RelationOptions): string {
  const { format } = table;
  if (format !== "json") return textScan({ format, files, parallel, types: columns.map((column) => scanType(column)) });
  const members = columns.map(({ name }, index) => `${memberText(name)} AS ${textColumn(index)}`);
  return `SELECT ${members.join(", ")} FROM (${jsonScan(files)})`;
}

/** The type as which the reader of text files itself yields a column. */
function scanType({ type, written }: KnownColumn): string {
  return written === "plain-never-empty" ? (plainTypes.get(type) ?? "VARCHAR") : "VARCHAR";
}

function valueSql(column: KnownColumn, index: number, cast: CastFromText): string {
  const text = textColumn(index);
  const { type, written } = column;
  if (written === undefined) return castQuickly(text, tryCast(text, type) && valueColumn(index), type, cast);
  return scanType(column) === "VARCHAR" ? castPlain(text, type) : text;
}

const valueColumn = (index: number) => `v${index}`;
