/** Padding of chars. */
import { type Position, unsupported } from "../syntax";
import { contains, readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { keyOf } from "../tree/same";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "char-padding",
  hive: "4.0.1",
  title: "Padding of chars",
  why: "Hive 4.0.1 prints a char column or CAST with trailing spaces, and pads a char that an expression returns or not depending on how it runs the statement.",
  example: "`SELECT upper(c)` of the char(4) `red ` answers `RED`, and `RED ` with ORDER BY.",
  refuses:
    "The translation refuses functions and operators that make chars, chars of literals as their arguments, and comparisons of computed chars with shorter literals, which Hive pads and finds in no row.",
};

export const paddedCharReason =
  "makes a char, which Hive pads with spaces or not depending on how it runs the statement: cast the operands to string";

export const foldedCharReason =
  "has a char computed from literals as an operand, which Hive pads with spaces inconsistently: cast it to string";

/** Returns true for a char made of literals alone, which Hive folds with its trailing spaces. */
export const isFoldedChar = (value: Typed) => value.type.kind === "char" && !readsColumns(value);

/** @throws HiveQLError for a choice among chars of different lengths of which a literal keeps its own length. */
export function refuseMixedCharLengths(values: readonly Typed[], position: Position, construct: string): void {
  const lengths = new Set(values.flatMap(({ type }) => (type.kind === "char" ? [type.length] : [])));
  if (lengths.size > 1 && values.some(isFoldedChar))
    throw unsupported(
      position,
      construct,
      "has chars of different lengths, some of them literals, whose result Hive pads inconsistently: cast them to string",
    );
}

/** @throws HiveQLError for a char of literals as the pattern of RLIKE. */
export function refusePaddedPattern(pattern: Typed, position: Position, construct: string): void {
  if (isFoldedChar(pattern))
    throw unsupported(
      position,
      construct,
      "has a char literal as its pattern, which Hive pads with spaces: cast it to string",
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

/** Refuses `=` and IN between a computed char and a shorter literal. */
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
