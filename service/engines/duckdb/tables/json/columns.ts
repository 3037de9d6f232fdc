/** Infers undeclared columns of JSON lines: the members of the objects, in the order of their first occurrence. */
import { isBigint, isWholeDouble, type SampledColumn } from "../undeclared/inference";
import { SampledNumbers } from "../undeclared/non-numbers";

/**
 * Returns the name of a member's column: in lower case letter by letter, as DuckDB's `lower` writes it, which finds the
 * members of all rows. JavaScript writes two letters for `İ`, and another one for a `Σ` at the end.
 */
export const memberName = (key: string): string =>
  Array.from(key, (letter) => (letter === "İ" ? "i" : letter.toLowerCase())).join("");

/** Collects the members of sample objects, and the types of their values. */
export class SampledMembers {
  readonly #types = new Map<string, Set<ValueType>>();
  readonly #numbers = new Map<string, SampledNumbers>();

  /** @param record a line */
  add(record: string): void {
    for (const [name, value] of Object.entries(objectOf(record))) {
      const key = memberName(name);
      const seen = this.#types.get(key) ?? new Set<ValueType>();
      this.#types.set(key, seen);
      if (value === null) continue;
      const type = typeOf(value);
      seen.add(type);
      const numbers = this.#numbers.get(key) ?? new SampledNumbers();
      this.#numbers.set(key, numbers);
      numbers.add(
        textOf(value),
        type === "bigint" ? "double" : type === "boolean" || type === "string" ? "other" : type,
      );
    }
  }

  columns(): SampledColumn[] {
    return [...this.#types].map(([name, seen]) => {
      const type = jsonColumnType(seen);
      const nonNumber = type === "string" ? this.#numbers.get(name)?.nonNumber() : undefined;
      return { name, type, ...(nonNumber !== undefined && { nonNumber }) };
    });
  }
}

/** Types of values. `long`: a bigint that would lose digits as a double. */
type ValueType = "boolean" | "bigint" | "long" | "double" | "string";

/** Returns the column type for values of the given types. */
function jsonColumnType(seen: ReadonlySet<ValueType>): string {
  const areAll = (...types: readonly ValueType[]) => seen.size > 0 && [...seen].every((type) => types.includes(type));
  if (areAll("boolean")) return "boolean";
  if (areAll("bigint", "long")) return "bigint";
  return areAll("bigint", "double") ? "double" : "string";
}

/** A number as it is written. */
class WrittenNumber {
  constructor(readonly text: string) {}
}

/** Parses a line. A line that is not an object counts as empty; the engine reports it when it reads the file. */
function objectOf(record: string): object {
  try {
    const value: unknown = JSON.parse(record, numbersAsWritten);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** A reviver. Node.js gives it the text of the value, which TypeScript's types do not have yet. */
function numbersAsWritten(this: unknown, _name: string, value: unknown, ...[context]: unknown[]): unknown {
  return typeof value === "number" ? new WrittenNumber((context as { source: string }).source) : value;
}

function typeOf(value: unknown): ValueType {
  if (typeof value === "boolean") return "boolean";
  if (!(value instanceof WrittenNumber)) return "string";
  const { text } = value;
  if (!/^-?\d+$/.test(text)) return Number.isFinite(Number(text)) ? "double" : "string";
  const isDouble = text.length <= 25 && isWholeDouble(text);
  if (isBigint(text)) return isDouble ? "bigint" : "long";
  return isDouble ? "double" : "string";
}

/** Returns a value as it is written, a text without quotes and nested ones without what they have. */
function textOf(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text;
  if (typeof value === "object") return Array.isArray(value) ? "[…]" : "{…}";
  return String(value);
}
