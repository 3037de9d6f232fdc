/** Infers undeclared columns of JSON lines: the members of the objects, in the order of their first occurrence. */
import type { Column } from "../../../../contract";

/** Collects the members of sample objects, and the types of their values. */
export class SampledMembers {
  readonly #types = new Map<string, Set<string>>();

  /** @param record a line */
  add(record: string): void {
    for (const [name, value] of Object.entries(objectOf(record))) {
      const key = name.toLowerCase();
      const seen = this.#types.get(key) ?? new Set();
      this.#types.set(key, seen);
      if (value !== null) seen.add(typeOf(value));
    }
  }

  columns(): Column[] {
    return [...this.#types].map(([name, seen]) => ({ name, type: jsonColumnType(seen) }));
  }
}

/** Returns the column type for values of the given types. */
function jsonColumnType(seen: ReadonlySet<string>): string {
  if (seen.size === 1) return [...seen][0]!;
  const numbers = seen.size === 2 && seen.has("bigint") && seen.has("double");
  return numbers ? "double" : "string";
}

/** Parses a line. A line that is not an object counts as empty; the engine reports it when it reads the file. */
function objectOf(record: string): object {
  try {
    const value: unknown = JSON.parse(record);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function typeOf(value: unknown): string {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "bigint" : "double";
  return "string";
}
