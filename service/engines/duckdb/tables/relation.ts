/** The SQL of a table whose columns have their types, as Hive reads it: a text that is no value of its type is NULL. */
import type { Column } from "../../../../provider/api";
import { quoteName } from "../sql";
import { jsonScan, memberText } from "./json";
import type { ResolvedTable } from "./resolve";
import { textColumn, textScan } from "./text";

/** SQL that reads a text, which is SQL too, as a value of a Hive type. */
export type CastFromText = (text: string, hiveType: string) => string;

export interface RelationOptions {
  readonly columns: readonly Column[];
  readonly cast: CastFromText;
  /** Whether a file may be read by several threads. */
  readonly parallel: boolean;
}

/** A SELECT of the table's rows under the names of its columns. */
export function relationSql({ table, files }: ResolvedTable, { columns, cast, parallel }: RelationOptions): string {
  const select = (text: (column: Column, index: number) => string) =>
    columns.map((column, index) => `${cast(text(column, index), column.type)} AS ${quoteName(column.name)}`).join(", ");
  if (table.format === "json") return `SELECT ${select(({ name }) => memberText(name))} FROM (${jsonScan(files)})`;
  const scan = textScan({ format: table.format, files, columnCount: columns.length, parallel });
  return `SELECT ${select((_, index) => textColumn(index))} FROM (${scan})`;
}
