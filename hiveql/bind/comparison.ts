/** Comparisons: the types in which Hive compares, and what it refuses to compare. */
import { type BinaryOperator, type Position, semantic, unsupported } from "../syntax";
import { comparisonType, holdsDecimals } from "../tree/coercion";
import type { ComparisonOperator, Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { comparedAs } from "./literal-coercion";
import { isInteger, isNested, isNumber, isVoid, typeName, types } from "../tree/types";

/** Returns true for the operators that compare. */
export const isComparison = (operator: BinaryOperator): operator is ComparisonOperator =>
  ["=", "<>", "<", "<=", ">", ">=", "<=>", "is distinct from"].includes(operator);

/** Binds a comparison; operands are converted to the type in which Hive compares. */
export function compare(
  operator: ComparisonOperator,
  left: Typed,
  right: Typed,
  position: Position,
  written: string = operator,
): Typed {
  const type = comparisonType(left.type, right.type);
  refuseMixedBooleans(left, right, position, written);
  refuseDatesAsNumbers(left, right, position, written);
  const compared = (one: Typed, other: Typed) =>
    operation({ kind: "comparison", operator, operands: [one, other] }, types.boolean);
  if (type?.kind === "decimal" && !holdsDecimals(type, left.type, right.type)) return compared(left, right);
  const [first, second] = [left, right].map((side) => type && comparedAs(side, type));
  if (!type || !first || !second)
    throw semantic(
      position,
      written,
      `cannot compare ${typeName(left.type)} with ${typeName(right.type)}: cast one of them`,
    );
  if (type.kind === "map") throw semantic(position, written, "cannot compare maps");
  if (isNested(type) && operator !== "=" && operator !== "<>")
    throw unsupported(
      position,
      `${written} of complex values`,
      "has no order for them: compare their elements or fields",
    );
  return compared(first, second);
}

/**
 * @throws HiveQLError for a boolean beside another type, unless it is no literal and the other one a number: Hive has a
 *   rule of its own for each pair of types, and answers NULL for `flag = 'true'`.
 */
function refuseMixedBooleans(left: Typed, right: Typed, position: Position, written: string): void {
  if (!mixesBooleans(left, right)) return;
  const [flag, other] = left.type.kind === "boolean" ? [left, right] : [right, left];
  if (flag.constant === undefined && isNumber(other.type) && other.type.kind !== "decimal") return;
  throw unsupported(
    position,
    written,
    `compares a boolean with ${typeName(other.type)}, for which Hive has rules of its own: write the boolean alone, NOT before it, or = true`,
  );
}

/** @throws HiveQLError for a date beside an integer, which Hive compares as texts. */
export function refuseDatesAsNumbers(
  { type: left }: Typed,
  { type: right }: Typed,
  position: Position,
  written: string,
) {
  if ((left.kind === "date" && isInteger(right)) || (isInteger(left) && right.kind === "date"))
    throw unsupported(
      position,
      written,
      "compares a date with a number, which Hive compares as texts: write the date, as in DATE '2026-01-31'",
    );
}

/** Returns true when only one of two values is a boolean. */
export const mixesBooleans = ({ type: left }: Typed, { type: right }: Typed): boolean =>
  (left.kind === "boolean") !== (right.kind === "boolean") && !isVoid(left) && !isVoid(right);
