/**
 * Generates the SQL of the typed rows of text files. As in Hive, a text that is not a value of the column's type is NULL.
 */
import { castPlain, castWithFastPath, isDecimal, plainTypes, type TextCasts, tryCast, type CastFromText } from "./cast";
import { exactJsonScan, jsonScan, memberText } from "./json/scan";
import type { TypedColumn } from "./undeclared/column-types";
import type { ResolvedTable } from "./resolve";
import { scannedOrigin } from "./partitions/number";
import { dataColumn, showsColumn, type TableRows } from "./partitions/values";
import { textColumn, type TextFile, textScan } from "./text-scan";

export interface TypedViewOptions {
  readonly columns: readonly TypedColumn[];
  readonly cast: CastFromText;
  /** True when several threads may read a file. */
  readonly parallel: boolean;
}

/** Returns the rows of a table with typed columns. */
export function typedRows(resolved: ResolvedTable, given: TypedViewOptions): TableRows {
  const options = resolved.files.some(({ spacedQuotes }) => spacedQuotes === true) ? readAsText(given) : given;
  const { columns, cast } = options;
  const isShown = showsColumn(resolved.table);
  const tryCasts = columns.flatMap(({ type, form }, index) => {
    const value = form === undefined ? tryCast(textColumn(index), type) : undefined;
    return value === undefined ? [] : [`${value} AS ${valueColumn(index)}`];
  });
  const shown = columns.flatMap((column, index) => (isShown(column.name) ? [{ column, index }] : []));
  const casts = { cast, underscores: resolved.format === "json" || resolved.files.some(mayHaveUnderscores) };
  const list = [
    ...shown.map(({ column, index }, position) => `${valueSql(column, index, casts)} AS ${dataColumn(position)}`),
    scannedOrigin(resolved.files),
  ];
  const sql = `SELECT ${list.join(", ")} FROM (SELECT ${["*", ...tryCasts].join(", ")} FROM (${cellsSql(resolved, options)}))`;
  return { columns: shown.map(({ column }) => column), sql };
}

/** Lets the reader produce texts only. */
function readAsText(options: TypedViewOptions): TypedViewOptions {
  const columns = options.columns.map((column) => (column.form ? { ...column, form: "plain" as const } : column));
  return { ...options, columns };
}

/** Returns a SELECT of the cells as `t0`, `t1`, …: texts, or values when the reader can produce them. */
function cellsSql({ format, files }: ResolvedTable, { columns, parallel }: TypedViewOptions): string {
  if (format !== "json") return textScan({ format, files, parallel, types: columns.map((column) => scanType(column)) });
  const members = columns.map(
    ({ name, type }, index) => `${memberText(name, isDecimal(type) ? "exact" : "json")} AS ${textColumn(index)}`,
  );
  const scan = columns.some(({ type }) => isDecimal(type)) ? exactJsonScan(files) : jsonScan(files);
  return `SELECT ${[...members, scannedOrigin(files)].join(", ")} FROM (${scan})`;
}

/** Returns the type with which the reader of text files produces a column. */
function scanType({ type, form }: TypedColumn): string {
  return form === "plain-never-empty" ? (plainTypes.get(type) ?? "VARCHAR") : "VARCHAR";
}

const mayHaveUnderscores = ({ underscores }: TextFile) => underscores !== false;

function valueSql(column: TypedColumn, index: number, casts: TextCasts): string {
  const text = textColumn(index);
  const { type, form } = column;
  if (column.isEmptyNull) return `nullif(${text}, '')`;
  if (form === undefined) return castWithFastPath(text, tryCast(text, type) && valueColumn(index), type, casts);
  return scanType(column) === "VARCHAR" ? castPlain(text, type) : text;
}

const valueColumn = (index: number) => `v${index}`;
