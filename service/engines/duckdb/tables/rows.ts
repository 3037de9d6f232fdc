/** The first rows of a file's beginning, as the reader of the whole file will see them. */
import type { InputFormat } from "../../../../contract";
import { recordScanner } from "../split/scanner";
import type { FileHead } from "./head";

/** A cell; null where the row says `\N`. */
export type Cell = string | null;

/** The complete rows of a head, at most `limit`; blank lines are no rows. */
export function firstRows(head: FileHead, format: Exclude<InputFormat, "json">, limit: number): Cell[][] {
  return firstRecords(head, format, limit).map((record) => (format === "csv" ? csvCells(record) : tsvCells(record)));
}

/** The texts of a head's complete records, without their line ends. */
export function firstRecords(head: FileHead, format: InputFormat, limit: number): string[] {
  const { bytes, more } = head;
  const scanner = recordScanner(format);
  const records: string[] = [];
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length && records.length < limit) {
    const found = scanner.first(bytes, at, bytes.length);
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
