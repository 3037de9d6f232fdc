/** Parses the first rows of a head in the same way as DuckDB's reader parses the file. */
import { ClosingQuotes } from "./closing-quotes";
import type { FileHead } from "./file-head";
import { firstRecords } from "./head";
import type { TextFormat } from "./text-scan";

/** A cell; null for `\N`. */
export type Cell = string | null;

/**
 * Returns the complete rows of a head, at most `limit`. Blank lines are not rows.
 * @throws EngineError for csv whose quotes do not enclose whole cells
 */
export function parseFirstRows(head: FileHead, format: TextFormat, limit: number): Cell[][] {
  const records = firstRecords(head, format, limit);
  if (format !== "csv") return records.map(tsvCells);
  const quotes = new ClosingQuotes(head.path);
  return records.map((record) => {
    if (record.includes('"')) quotes.push(Buffer.from(record));
    quotes.endRow();
    return csvCells(record);
  });
}

function tsvCells(record: string): Cell[] {
  return record.split("\t").map((text) => (text === "\\N" ? null : text));
}

function csvCells(record: string): Cell[] {
  const cells: Cell[] = [];
  for (let at = 0; at <= record.length;) {
    const { text, end } = csvCell(record, at);
    cells.push(text === "\\N" ? null : text);
    at = end + 1;
  }
  return cells;
}

/** Returns the cell that begins at `start`, and where it ends: at a comma or the end of the row. */
function csvCell(record: string, start: number): { readonly text: string; readonly end: number } {
  const endAfter = (at: number) => {
    const comma = record.indexOf(",", at);
    return comma < 0 ? record.length : comma;
  };
  let from = record[start] === " " ? start + 1 : start;
  if (record[from] !== '"') {
    const end = endAfter(from);
    return { text: record.slice(start, end), end };
  }
  const parts: string[] = [];
  for (from += 1; ;) {
    const quote = record.indexOf('"', from);
    if (quote < 0) return { text: [...parts, record.slice(from)].join('"'), end: record.length };
    parts.push(record.slice(from, quote));
    if (record[quote + 1] !== '"') return { text: parts.join('"'), end: endAfter(quote + 1) };
    from = quote + 2;
  }
}
