/** Parses the first rows of a file head in the same way as DuckDB's reader parses the file. */
import type { InputFormat } from "../../../../contract";
import { recordScanner } from "../split/scanner";
import type { FileHead } from "./file-head";
import type { TextFormat } from "./text-scan";

/** A cell; null for `\N`. */
export type Cell = string | null;

/** Returns the complete rows of a head, at most `limit`. Blank lines are not rows. */
export function parseFirstRows(head: FileHead, format: TextFormat, limit: number): Cell[][] {
  return firstRecords(head, format, limit).map((record) => (format === "csv" ? csvCells(record) : tsvCells(record)));
}

/** Returns the complete records of a head as text, without line ends. */
export function firstRecords(head: FileHead, format: InputFormat, limit: number): string[] {
  const { bytes, more } = head;
  const scanner = recordScanner(format);
  const records: string[] = [];
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && records.length < limit) {
    const found = scanner.firstRowEnd(bytes, at, bytes.length);
    if (found < 0 && more) break;
    const end = found < 0 ? bytes.length : found;
    const record = bytes.toString("utf8", at, end).replace(/\r?\n$/, "");
    if (record !== "") records.push(record);
    at = end;
  }
  return records;
}

function tsvCells(record: string): Cell[] {
  return record.split("\t").map((text) => (text === "\\N" ? null : text));
}

function csvCells(record: string): Cell[] {
  const cells: Cell[] = [];
  const cell = /(?: *"((?:[^"]|"")*)"?([^,]*)|([^,]*))(,|$)/gy;
  for (let match = cell.exec(record); match; match = cell.exec(record)) {
    const [, quoted, , plain = "", separator] = match;
    const text = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    cells.push(text === "\\N" ? null : text);
    if (separator === "") break;
  }
  return cells;
}
