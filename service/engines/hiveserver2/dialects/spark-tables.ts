/** How Spark reads the tables of a statement: temporary views over their objects, and queries that give them types. */
import type { Column } from "../../../../contract";
import type { ExternalTable } from "../../prepared-statement";
import { fieldValue, nothing } from "./spark-casts";
import { isText, literal, quoteName } from "./text";

/** The column of a view over lines, and that of their cells. */
const line = "value";
const cells = "dag_cells";

/** Returns the statement that creates a temporary view over the files of a folder; none for a table without rows. */
export function createView(name: string, table: ExternalTable, folder: string): readonly string[] {
  if (table.isEmpty) return [];
  const { columns, partitions, paths, header, carriageReturns } = table;
  const kind = kindOf(table);
  const fields = {
    lines: [`${line} STRING`],
    csv: columns.map((_, index) => `${csvColumn(index)} STRING`),
    parquet: columns.map(({ name: column, type }) => `${quoteName(column)} ${isText(type) ? "STRING" : type}`),
  }[kind];
  const folders = partitions.map(({ name: column }) => `${quoteName(column)} STRING`);
  const options = {
    path: paths.length > 0 ? `${folder}/{${paths.join(",")}}` : folder,
    // The partition folders are those below it.
    ...(paths.length > 0 ? { basePath: folder } : {}),
    // With it, folders below the table's are read, and have no values.
    ...(partitions.length > 0 ? {} : { recursiveFileLookup: "true" }),
    ...(kind === "csv" ? { ...csvOptions, header: String(header), lineSep: carriageReturns ? "\r\n" : "\n" } : {}),
  };
  const list = Object.entries(options).map(([option, value]) => `${option} ${literal(value)}`);
  const source = kind === "lines" ? "text" : kind;
  const definition = [...fields, ...folders].join(", ");
  return [`CREATE TEMPORARY VIEW ${name} (${definition}) USING ${source} OPTIONS (${list.join(", ")})`];
}

/** Cells in quotes may have newlines. An empty cell is NULL in the view, and so is one with nothing in its quotes. */
const csvOptions = {
  multiLine: "true",
  sep: ",",
  quote: '"',
  escape: '"',
  nullValue: "",
  emptyValue: "",
  maxColumns: "100000",
  encoding: "UTF-8",
};
const csvColumn = (index: number) => `dag_c${index}`;

/** Returns a query over a view, with the types of the table's columns. */
export function viewSource(name: string, table: ExternalTable): string {
  const { columns, partitions } = table;
  const shown = columns.flatMap((column, index) => (column.type === "" ? [] : [{ ...column, index }]));
  if (table.isEmpty) {
    const list = [...shown, ...partitions].map((column) => named(nothing(column.type), column));
    return `(SELECT ${list.join(", ")} WHERE false)`;
  }
  const folders = partitions.map((column) => named(fieldValue(quoteName(column.name), column.type), column));
  const kind = kindOf(table);
  if (kind === "parquet") {
    const values = shown.map((column) => {
      const value = quoteName(column.name);
      return isText(column.type) ? named(fieldValue(value, column.type), column) : value;
    });
    return `(SELECT ${[...values, ...folders].join(", ")} FROM ${name})`;
  }
  if (kind === "csv") {
    const values = shown.map((column) => named(fieldValue(csvText(csvColumn(column.index)), column.type), column));
    return `(SELECT ${[...values, ...folders].join(", ")} FROM ${name})`;
  }
  const inner = [linesQuery(table), ...partitions.map(({ name: column }) => quoteName(column))];
  const texts = `SELECT ${inner.join(", ")} FROM ${name}${linesCondition(table)}`;
  const values = shown.map((column) => named(fieldValue(cellText(column, table), column.type), column));
  return `(SELECT ${[...values, ...folders].join(", ")} FROM (${texts}))`;
}

type Kind = "lines" | "csv" | "parquet";

function kindOf({ format, quotes }: ExternalTable): Kind {
  if (format === "parquet") return "parquet";
  return quotes ? "csv" : "lines";
}

const named = (value: string, { name }: Pick<Column, "name">) => `${value} AS ${quoteName(name)}`;

/** A line of JSON that is not an object fails the statement, as it does in the embedded engine. */
function linesQuery({ format }: ExternalTable): string {
  if (format === "json") return `from_json(${line}, 'map<string,string>', map('mode', 'FAILFAST')) AS ${cells}`;
  return `split(${line}, ${literal(format === "csv" ? "," : "\t")}, -1) AS ${cells}`;
}

function linesCondition({ format, headerLines }: ExternalTable): string {
  if (format === "json") return ` WHERE trim(BOTH ' \\t' FROM ${line}) <> ''`;
  return headerLines.length > 0 ? ` WHERE ${line} NOT IN (${headerLines.map(literal).join(", ")})` : "";
}

/** Returns the text of a cell; NULL for `\N` and for one that the line does not have. */
function cellText({ name, index }: Column & { readonly index: number }, { format, escapes }: ExternalTable): string {
  if (format === "json") return memberText(name);
  const cell = `nullif(get(${cells}, ${index}), ${literal("\\N")})`;
  return escapes ? unescaped(cell) : cell;
}

/** The names of members are compared without case; the name in lower case is tried first. */
function memberText(name: string): string {
  const key = literal(name.toLowerCase());
  return `coalesce(element_at(${cells}, ${key}), get(map_values(map_filter(${cells}, (k, v) -> lower(k) = ${key})), 0))`;
}

/** The view cannot distinguish an empty cell from one in quotes, and both are the empty text. */
const csvText = (cell: string) => `nullif(nvl(${cell}, ''), ${literal("\\N")})`;

function unescaped(text: string): string {
  const part = [
    ["\\t", "\t"],
    ["\\n", "\n"],
    ["\\r", "\r"],
  ] as const;
  const replaced = part.reduce((inner, [from, to]) => `replace(${inner}, ${literal(from)}, ${literal(to)})`, "p");
  const parts = `transform(split(${text}, ${literal("\\\\\\\\")}, -1), p -> ${replaced})`;
  return `IF(instr(${text}, ${literal("\\")}) > 0, array_join(${parts}, ${literal("\\")}), ${text})`;
}
