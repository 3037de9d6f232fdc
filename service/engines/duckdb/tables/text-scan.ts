/** Generates SQL that reads CSV and TSV files leniently: short rows are padded, cells are texts by default. */
import { EngineError } from "../engine-errors";
import { noOrigin, originColumns, type RowOrigin } from "./partitions/number";
import { quoteIdentifier, quotePathPattern, quoteLiteral } from "../sql-quoting";

/** The formats with delimited cells. */
export type TextFormat = "csv" | "tsv";

/** A file of a text table. */
export interface TextFile extends RowOrigin {
  readonly path: string;
  readonly gzip: boolean;
  /** True when its first row is a header. */
  readonly header: boolean;
  /** Number of blank lines; each is a row whose first cell is empty and whose other cells are missing. @default 0 */
  readonly blankLines?: number;
  /** False when no byte of it is `_`. @default true */
  readonly underscores?: boolean;
  /** Bytes of it that DuckDB takes at a time: another number where one of its cells would be read wrongly. @default 16 MiB */
  readonly bufferBytes?: number;
  /** True when spaces follow the closing quote of a cell: DuckDB's reader makes no number or date of it. @default false */
  readonly spacedQuotes?: boolean;
  /** Number of cells of its widest row, if DuckDB must read them all: see `widest-row.ts`. @default 0 */
  readonly widestRow?: number;
}

export interface TextTable {
  readonly format: TextFormat;
  /** Files in reading order. */
  readonly files: readonly TextFile[];
  /** DuckDB type of each column; VARCHAR unless all cells are known to be values of the type. */
  readonly types: readonly string[];
  /** True when several threads may read a file; false when a quoted cell has a newline. */
  readonly parallel: boolean;
}

/** Returns the column name that {@link textScan} uses. */
export function textColumn(index: number): string {
  return `t${index}`;
}

/**
 * Returns a SELECT of the columns `t0`, `t1`, … and {@link originColumns}: `\N` and missing cells are NULL, extra cells
 * are dropped.
 * @throws EngineError when a row has too many cells, and all of them must be read
 */
export function textScan({ format, files, types, parallel }: TextTable): string {
  const names = types.map((_, index) => textColumn(index));
  if (files.length === 0)
    return `SELECT ${[...names.map((name, index) => `NULL::${types[index]} AS ${name}`), noOrigin].join(", ")} WHERE false`;
  const scanned = [...types, ...Array.from({ length: furtherCells(files, types.length) }, () => "VARCHAR")];
  const columns = `{${scanned.map((type, index) => `${quoteLiteral(textColumn(index))}: ${quoteLiteral(type)}`).join(", ")}}`;
  const scans = groupAdjacent(files).map((run) => {
    const { gzip, header, bufferBytes = maxLineBytes } = run[0]!;
    const paths = run.map(({ path }) => quotePathPattern(path)).join(", ");
    const options = [
      `columns = ${columns}`,
      "auto_detect = false",
      // DuckDB would replace columns by the values of folders of the same name.
      "hive_partitioning = false",
      // Only this setting ends rows at LF, CR LF and CR alike, as Hive does.
      String.raw`new_line = '\n'`,
      ...(format === "csv" ? csvOptions : tsvOptions),
      "null_padding = true",
      "strict_mode = false",
      String.raw`nullstr = '\N'`,
      `header = ${header}`,
      `compression = ${gzip ? "'gzip'" : "'none'"}`,
      `max_line_size = ${maxLineBytes}`,
      `buffer_size = ${bufferBytes}`,
      ...(parallel ? [] : ["parallel = false"]),
    ];
    const cells = names.map((name, index) => cellSelect(name, format, types[index]!));
    return `SELECT ${[...cells, originColumns(run)].join(", ")} FROM read_csv([${paths}], ${options.join(", ")})`;
  });
  return [...scans, ...blankLineRows(files, types)].join(" UNION ALL ");
}

/** Returns a SELECT of the rows for the blank lines of each partition, or of each file whose location is shown. */
function blankLineRows(files: readonly TextFile[], types: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const { blankLines = 0, ...file } of files) {
    const origin = originColumns([file]);
    if (blankLines > 0) counts.set(origin, (counts.get(origin) ?? 0) + blankLines);
  }
  const cells = types.map((type, index) => {
    const value = index === 0 && type === "VARCHAR" ? "''" : `NULL::${type}`;
    return `${value} AS ${quoteIdentifier(textColumn(index))}`;
  });
  return [...counts].map(([origin, count]) => `SELECT ${[...cells, origin].join(", ")} FROM range(${count})`);
}

/** Returns the number of cells beyond the table's columns that must be read too. @throws EngineError for too many */
function furtherCells(files: readonly TextFile[], columns: number): number {
  const further = files.reduce((most, { widestRow = 0 }) => Math.max(most, widestRow - columns), 0);
  if (further <= maxFurtherCells) return further;
  const { path, widestRow } = files.find((file) => (file.widestRow ?? 0) - columns > maxFurtherCells)!;
  throw new EngineError(
    `${path} has quotes in its cells and a row of ${widestRow} cells, which is more than ${maxFurtherCells} beyond the table's columns (${columns}), with which the embedded engine reads it wrongly: declare columns for more of the cells, or remove cells that have no column`,
  );
}

/** Maximum number of dropped cells that are read: each takes memory. */
const maxFurtherCells = 10_000;
/** Maximum length of a row in bytes. */
export const maxLineBytes = 16 * 1024 * 1024;

const csvOptions = ["delim = ','", "quote = '\"'", "escape = '\"'"];
const tsvOptions = ["delim = '\t'", "quote = ''", "escape = ''"];

/** Groups adjacent files with the same compression, header and size of buffers. */
function groupAdjacent(files: readonly TextFile[]): TextFile[][] {
  const all: TextFile[][] = [];
  for (const file of files) {
    const run = all.at(-1);
    if (run && isReadAlike(run[0]!, file)) run.push(file);
    else all.push([file]);
  }
  return all;
}

const isReadAlike = (one: TextFile, other: TextFile) =>
  one.gzip === other.gzip &&
  one.header === other.header &&
  (one.bufferBytes ?? maxLineBytes) === (other.bufferBytes ?? maxLineBytes);

function cellSelect(name: string, format: TextFormat, type: string): string {
  return format === "csv" || type !== "VARCHAR"
    ? quoteIdentifier(name)
    : `${unescaped(quoteIdentifier(name))} AS ${quoteIdentifier(name)}`;
}

/** Returns SQL that reverses {@link escapedForTsv}; other backslashes are unchanged. */
function unescaped(text: string): string {
  const part = String.raw`replace(replace(replace(p, '\t', chr(9)), '\n', chr(10)), '\r', chr(13))`;
  const parts = String.raw`list_transform(string_split(${text}, '\\'), lambda p: ${part})`;
  return String.raw`CASE WHEN contains(${text}, '\') THEN array_to_string(${parts}, '\') ELSE ${text} END`;
}

/** Returns SQL that escapes a TSV cell: backslash, tab, newline and carriage return become `\\`, `\t`, `\n`, `\r`. */
export function escapedForTsv(text: string): string {
  const doubled = String.raw`replace(${text}, '\', '\\')`;
  return String.raw`replace(replace(replace(${doubled}, chr(9), '\t'), chr(10), '\n'), chr(13), '\r')`;
}
