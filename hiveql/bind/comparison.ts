/** Comparisons: the types in which Hive compares, and what it refuses to compare. */
import { type BinaryOperator, type Position, semantic, unsupported } from "../syntax";
import { comparisonType } from "../tree/coercion";
import { refuseMixedBooleans } from "../quirks/boolean-comparison";
import { refuseUncertainDigits } from "../quirks/folded-decimals";
import type { ComparisonOperator, Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { comparedAs } from "./literal-coercion";
import { type HiveType, isInteger, isNested, typeName, types } from "../tree/types";
import { holdsDecimals } from "../quirks/decimal-comparison";
import { refuseNaNLiteral } from "../quirks/nan-literals";
import { joinKeys } from "../quirks/signed-zero";

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
  refuseUncertainDigits("value", [left, right], position, written);
  const type = comparisonType(left.type, right.type) ?? textOfDates(left.type, right.type);
  refuseMixedBooleans(left, right, position, written);
  const compared = (one: Typed, other: Typed) =>
    operation({ kind: "comparison", operator, operands: [one, other] }, types.boolean);
  if (type?.kind === "decimal" && !holdsDecimals(type, left.type, right.type)) return compared(left, right);
  const asKeys = operator === "=" || operator === "<=>" ? joinKeys(left, right) : [left, right];
  const [first, second] = asKeys.map((side) => type && comparedAs(side as Typed, type));
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
  refuseNaNLiteral([first, second], position);
  return compared(first, second);
}

/** Returns string for a date and an integer: Hive compares their texts. */
const textOfDates = (left: HiveType, right: HiveType): HiveType | undefined =>
  (left.kind === "date" && isInteger(right)) || (isInteger(left) && right.kind === "date") ? types.string : undefined;
