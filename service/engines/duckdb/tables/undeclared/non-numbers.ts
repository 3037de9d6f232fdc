/**
 * Recognises columns of numbers, dates or timestamps that are read as text because of single other values, such as `N/A`:
 * their order is that of texts, which nothing else tells.
 */
import { shortened, type QueryNote } from "../../../../../contract";
import type { EngineTable } from "../../files";

/** What a value is beside numbers: `long`: a whole number that a bigint keeps, and a double does not. */
export type NumberKind = "double" | "long" | "other";

/** Most of the values of a column that are none of its type, as a part of those that are. */
export const rarePart = 0.1;

/** Distinct other values up to which a column of numbers is meant: marks of missing values are few, texts are many. */
const maxValues = 10;
/** Characters of a value that is no text. */
const maxLength = 100;
/** Codes such as `007` and `+49`, of which a number would lose the first characters. */
const code = /^(?:\+|-?0\d)/;
export const isCode = (value: string): boolean => code.test(value);

/** Numbers with blanks, thousands separators, or signs of currencies or percent. */
const formatted = /^\s*[-+]?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?[%€$£]?\s*$/;

/** Collects the values of a column's first rows, of which it keeps a few short ones. */
export class SampledNumbers {
  readonly #numbers = new Set<string>();
  readonly #others = new Set<string>();
  #count = 0;
  #otherCount = 0;
  #formatted: string | undefined;
  #isText = false;
  #long: string | undefined;

  /** @param value not empty */
  add(value: string, kind: NumberKind): void {
    if (value.length > maxLength) {
      this.#isText = true;
      return;
    }
    const isFormatted = kind === "other" && formatted.test(value) && !/^\d+$/.test(value) && !code.test(value);
    const isOther = kind === "other" && !isFormatted;
    if (isOther) this.#otherCount += 1;
    else this.#count += 1;
    if (isFormatted) this.#formatted ??= value;
    if (kind === "long") this.#long ??= value;
    const seen = isOther ? this.#others : this.#numbers;
    if (seen.size <= maxValues) seen.add(value);
  }

  /** Returns the first value because of which the column is none of numbers, if all but few are; otherwise undefined. */
  nonNumber(): string | undefined {
    const [first] = this.#others;
    if (this.#isText) return undefined;
    if (first === undefined) return this.#formatted ?? this.#long;
    const areFew = this.#others.size <= maxValues && this.#numbers.size > this.#others.size;
    const areRare = this.#otherCount <= this.#count * rarePart && !code.test(first);
    return areFew || areRare ? first : undefined;
  }
}

/** Collects the values of a column's first rows beside its dates and timestamps. */
export class SampledMoments {
  readonly #moments = new Set<string>();
  readonly #others = new Set<string>();
  #count = 0;
  #otherCount = 0;
  #isText = false;

  /** Number of values. */
  get count(): number {
    return this.#count + this.#otherCount;
  }

  /** @param value not empty */
  add(value: string, isMoment: boolean): void {
    if (value.length > maxLength) this.#isText = true;
    if (isMoment) this.#count += 1;
    else this.#otherCount += 1;
    const seen = isMoment ? this.#moments : this.#others;
    if (!this.#isText && seen.size <= maxValues) seen.add(value);
  }

  /** Returns the first value because of which the column is none of dates or timestamps, if most are; otherwise undefined. */
  nonMoment(): string | undefined {
    const [first] = this.#others;
    const areFew = this.#others.size <= maxValues && this.#moments.size > this.#others.size;
    const areRare = this.#otherCount <= this.#count * rarePart;
    return (areFew || areRare) && !this.#isText ? first : undefined;
  }
}

/** Columns that a note names. */
const maxNamed = 5;

/** Returns what the user should know of the columns of a table that have a `nonNumber`. */
export function nonNumberNotes(
  { database, table }: Pick<EngineTable, "database" | "table">,
  columns: readonly { readonly name: string; readonly nonNumber?: string }[],
): QueryNote[] {
  const found = columns.flatMap(({ name, nonNumber }) =>
    nonNumber === undefined ? [] : [`${name} (${JSON.stringify(shortened(nonNumber, 40))})`],
  );
  if (found.length === 0) return [];
  const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : "";
  const text =
    `of ${database}.${table}, these columns have numbers, dates or timestamps and are read as string, because no such type keeps all their values: ${found.slice(0, maxNamed).join(", ")}${more}. ` +
    `So "10" sorts before "9", max can be none of them, and sum leaves out what is no number. Convert them, as with cast(regexp_replace(x, ',', '') AS double), AS decimal(38,10) to keep the digits, or cast(x AS date), ` +
    "or declare a type for data without a header row: values that are none of it are NULL";
  return [{ severity: "note", text }];
}
