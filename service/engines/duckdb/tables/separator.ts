/** Recognises a csv object whose cells are separated by another character than a comma, so that each row is one cell. */
import type { QueryNote } from "../../../../contract";
import type { Head } from "./head";
import { firstRecords } from "./head";

/** Rows that are examined. */
const examinedRows = 10;
const separators = { ";": "semicolons", "|": "vertical bars", "\t": "tabs" } as const;

/**
 * Returns a note when every first row has the same number of such a character, and commas do not separate their cells.
 * @param width number of declared columns; undefined when they are inferred
 */
export function separatorNote(location: string, head: Head, width: number | undefined): QueryNote | undefined {
  const rows = firstRecords(head, "csv", examinedRows).map((row) => row.replaceAll(/"(?:[^"]|"")*"/g, '""'));
  const found = (Object.keys(separators) as (keyof typeof separators)[]).find((each) => separates(rows, each, width));
  if (found === undefined) return undefined;
  const remedy =
    found === "\t"
      ? "give the object the extension .tsv"
      : "separate them by commas, or by tabs in an object with the extension .tsv";
  return {
    severity: "warning",
    text: `the cells of ${location} seem to be separated by ${separators[found]}, and csv is read with commas, so that they are not separate columns: ${remedy}`,
  };
}

function separates(rows: readonly string[], separator: string, width: number | undefined): boolean {
  const count = (row: string, character: string) => row.split(character).length - 1;
  const [first, ...others] = rows.map((row) => count(row, separator));
  if (first === undefined || first === 0 || others.some((each) => each !== first)) return false;
  // In a single row, or a declared column of texts, one may be a part of the text.
  if (width === undefined ? others.length === 0 && first === 1 : width !== first + 1) return false;
  const commas = rows.map((row) => count(row, ","));
  const isDecimal = (cell: string) => !cell.includes(",") || /^\s*-?[\d.]*\d,\d+\s*$/.test(cell);
  return commas.some((each) => each !== commas[0]) || rows.every((row) => row.split(separator).every(isDecimal));
}
