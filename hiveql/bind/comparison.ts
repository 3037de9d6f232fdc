/** Comparisons: the types in which Hive compares, and what it refuses to compare. */
import { containsLiteral, readsColumns } from "../tree/facts";
import { type Position, semantic, unsupported } from "../syntax";
import { comparisonType } from "../tree/coercion";
import { hiddenDigitsReason, hidesDigits } from "../rules/folded-decimals";
import type { Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { withTestedOperands } from "../rules/null-tests";
import { comparedAs } from "./literal-coercion";
import {
  isApproximate,
  type HiveType,
  isInteger,
  isNested,
  isNumber,
  isText,
  isVoid,
  typeName,
  types,
} from "../tree/types";
import { holdsDecimals } from "../quirks/decimal-comparison";
import { joinKeys } from "../quirks/signed-zero";

/** The SQL of the comparison operators. */
export const comparisons: Readonly<Record<string, string>> = {
  "=": "=",
  "<>": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "<=>": "IS NOT DISTINCT FROM",
  "is distinct from": "IS DISTINCT FROM",
};

/** Translates a comparison; operands are converted to the type in which Hive compares. */
export function compare(operator: string, left: Typed, right: Typed, position: Position, written = operator): Typed {
  if ([left, right].some(hidesDigits)) throw unsupported(position, written, hiddenDigitsReason);
  const type = comparisonType(left.type, right.type) ?? textOfDates(left.type, right.type);
  checkBooleans(left, right, position, written);
  const compared = (one: Typed, other: Typed) =>
    operation({ kind: "comparison", operator, operands: [one, other] }, types.boolean);
  if (type?.kind === "decimal" && !holdsDecimals(type, left.type, right.type)) return compared(left, right);
  const asKeys = operator === "=" || operator === comparisons["<=>"] ? joinKeys(left, right) : [left, right];
  const [first, second] = asKeys.map((side) => type && comparedAs(side as Typed, type));
  const isNaNLiteral = (side: Typed) =>
    !readsColumns(side) && containsLiteral(side, ({ value }) => String(value).toLowerCase() === "nan");
  if (type && isApproximate(type) && isNaNLiteral(left) !== isNaNLiteral(right) && [left, right].some(readsColumns))
    throw unsupported(
      position,
      written,
      "compares with NaN, for which Hive's filters return no row: compute the condition without the literal",
    );
  if (!type || !first || !second)
    throw semantic(
      position,
      written,
      `cannot compare ${typeName(left.type)} with ${typeName(right.type)}: cast one of them`,
    );
  if (type.kind === "map") throw semantic(position, written, "cannot compare maps");
  if (isNested(type) && operator !== "=" && operator !== "<>")
    throw unsupported(position, `${written} of complex values`);
  const result = compared(first, second);
  if (operator === comparisons["<=>"] || operator === comparisons["is distinct from"]) return result;
  return {
    ...withTestedOperands(result, [nullTestOperand(left, first), nullTestOperand(right, second)], false),
    ...literalEqualityOf(operator, [left, first], [right, second]),
  };
}

/** Returns string for a date and an integer: Hive compares their texts. */
const textOfDates = (left: HiveType, right: HiveType): HiveType | undefined =>
  (left.kind === "date" && isInteger(right)) || (isInteger(left) && right.kind === "date") ? types.string : undefined;

/**
 * Returns the equality of a column and a literal, or nothing for other comparisons. Each side is given as written and
 * as converted for the comparison.
 */
export function literalEqualityOf(
  operator: string,
  one: readonly [Typed, Typed],
  other: readonly [Typed, Typed],
): Pick<Typed, "literalEqualities"> {
  const [[column], [constant, converted]] = readsColumns(one[0])
    ? [one.toReversed(), other]
    : [other.toReversed(), one];
  const isPoint = operator === "=" && column && readsColumns(column) && !readsColumns(constant);
  if (!isPoint || constant.constant === null || converted.type.kind === "boolean") return {};
  return { literalEqualities: [{ value: column, literal: { ...converted, ...constantOf(constant) } }] };
}

const constantOf = ({ constant }: Typed) => (constant === undefined ? {} : { constant });

/** Refuses comparisons of TRUE or FALSE with a number or text, and of a boolean with a decimal. */
export function checkBooleans(left: Typed, right: Typed, position: Position, written: string) {
  if (left.type.kind === right.type.kind || isVoid(left.type) || isVoid(right.type)) return;
  const [flag, other] = left.type.kind === "boolean" ? [left, right] : [right, left];
  if (flag.type.kind === "boolean" && typeof other.constant === "string" && isText(other.type))
    throw unsupported(
      position,
      written,
      `compares a boolean with the text '${other.constant}', which is NULL in Hive 4 for every row: write the boolean alone, NOT before it, or = true`,
    );
  if (flag.type.kind === "boolean" && (flag.constant !== undefined || other.type.kind === "decimal"))
    throw unsupported(
      position,
      written,
      "compares a boolean with another type, for which Hive has its own rules: cast both sides to one type",
    );
}

/** Returns the operand that IS NULL tests for a comparison. Hive's optimizer looks through the CAST of a number. */
const nullTestOperand = (operand: Typed, converted: Typed) => (isNumber(operand.type) ? operand : converted);
