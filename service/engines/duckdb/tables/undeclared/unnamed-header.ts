/**
 * Recognises a first row that is read as data and may be meant as a header: its names are numbers, empty or repeated, so
 * that only the rows below it tell.
 */
import { shortened } from "../../../../../contract";
import type { Cell } from "../rows";
import { isName, type SampledColumn } from "./inference";

/** A first row, and the columns as all other sampled rows have them. */
export interface FirstRow {
  readonly row: readonly Cell[];
  readonly below: readonly SampledColumn[];
  /** The first of the other rows. */
  readonly next: readonly (readonly Cell[])[];
}

/**
 * Returns what a note says of the row after its object, when it may be meant as a header; undefined when it is like the
 * rows below it.
 */
export function unnamedHeader({ row, below, next }: FirstRow): string | undefined {
  const wrong = wrongName(row);
  if (wrong === undefined || next.length === 0) return undefined;
  const isHeader =
    hasNameAboveOthers(row, below) ||
    hasNumberedNames(row, next) ||
    numbersRows(row, next) ||
    namesTexts(row, below, next);
  if (!isHeader) return undefined;
  const cells = shortened(row.map((cell) => cell ?? "").join(", "), 200);
  return `(${cells}) is read as data, although it is like a header: ${wrong}. If it is one, rename the columns in it so that each name is another one and begins with a letter, or remove it and declare the columns`;
}

/** Returns why a row is no header; undefined when nothing but a missing value or a truth value is wrong with it. */
function wrongName(row: readonly Cell[]): string | undefined {
  const seen = new Set<string>();
  let found: string | undefined;
  for (const cell of row) {
    const name = cell?.trim().toLowerCase() ?? String.raw`\N`;
    if (name === "") found ??= "a name is empty";
    else if (missing.test(name)) return undefined;
    else if (seen.has(name)) found ??= `the name ${shortened(name, 100)} is repeated`;
    else if (!isName(name)) found ??= `${shortened(name, 100)} is no name`;
    seen.add(name);
  }
  return found;
}

/** Values, not names. */
const missing = /^(?:\\n|true|false|null|nan|[-+]?inf(?:inity)?|n\/?a|none|-+|\?+)$/;

/** Returns true when a text is above numbers, dates or truth values only. */
const hasNameAboveOthers = (row: readonly Cell[], below: readonly SampledColumn[]) =>
  below.some(({ type, isUnseen }, index) => type !== "string" && isUnseen !== true && /\p{L}/u.test(row[index] ?? ""));

const isText = (cell: Cell | undefined) => isName(cell?.trim() ?? "");

/** Returns true when the row has names and then years, or three numbers, that count by one, and no other row has that. */
function hasNumberedNames(row: readonly Cell[], next: FirstRow["next"]): boolean {
  const isNumbered = (cells: readonly Cell[]) => {
    const numbers = cells.filter((cell) => cell !== null && /^\d{1,4}$/.test(cell)).map(Number);
    const [first = 0, second = 0] = numbers;
    const step = second - first;
    const counts = numbers.every((each, index) => index === 0 || (numbers[index - 1] ?? 0) + step === each);
    const isYears = numbers.length === 2 && numbers.every((each) => each >= 1900 && each < 2100);
    return counts && Math.abs(step) === 1 && (isYears || numbers.length > 2);
  };
  return row.some(isText) && isNumbered(row) && !next.some(isNumbered);
}

/** Returns true when an empty cell and names are above rows that begin with their number. */
function numbersRows([first, ...names]: readonly Cell[], next: FirstRow["next"]): boolean {
  const start = Number(next[0]?.[0]);
  if (first !== "" || names.length === 0 || !names.every(isText) || next.length < 2) return false;
  return (start === 0 || start === 1) && next.every(([cell], index) => cell === String(start + index));
}

/** Returns true when names, and cells without digits, are above texts only, none of which equals the cell above it. */
function namesTexts(row: readonly Cell[], below: readonly SampledColumn[], next: FirstRow["next"]): boolean {
  const isAmongTexts = below.every(({ type, isUnseen }) => type === "string" && isUnseen !== true);
  const isOther = (cell: Cell, index: number) => next.every((other) => other[index] !== cell);
  return (
    isAmongTexts &&
    row.some(isText) &&
    row.every((cell, index) => cell !== null && !/\d/.test(cell) && (cell === "" || isOther(cell, index)))
  );
}
