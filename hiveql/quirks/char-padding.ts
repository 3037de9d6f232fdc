/**
 * Padding of chars that functions return. Hive 4.0.1 prints a char column or CAST with trailing spaces. It prints the
 * char result of upper, lower or concat without them when the statement runs no job, and with them in a job.
 * Example: `SELECT upper(c), c` of the char(4) `red ` answers `RED` and `red `; with ORDER BY both have the space.
 * The translation marks such values as unpadded and refuses statements that mix padded and unpadded values.
 */
import { contains, readsColumns } from "../tree/facts";
import { keyOf } from "../tree/same";
import { type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { isFoldedChar } from "../emit/patterns";
import type { HiveType } from "../tree/types";

/** Functions that return a char for chars, without its padding. */
const charMakingFunctions: ReadonlySet<string> = new Set(["upper", "lower", "ucase", "lcase", "concat"]);
/** Functions that return one of their arguments, with the index of the first argument that they can return. */
const choosingFunctions: ReadonlyMap<string, number> = new Map([
  ["if", 1],
  ["coalesce", 0],
  ["nvl", 0],
  ["greatest", 0],
  ["least", 0],
]);

/** Returns whether the char that a call returns is unpadded. */
export function callPadding(name: string, values: readonly Typed[], type: HiveType): Pick<Typed, "isUnpadded"> {
  if (type.kind !== "char") return {};
  if (charMakingFunctions.has(name)) return { isUnpadded: true };
  if (name === "nullif") return choicePadding(values.slice(0, 1), type);
  const first = choosingFunctions.get(name);
  return first === undefined ? {} : choicePadding(values.slice(first), type);
}

/** Returns whether a value chosen from several is unpadded. A char that is converted to another length is padded. */
export function choicePadding(values: readonly Typed[], type: HiveType): Pick<Typed, "isUnpadded"> {
  const chars = values.filter((value) => value.type.kind === "char" && type.kind === "char");
  const kinds = new Set(chars.map((value) => (sameLength(value.type, type) ? value.isUnpadded : undefined)));
  const [only] = kinds;
  if (kinds.size > 1) return { isUnpadded: "partly" };
  return only === undefined ? {} : { isUnpadded: only };
}

const sameLength = (type: HiveType, other: HiveType) =>
  "length" in type && "length" in other && type.length === other.length;

/** Returns true for chars of different lengths of which one is computed from literals and keeps its own length. */
export const mixesCharLengths = (values: readonly Typed[]): boolean =>
  values.some(isFoldedChar) &&
  new Set(values.flatMap(({ type }) => (type.kind === "char" ? [type.length] : []))).size > 1;

/** Refuses unpadded chars as members of arrays, maps and structs: Hive pads them there only when it runs a job. */
export function refuseUnpaddedElements(values: readonly Typed[], position: Position, construct: string) {
  if (values.some(({ isUnpadded }) => isUnpadded))
    throw unsupported(
      position,
      construct,
      "contains a char returned by a function, which Hive pads with spaces only when the statement runs a job: cast it to string",
    );
}

/**
 * Returns true when a column of a subquery is a char computed from each row, and not a column of a table.
 * @param keys the GROUP BY expressions by the columns that hold them.
 */
export function isComputedCharColumn(
  value: Typed,
  keys: readonly (readonly [column: string, key: Typed])[] = [],
): boolean {
  if (value.type.kind !== "char" || !readsColumns(value) || contains(value, "window")) return false;
  const key = keys.find(([column]) => column === keyOf(value))?.[1];
  if (key) return isComputedCharColumn(key);
  return value.isComputedChar === true || value.node.kind !== "column";
}

/** Refuses `=` and IN between a computed char and a shorter literal: Hive pads the literal and finds no equal row. */
export function refuseComputedCharComparison(
  column: Typed,
  literals: readonly Typed[],
  position: Position,
  construct: string,
) {
  const { type } = column;
  const needsPadding = ({ constant }: Typed) =>
    typeof constant === "string" && type.kind === "char" && [...constant.trimEnd()].length < type.length;
  if (column.isComputedChar && literals.some(needsPadding))
    throw unsupported(
      position,
      construct,
      "compares a char computed by CAST or in a subquery with a shorter literal, which Hive pads with spaces and finds in no row: cast the char to string",
    );
}
