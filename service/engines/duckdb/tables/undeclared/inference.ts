/**
 * Infers undeclared columns from rows. The names come from a header row or are `_c0`, `_c1`, …; the type is the
 * narrowest that fits every value.
 */
import type { Column } from "../../../../../contract";
import { quoteLiteral } from "../../sql-quoting";
import type { Cell } from "../rows";
import { type NumberKind, SampledMoments, SampledNumbers } from "./non-numbers";

/** The inferred types, narrowest first. A column that fits none of them is a string. */
export const inferredTypes = ["boolean", "bigint", "double", "date", "timestamp"] as const;
type InferredType = (typeof inferredTypes)[number];

/**
 * Regular expressions for the text of each type's values, with the same meaning in JavaScript and DuckDB. Only the
 * plain form matches: `007` and `+1` stay strings, because a number would lose the leading characters.
 */
export const typePatterns: Readonly<Record<InferredType, string>> = {
  boolean: "true|false|TRUE|FALSE|True|False",
  bigint: "0|-?[1-9][0-9]{0,18}",
  double: "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?",
  date: "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
  timestamp:
    "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])" +
    " ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?",
};

/** Maximum digits of a text without an exponent that a double always keeps. */
const shortDouble = 15;
/** Most significant digits of a double: more than programs write. */
const maxDigits = 36;

/**
 * Returns SQL that is true for a text of the type double of which a double keeps the digits, as `isKeptByDouble` finds
 * it. Comparing the digits costs most, so that cheaper conditions come first: that the text is short, or one that programs
 * write.
 */
export function doubleText(text: string): string {
  const value = `TRY_CAST(${text} AS DOUBLE)`;
  const digits = (number: string) => `replace(split_part(lower(${number}), 'e', 1), '.', '')`;
  const exact = digits(`format('{:.{}e}', abs(${value}), strlen(d))`);
  const isKept = `abs(TRY_CAST(d || '0' AS HUGEINT) - TRY_CAST(${exact} AS HUGEINT)) <= 5`;
  const isShort = `strlen(${text}) <= if(contains(${text}, '.'), ${shortDouble + 1}, ${shortDouble}) AND NOT contains(${text}, 'e') AND NOT contains(${text}, 'E')`;
  const cases = [
    `WHEN NOT regexp_full_match(${text}, ${quoteLiteral(typePatterns.double)}) THEN false`,
    `WHEN ${isShort} OR ${text} = ${value}::VARCHAR OR ${text} = format('{:.17g}', ${value}) THEN true`,
    `WHEN regexp_full_match(${text}, '-?[0-9]+') THEN ${isExactDouble(text)}`,
  ];
  // The digits are bound once.
  const written = `rtrim(ltrim(${digits(text)}, '-0'), '0')`;
  return `CASE ${cases.join(" ")} ELSE coalesce(list_transform([${written}], lambda d: strlen(d) <= ${maxDigits} AND ${isKept})[1], false) END`;
}

/** Returns SQL that is true for a whole number that a double is. @param text of at most 25 digits */
export const isExactDouble = (text: string) => `${text} = format('{:.0f}', TRY_CAST(${text} AS DOUBLE))`;

/** Returns true for a whole number that a double is. */
export const isWholeDouble = (digits: string) => BigInt(Number(digits)) === BigInt(digits);

/**
 * Returns true when a text is what a program writes for its double: a whole number that a double is, or a number with the
 * fewest digits that tell it from others, such as `0.30000000000000004`, or with more, such as `0.10000000000000001`.
 * `99999999999999.99` is not.
 */
function isKeptByDouble(text: string): boolean {
  if (/^-?\d+$/.test(text)) return isWholeDouble(text);
  if (text.length <= shortDouble + 1 && !/e/i.test(text)) return true;
  const written = digitsOf(text).replaceAll(/^0+|0+$/g, "");
  const value = Number(text);
  if (text === String(value)) return true;
  if (written.length > maxDigits || !Number.isFinite(value)) return false;
  // Programs round a half up or to an even digit: the next digit tells both.
  const difference = BigInt(`${written}0`) - BigInt(digitsOf(value.toExponential(written.length)));
  return difference <= 5n && difference >= -5n;
}

const digitsOf = (number: string) => number.replace(/e.*/i, "").replaceAll(/[-.]/g, "");

