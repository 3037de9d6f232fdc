/**
 * CAST of a text that CAST has made of a number or char. Hive's optimizer leaves the text out where it holds all of the
 * value: `cast(cast(x as string) as double)` of a float is `cast(x as double)`, with the float's binary digits.
 */
import { asDecimal } from "../bind/coercion";
import { cast } from "../emit/conversions";
import { readsColumns, type SqlExpression } from "../emit/fragment";
import { asShortDecimal, exceedsShortDecimal } from "../quirks/short-decimals";
import { type HiveType, isApproximate, isInteger, isNumber, numberRank } from "../bind/types";

/**
 * CAST as an expression of its own; what functions make of their arguments is no such expression.
 * @returns undefined where Hive has no such cast.
 */
export function castOf(value: SqlExpression, to: HiveType): SqlExpression | undefined {
  const { textOf } = value;
  const isRead = textOf !== undefined && differs(textOf, to);
  // Hive takes any varchar for as long as a double, and then has the digits that the varchar lost.
  if (isRead && isApproximate(textOf) && lengthOf(value.type) < printed[textOf.kind as "double"]) return undefined;
  const read = (isRead ? cast(value, textOf) : undefined) ?? value;
  const result = cast(asShortDecimal(read, to), to);
  const source = wholeIn(value, to);
  return result && source ? { ...result, textOf: source } : result;
}

/** The lengths of the longest texts, such as `-1.17549435E-38` and `-2.2250738585072014E-308`. */
const printed = { float: 15, double: 24 } as const;

/** The type of a value that Hive does not know beforehand where a text type holds all of it. */
function wholeIn(value: SqlExpression, text: HiveType): HiveType | undefined {
  const { textOf, type } = value;
  const isSource = type.kind === "char" || (isNumber(type) && readsColumns(value));
  const source = textOf ?? (isSource ? type : undefined);
  return source && longest(source) <= lengthOf(text) ? source : undefined;
}

/** How long texts of a type may be; -1 where it is no string or varchar. */
function lengthOf(type: HiveType): number {
  if (type.kind === "string") return Infinity;
  return type.kind === "varchar" ? type.length : -1;
}

/** The digits with a sign, and with a point where there is a fraction; of floats and doubles Hive knows no length. */
function longest(type: HiveType): number {
  if (type.kind === "char") return type.length;
  const { precision, scale } = asDecimal(type) ?? { precision: -1, scale: 0 };
  return precision + 1 + (scale > 0 ? scale + 1 : 0);
}

/** Whether a value of one type and its text may become two values of another. */
function differs(from: HiveType, to: HiveType): boolean {
  if (from.kind === "char") return to.kind === "binary";
  if (to.kind === "boolean") return true;
  if (isInteger(from)) return isInteger(to) && numberRank(to) < numberRank(from);
  if (from.kind === "decimal") return exceedsShortDecimal(from) && isNumber(to);
  return isApproximate(from) && isNumber(to);
}
