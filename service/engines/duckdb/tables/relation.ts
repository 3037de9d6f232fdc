/** The SQL of a table whose columns have their types, as Hive reads it: a text that is no value of its type is NULL. */
import { quoteName } from "../sql";
import { castPlain, castQuickly, plainTypes, type CastFromText } from "./cast";
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
export function relationSql({ table, files }: ResolvedTable, { columns, cast, parallel }: RelationOptions): string {
  const { format } = table;
  const texts = columns.map(({ name }, index) => (format === "json" ? memberText(name) : textColumn(index)));
  const list = columns.map((column, index) => `${valueSql(texts[index]!, column, cast)} AS ${quoteName(column.name)}`);
  const scan =
    format === "json"
      ? jsonScan(files)
      : textScan({ format, files, parallel, types: columns.map((column) => scanType(column)) });
  return `SELECT ${list.join(", ")} FROM (${scan})`;
}

/** The type as which the reader itself yields a column. */
function scanType({ type, written }: KnownColumn): string {
  return written === "plain-never-empty" ? (plainTypes.get(type) ?? "VARCHAR") : "VARCHAR";
}

function valueSql(text: string, column: KnownColumn, cast: CastFromText): string {
  if (column.written === undefined) return castQuickly(text, column.type, cast);
  return scanType(column) === "VARCHAR" ? castPlain(text, column.type) : text;
}
