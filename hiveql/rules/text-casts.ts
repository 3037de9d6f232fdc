/** CAST of a CAST to text. */
import { asDecimal } from "../tree/coercion";
import { cast } from "../tree/cast";
import { readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { decimalForConversion, exceedsConversionDigits } from "../quirks/decimal-conversion";
import { type HiveType, isApproximate, isInteger, isNumber, numberRank } from "../tree/types";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "text-casts",
  hive: "4.0.1",
  title: "CAST of a CAST to text",
  why: "The optimizer of Hive 4.0.1 removes the inner cast of a number or char when the text type is long enough to hold the value.",
  example:
    "`cast(cast(x AS string) AS double)` of the float 1.4 answers 1.399999976158142, as `cast(x AS double)` does.",
  rewrites: "The translation removes the inner cast in the same cases.",
};

/**
 * Translates a CAST that the statement contains; conversions of function arguments are not such casts.
 * @returns undefined when Hive has no such cast.
 */
export function castExpression(value: Typed, to: HiveType): Typed | undefined {
  const { textSourceType } = value;
  const isRead = textSourceType !== undefined && textChangesValue(textSourceType, to);
  // Hive treats any varchar as long enough for a double, and so keeps digits that the varchar loses.
  if (isRead && isApproximate(textSourceType) && lengthOf(value.type) < longestText[textSourceType.kind as "double"])
    return undefined;
  const read = (isRead ? cast(value, textSourceType) : undefined) ?? value;
  const result = cast(decimalForConversion(read, to), to);
  const source = losslessSource(value, to);
  return result && source ? { ...result, textSourceType: source } : result;
}

/** The length of the longest text of each type, such as `-1.17549435E-38` and `-2.2250738585072014E-308`. */
const longestText = { float: 15, double: 24 } as const;

/** Returns the source type of a CAST to text, if the text type holds all values of it and Hive does not fold it. */
function losslessSource(value: Typed, text: HiveType): HiveType | undefined {
  const { textSourceType, type } = value;
  const isSource = type.kind === "char" || (isNumber(type) && readsColumns(value));
  const source = textSourceType ?? (isSource ? type : undefined);
  return source && maxTextLength(source) <= lengthOf(text) ? source : undefined;
}

/** Returns the maximum length of a string or varchar type; -1 for other types. */
function lengthOf(type: HiveType): number {
  if (type.kind === "string") return Infinity;
  return type.kind === "varchar" ? type.length : -1;
}

/** Returns the length of a type's longest text: digits, sign and decimal point; for double and float Hive has none. */
function maxTextLength(type: HiveType): number {
  if (type.kind === "char") return type.length;
  const { precision, scale } = asDecimal(type) ?? { precision: -1, scale: 0 };
  return precision + 1 + (scale > 0 ? scale + 1 : 0);
}

/** Returns true when a cast of the text can give another result than a cast of the value. */
function textChangesValue(from: HiveType, to: HiveType): boolean {
  if (from.kind === "char") return to.kind === "binary";
  if (to.kind === "boolean") return true;
  if (isInteger(from)) return isInteger(to) && numberRank(to) < numberRank(from);
  if (from.kind === "decimal") return exceedsConversionDigits(from) && isNumber(to);
  return isApproximate(from) && isNumber(to);
}
