/** SQL that reads CSV and TSV files without judging them: short rows are padded, cells are texts unless asked for. */
import type { InputFormat } from "../../../../contract";
import { quoteName, quotePath, quoteText } from "../sql";

/** The formats whose rows are cells in lines. */
export type TextFormat = Exclude<InputFormat, "json">;

/** A file of a text table. */
export interface TextFile {
  readonly path: string;
  readonly gzip: boolean;
  /** Whether its first row is a header. */
  readonly header: boolean;
  /** How many blank lines it has; each is a row of an empty first cell and no others. @default 0 */
  readonly blankLines?: number;
}

export interface TextTable {
  readonly format: TextFormat;
  /** In the order in which their rows are read. */
  readonly files: readonly TextFile[];
  /** DuckDB's type of each column; VARCHAR for all whose cells are not known to be of their type. */
  readonly types: readonly string[];
  /** Whether a file may be read by several threads; false where a quoted cell holds a newline. */
  readonly parallel: boolean;
}

/** The name that {@link textScan} gives a column. */
export function textColumn(index: number): string {
  return `t${index}`;
}

/** A SELECT of the columns `t0`, `t1`, … of all rows; `\N` is NULL, missing cells are NULL, extra ones are dropped. */
export function textScan({ format, files, types, parallel }: TextTable): string {
  const names = types.map((_, index) => textColumn(index));
  if (files.length === 0)
    return `SELECT ${names.map((name, index) => `NULL::${types[index]} AS ${name}`).join(", ")} WHERE false`;
  const columns = `{${names.map((name, index) => `${quoteText(name)}: ${quoteText(types[index]!)}`).join(", ")}}`;
  const scans = runs(files).map((run) => {
    const { gzip, header } = run[0]!;
    const paths = run.map(({ path }) => quotePath(path)).join(", ");
    const options = [
      `columns = ${columns}`,
      "auto_detect = false",
      // With this, and only with this, rows end at any of LF, CR LF and CR, as they do for Hive.
      String.raw`new_line = '\n'`,
      ...(format === "csv" ? csvOptions : tsvOptions),
      "null_padding = true",
      "strict_mode = false",
      String.raw`nullstr = '\N'`,
      `header = ${header}`,
      `compression = ${gzip ? "'gzip'" : "'none'"}`,
      `max_line_size = ${maxLineBytes}`,
      `buffer_size = ${maxLineBytes}`,
      ...(parallel ? [] : ["parallel = false"]),
    ];
    return `SELECT ${names.map((name, index) => selected(name, format, types[index]!)).join(", ")} FROM read_csv([${paths}], ${options.join(", ")})`;
  });
  const blankLines = files.reduce((sum, file) => sum + (file.blankLines ?? 0), 0);
  return [...scans, ...(blankLines > 0 ? [blankRows(types, blankLines)] : [])].join(" UNION ALL ");
}

/** A SELECT of the rows that blank lines are. */
function blankRows(types: readonly string[], count: number): string {
  const cells = types.map((type, index) => {
    const value = index === 0 && type === "VARCHAR" ? "''" : `NULL::${type}`;
    return `${value} AS ${quoteName(textColumn(index))}`;
  });
  return `SELECT ${cells.join(", ")} FROM range(${count})`;
}

/** Greatest length of a row in bytes. */
const maxLineBytes = 16 * 1024 * 1024;

const csvOptions = ["delim = ','", "quote = '\"'", "escape = '\"'"];
const tsvOptions = ["delim = '\t'", "quote = ''", "escape = ''"];

/** Files one after another that are read alike. */
function runs(files: readonly TextFile[]): TextFile[][] {
  const all: TextFile[][] = [];
  for (const file of files) {
    const run = all.at(-1);
    const last = run?.[0];
    if (run && last && last.gzip === file.gzip && last.header === file.header) run.push(file);
    else all.push([file]);
  }
  return all;
}

function selected(name: string, format: TextFormat, type: string): string {
  return format === "csv" || type !== "VARCHAR"
    ? quoteName(name)
    : `${unescaped(quoteName(name))} AS ${quoteName(name)}`;
}

/** Undoes what {@link escapedForTsv} does; other backslashes stay as they are. */
function unescaped(text: string): string {
  const part = String.raw`replace(replace(replace(p, '\t', chr(9)), '\n', chr(10)), '\r', chr(13))`;
  const parts = String.raw`list_transform(string_split(${text}, '\\'), lambda p: ${part})`;
  return String.raw`CASE WHEN contains(${text}, '\') THEN array_to_string(${parts}, '\') ELSE ${text} END`;
}

/** SQL of a text as a TSV cell: backslash, tab, newline and carriage return as `\\`, `\t`, `\n`, `\r`. */
export function escapedForTsv(text: string): string {
  const doubled = String.raw`replace(${text}, '\', '\\')`;
  return String.raw`replace(replace(replace(${doubled}, chr(9), '\t'), chr(10), '\n'), chr(13), '\r')`;
}
