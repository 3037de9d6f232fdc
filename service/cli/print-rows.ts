/** Prints rows as a table, as CSV or as lines of JSON. */
import { once } from "node:events";
import { printable, printableJson, printableText } from "../../contract";

type RowFormat = "table" | "csv" | "json";
type Row = readonly (string | null)[];

export interface Printer {
  row(cells: Row): Promise<void>;
  end(): Promise<void>;
}

/** Rows that a table shows; a table must know its rows before it knows its widths. */
const maxTableRows = 10_000;
/** Characters of a cell that a table shows. */
const maxCell = 200;

/** Creates a printer for standard output. */
export function printer(
  format: RowFormat,
  names: readonly string[],
  output: NodeJS.WritableStream = process.stdout,
): Printer {
  const write = async (text: string): Promise<void> => {
    if (!output.write(text)) await once(output, "drain");
  };
  if (format === "table") return tablePrinter(names.map(shown), write);
  const keys = uniqueNames(names);
  // A file or a program gets the cells as they are.
  const csv = (row: Row) => ("isTTY" in output && output.isTTY ? printableText(csvLine(row)) : csvLine(row));
  const line = format === "csv" ? csv : (row: Row) => jsonLine(keys, row);
  const started = format === "csv" ? write(csv(names)) : undefined;
  return {
    async row(cells) {
      await started;
      await write(line(cells));
    },
    end: async () => started,
  };
}

function tablePrinter(names: readonly string[], write: (text: string) => Promise<void>): Printer {
  const rows: Row[] = [];
  let more = 0;
  return {
    async row(cells) {
      if (rows.length < maxTableRows) rows.push(cells.map((cell) => cell && shown(cell)));
      else more += 1;
    },
    async end() {
      const count = `${rows.length + more} ${rows.length + more === 1 ? "row" : "rows"}`;
      const note = more > 0 ? `${count}, the first ${maxTableRows} shown: use --csv or --json for all` : count;
      await write(`${formatTable(names, rows)}\n(${note})\n`);
    },
  };
}

/** Returns lines with aligned columns, numbers to the right. NULL is shown as NULL. */
function formatTable(names: readonly string[], rows: readonly Row[]): string {
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
  return [line(names), widths.map((width) => "─".repeat(width)).join("  "), ...cells.map(line)].join("\n");
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

/** Hive allows equal column names, JSON does not: the second `n` becomes `n_1`. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 1; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

function jsonLine(names: readonly string[], row: Row): string {
  const value = Object.fromEntries(names.map((name, column) => [name, row[column] ?? null]));
  return `${printableJson(JSON.stringify(value))}\n`;
}
