/** Prints rows as a table, CSV, TSV, JSON or Markdown. */
import { once } from "node:events";
import { styleText } from "node:util";
import { printable, printableJson, printableText } from "../../contract";
import { jsonOf } from "./json-values";

export const rowFormats = ["table", "csv", "tsv", "json", "jsonl", "markdown"] as const;
export type RowFormat = (typeof rowFormats)[number];

export interface PrintedColumn {
  readonly name: string;
  /** Type in HiveQL; absent when it is not known. */
  readonly type?: string | undefined;
}

type Row = readonly (string | null)[];
type Write = (text: string) => Promise<void>;

export interface Printer {
  row(cells: Row): Promise<void>;
  end(): Promise<void>;
}

/** How a format writes its beginning, each row and its end. */
interface Lines {
  readonly begin?: string;
  /** @param index the number of rows before this one */
  row(cells: Row, index: number): string;
  end?(rows: number): string;
}

/** Rows that a table shows; a table must know its rows before it knows its widths. */
const maxTableRows = 10_000;
/** Characters of a cell that a table shows. */
const maxCell = 200;

/** Creates a printer for standard output. */
export function printer(
  format: RowFormat,
  columns: readonly PrintedColumn[],
  output: NodeJS.WriteStream = process.stdout,
): Printer {
  const write: Write = async (text) => {
    if (!output.write(text)) await once(output, "drain");
  };
  if (format === "table") return tablePrinter(columns, write, output);
  const lines = linesOf[format](columns);
  // A file or a program gets the cells of csv and tsv as they are; people read markdown; JSON has escapes of its own.
  const isShown = format === "markdown" || (output.isTTY && (format === "csv" || format === "tsv"));
  const forOutput = (text: string) => (isShown ? printableText(text) : text);
  let rows = 0;
  let started: Promise<void> | undefined;
  const start = () => (started ??= lines.begin === undefined ? Promise.resolve() : write(forOutput(lines.begin)));
  return {
    async row(cells) {
      await start();
      await write(forOutput(lines.row(cells, rows)));
      rows += 1;
    },
    async end() {
      await start();
      if (lines.end) await write(lines.end(rows));
    },
  };
}

const linesOf: Readonly<Record<Exclude<RowFormat, "table">, (columns: readonly PrintedColumn[]) => Lines>> = {
  csv: (columns) => ({ begin: csvLine(columns.map(({ name }) => name)), row: csvLine }),
  tsv: (columns) => ({ begin: tsvLine(columns.map(({ name }) => name)), row: tsvLine }),
  jsonl: (columns) => {
    const object = jsonObject(columns);
    return { row: (cells) => `${object(cells)}\n` };
  },
  json: (columns) => {
    const object = jsonObject(columns);
    return {
      begin: "[",
      row: (cells, index) => `${index === 0 ? "" : ","}\n  ${object(cells)}`,
      end: (rows) => (rows === 0 ? "]\n" : "\n]\n"),
    };
  },
  markdown: (columns) => ({
    begin: `${markdownLine(columns.map(({ name }) => name))}| ${columns.map(() => "---").join(" | ")} |\n`,
    row: (cells) => markdownLine(columns.map((_, column) => cells[column] ?? null)),
  }),
};

function tablePrinter(columns: readonly PrintedColumn[], write: Write, output: NodeJS.WriteStream): Printer {
  const rows: Row[] = [];
  let more = 0;
  return {
    async row(cells) {
      if (rows.length < maxTableRows) rows.push(cells.map((cell) => (cell === null ? null : shown(cell))));
      else more += 1;
    },
    async end() {
      const count = `${rows.length + more} ${rows.length + more === 1 ? "row" : "rows"}`;
      const note = more > 0 ? `${count}, the first ${maxTableRows} shown: use --format csv for all` : count;
      const names = columns.map(({ name }) => shown(name));
      const head = (text: string) => styleText("bold", text, { stream: output });
      await write(`${formatTable(names, rows, head)}\n${styleText("dim", `(${note})`, { stream: output })}\n`);
    },
  };
}

/** Returns lines with aligned columns, numbers to the right. NULL is shown as NULL. */
function formatTable(names: readonly string[], rows: readonly Row[], head: (text: string) => string): string {
  const cells = rows.map((row) => names.map((_, column) => row[column] ?? "NULL"));
  const widths = names.map((name, column) =>
    cells.reduce((most, row) => Math.max(most, row[column]!.length), name.length),
  );
  const isNumber = names.map((_, column) => cells.every((row) => /^(?:-?\d+(?:\.\d+)?|NULL)$/.test(row[column]!)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join("  ")
      .trimEnd();
  return [head(line(names)), widths.map((width) => "─".repeat(width)).join("  "), ...cells.map(line)].join("\n");
}

/** Makes a cell or a name fit a terminal. */
function shown(cell: string): string {
  const text = printable(cell);
  return text.length > maxCell ? `${text.slice(0, maxCell - 1)}…` : text;
}

function csvLine(row: Row): string {
  return `${row.map(csvCell).join(",")}\n`;
}

/** NULL is an empty cell, an empty text is quoted. */
function csvCell(cell: string | null): string {
  if (cell === null) return "";
  return cell === "" || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const tsvEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** NULL is `\N`; tabs, line ends and backslashes are escaped, as in the service's own tsv. */
function tsvLine(row: Row): string {
  return `${row.map((cell) => cell?.replaceAll(/[\\\t\n\r]/g, (each) => tsvEscapes[each]!) ?? "\\N").join("\t")}\n`;
}

function markdownLine(row: Row): string {
  const cell = (text: string | null) => (text ?? "NULL").replaceAll("|", "\\|").replaceAll(/\r?\n|\r/g, "<br>");
  return `| ${row.map(cell).join(" | ")} |\n`;
}

/** Hive allows equal column names, JSON does not: the second `n` becomes `n_1`. */
function uniqueNames(columns: readonly PrintedColumn[]): string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let count = 1; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

function jsonObject(columns: readonly PrintedColumn[]): (row: Row) => string {
  const keys = uniqueNames(columns).map((name) => JSON.stringify(name));
  return (row) => {
    const members = keys.map((key, column) => `${key}:${jsonOf(row[column] ?? null, columns[column]!.type)}`);
    return printableJson(`{${members.join(",")}}`);
  };
}
