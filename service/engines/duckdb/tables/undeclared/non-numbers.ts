/**
 * Recognises columns of numbers that are read as text because of single other values, such as `N/A`: their order is that of
 * texts, which nothing else tells.
 */
import { shortened, type QueryNote } from "../../../../../contract";
import { quoteLiteral } from "../../sql-quoting";
import type { ResolvedTable } from "../resolve";
import type { TypedColumn } from "./column-types";

/** Regular expressions for texts, with the same meaning in JavaScript and DuckDB. */
const patterns = {
  number: String.raw`-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?`,
  /** Codes such as `007` and `+49`, of which a number would lose the first characters. */
  code: String.raw`\+.*|-?0[0-9]+`,
};
const [number, code] = [patterns.number, patterns.code].map((pattern) => new RegExp(`^(?:${pattern})$`, "s")) as [
  RegExp,
  RegExp,
];

/** Distinct other values up to which a column of numbers is meant: marks of missing values are few, identifiers are many. */
const maxValues = 3;

/** Collects the values of a column's first rows. */
export class SampledNumbers {
  readonly #others = new Set<string>();
  #numbers = 0;
  #rest = 0;
  #hasCode = false;

  /** @param value not empty */
  add(value: string): void {
    if (code.test(value)) this.#hasCode = true;
    else if (number.test(value)) this.#numbers += 1;
    else {
      this.#rest += 1;
      if (this.#others.size <= maxValues) this.#others.add(value);
    }
  }

  /** Returns the first value that is no number, when the values are numbers but for few; otherwise undefined. */
  nonNumber(): string | undefined {
    const isOfNumbers = !this.#hasCode && this.#others.size <= maxValues && this.#numbers > this.#rest;
    return isOfNumbers ? this.#others.values().next().value : undefined;
  }
}

/** Returns a SELECT of the first value that is no number and no code. @param text a column of the scan */
export function firstNonNumber(text: string, scan: string): string {
  const isOther = Object.values(patterns).map((each) => `NOT regexp_full_match(${text}, ${quoteLiteral(each)}, 's')`);
  return `SELECT ${text} FROM (${scan}) WHERE ${text} <> '' AND ${isOther.join(" AND ")} LIMIT 1`;
}

/** Columns that a note names. */
const maxNamed = 5;

/** Returns what the user should know of the columns of a table that have a `nonNumber`. */
export function nonNumberNotes({ table }: ResolvedTable, columns: readonly TypedColumn[]): QueryNote[] {
  const found = columns.flatMap(({ name, nonNumber }) =>
    nonNumber === undefined ? [] : [`${name} (${JSON.stringify(shortened(nonNumber, 40))})`],
  );
  if (found.length === 0) return [];
  const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : "";
  const text = `of ${table.database}.${table.table}, these columns are read as string, because not all of their values are numbers: ${found.slice(0, maxNamed).join(", ")}${more}. So "10" sorts before "9". With a declared type such as double, other values are NULL`;
  return [{ severity: "note", text }];
}