/** Returns true when a first row is a header: all cells are distinct names, none is a number, a date or empty. */
export function isHeader(row: readonly Cell[]): row is readonly string[] {
  const names = new Set(row.map((cell) => cell?.trim().toLowerCase()));
  return row.length > 0 && names.size === row.length && row.every((cell) => cell !== null && isName(cell.trim()));
}

/** Returns the column names of a header row in lower case, like Hive's identifiers. */
export function headerNames(row: readonly string[]): string[] {
  return row.map((cell) => cell.trim().toLowerCase());
}

/** Returns the names of columns without a header row: `_c0`, `_c1`, … */
export function defaultNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `_c${index}`);
}

/** Returns true when a file's first row repeats the column names, like the header row of another file of the table. */
export function repeatsNames(row: readonly Cell[] | undefined, names: readonly string[]): boolean {
  return (
    row?.length === names.length &&
    names.every((name, index) => row[index]?.trim().toLowerCase() === name.toLowerCase())
  );
}

/** A column as the first rows suggest it. */
export interface SampledColumn extends Column {
  /** True when no value of it was seen, so that any type may fit. @default false */
  readonly isUnseen?: boolean;
  /** True when nearly all sampled rows have no value of it, so that others may be none of its texts. @default false */
  readonly isSparse?: boolean;
  /** The first value because of which a column with numbers, dates or timestamps is a string. */
  readonly nonNumber?: string;
}

/** Least sampled rows for a value of a column of which little is known. */
const sparseRows = 100;

/** Collects the types of columns from sample rows, of which it keeps nothing else: a cell may have megabytes. */
export class SampledRows {
  /** The types that every value of a column has so far; undefined for a column without values. */
  readonly #types: (readonly InferredType[] | undefined)[] = [];
  readonly #numbers: SampledNumbers[] = [];
  readonly #moments: SampledMoments[] = [];
  #width = 0;
  #rows = 0;

  /** Number of cells of the widest row. */
  get width(): number {
    return this.#width;
  }

  add(row: readonly Cell[]): void {
    this.#width = Math.max(this.#width, row.length);
    this.#rows += 1;
    for (const [index, cell] of row.entries()) {
      if (cell === null || cell === "") continue;
      this.#types[index] = (this.#types[index] ?? inferredTypes).filter((type) => isWrittenAs(cell, type));
      (this.#numbers[index] ??= new SampledNumbers()).add(cell, numberKind(cell));
      const isMoment = isWrittenAs(cell, "date") || isWrittenAs(cell, "timestamp");
      (this.#moments[index] ??= new SampledMoments()).add(cell, isMoment);
    }
  }

  /** Returns the columns with these names. */
  columns(names: readonly string[]): SampledColumn[] {
    return names.map((name, index) => {
      const types = this.#types[index];
      if (types === undefined) return { name, type: "string", isUnseen: true };
      const [type] = types;
      if (type !== undefined) return { name, type };
      const nonNumber = this.#numbers[index]?.nonNumber() ?? this.#moments[index]?.nonMoment();
      if (nonNumber !== undefined) return { name, type: "string", nonNumber };
      const isSparse = (this.#moments[index]?.count ?? 0) * sparseRows <= this.#rows;
      return { name, type: "string", ...(isSparse && { isSparse }) };
    });
  }
}

const compiled = Object.fromEntries(
  inferredTypes.map((type) => [type, new RegExp(`^(?:${typePatterns[type]})$`)]),
) as Readonly<Record<InferredType, RegExp>>;

function isWrittenAs(value: string, type: InferredType): boolean {
  if (!compiled[type].test(value)) return false;
  if (type === "bigint") return isBigint(value);
  if (type === "double") return isKeptByDouble(value);
  return type !== "date" && type !== "timestamp" ? true : isDay(value.slice(0, 10));
}

function numberKind(value: string): NumberKind {
  if (isWrittenAs(value, "double")) return "double";
  return isWrittenAs(value, "bigint") ? "long" : "other";
}

/** Returns true for a whole number that is one of Hive's bigint. */
export const isBigint = (digits: string): boolean =>
  digits.length < 19 || BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Returns true for a text that may be the name of a column. */
export function isName(text: string): boolean {
  return /^[\p{L}_]/u.test(text) && !/^(?:true|false|null|nan|inf|infinity)$/i.test(text);
}
