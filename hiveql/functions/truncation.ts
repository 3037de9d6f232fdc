/** `trunc` of numbers: digits are cut off, as Java's BigDecimal does. */
import { type Fragment, macro, sql } from "../emit/fragment";
import { decimal, duckType, type HiveType, isApproximate, isInteger, typeName } from "../bind/types";
import type { CallSite, Values } from "./define";

/** The type of `trunc(number[, digits])`. */
export function truncatedType(values: Values, call: CallSite): HiveType {
  const { type } = values[0];
  if (isInteger(type) || isApproximate(type)) return type;
  if (type.kind !== "decimal") throw call.invalid(`takes a date or a number and not ${typeName(type)}`);
  const scale = Math.max(0, digitsOf(values, call));
  const precision = type.precision - type.scale + scale;
  // Hive computes in 64 bits here, whatever the decimal holds.
  if (precision > 18 || precision < 1)
    throw call.refused("of a decimal of so many digits is not supported by the embedded engine");
  return decimal(precision, scale);
}

/** The number with its digits cut off. */
export function truncatedNumber(values: Values, call: CallSite, type: HiveType): Fragment {
  const [value] = values;
  const digits = digitsOf(values, call);
  const power = `1${"0".repeat(Math.abs(digits))}`;
  const held = duckType(type);
  if (isApproximate(type)) {
    const name = digits < 0 ? "hive_trunc_left" : "hive_trunc_right";
    return sql`CAST(${macro(name, sql`CAST(${value} AS DOUBLE)`, `CAST(${power} AS DOUBLE)`)} AS ${held})`;
  }
  if (isInteger(type)) return digits < 0 ? sql`(${value} - ${value} % CAST(${power} AS ${held}))` : value;
  const unit = digits > 0 ? `CAST('0.${"0".repeat(digits - 1)}1' AS DECIMAL(${digits + 1}, ${digits}))` : power;
  const kept = value.type.kind === "decimal" && digits < value.type.scale;
  return kept ? sql`CAST(${value} - ${value} % ${unit} AS ${held})` : sql`CAST(${value} AS ${held})`;
}

function digitsOf(values: Values, call: CallSite): number {
  if (values.length < 2) return 0;
  const [, digits] = values;
  if (typeof digits.constant !== "number" || !isInteger(digits.type)) {
    throw call.refused("takes digits that are a literal in the embedded engine");
  }
  if (Math.abs(digits.constant) > 15)
    throw call.refused("to more than 15 digits is not supported by the embedded engine");
  return digits.constant;
}
