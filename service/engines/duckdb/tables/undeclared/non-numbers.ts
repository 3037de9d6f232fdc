/**
 * Recognises columns of numbers that are read as text because of single other values, such as `N/A`: their order is that of
 * texts, which nothing else tells.
 */
import { shortened, type QueryNote } from "../../../../../contract";
import type { EngineTable } from "../../files";

/** What a value is beside numbers: `long`: a whole number that a bigint keeps, and a double does not. */
export type NumberKind = "double" | "long" | "other";

/** Distinct other values up to which a column of numbers is meant: marks of missing values are few, texts are many. */
const maxValues = 3;
/** Characters of a value that is no text. */
const maxLength = 100;
/** Codes such as `007` and `+49`, of which a number would lose the first characters. */
const code = /^(?:\+|-?0\d)/;

/** Collects the values of a column's first rows, of which it keeps a few short ones. */
export class SampledNumbers {
  readonly #numbers = new Set<string>();
  readonly #others = new Set<string>();
  #count = 0;
  #otherCount = 0;
  #isText = false;
  #long: string | undefined;

  /** @param value not empty */
  add(value: string, kind: NumberKind): void {
    if (value.length > maxLength) {
      this.#isText = true;
      return;
    }
    if (kind === "other") this.#otherCount += 1;
    else this.#count += 1;
    if (kind === "long") this.#long ??= value;
    const seen = kind === "other" ? this.#others : this.#numbers;
    if (seen.size <= maxValues) seen.add(value);
  }

  /** Returns the first value because of which the column is none of numbers, if all but few are; otherwise undefined. */
  nonNumber(): string | undefined {
    if (this.#isText || this.#numbers.size === 0) return undefined;
    const [first] = this.#others;
    if (first === undefined) return this.#long;
    const areFew = this.#others.size <= maxValues && this.#numbers.size > this.#others.size;
    const areRare = this.#otherCount * 10 <= this.#count && !code.test(first);
    return areFew || areRare ? first : undefined;
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
  const text = `of ${database}.${table}, these columns have numbers and are read as string, because no type of numbers keeps all their values: ${found.slice(0, maxNamed).join(", ")}${more}. So "10" sorts before "9". Declare a type, and values that are none of it are NULL`;
  return [{ severity: "note", text }];
}
