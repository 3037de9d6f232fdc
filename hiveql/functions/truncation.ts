/** `trunc` of numbers, which truncates digits as Java's BigDecimal does. */
import { sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import { decimal, duckType, type HiveType, isApproximate, isInteger, typeName } from "../tree/types";
import type { CallSite, ArgumentValues } from "./define";

/** Returns the type of `trunc(number[, digits])`. */
export function truncatedType(values: ArgumentValues, call: CallSite): HiveType {
  const { type } = values[0];
  if (isInteger(type) || isApproximate(type)) return type;
  if (type.kind !== "decimal") throw call.invalid(`expects a date or a number, got ${typeName(type)}`);
  const scale = Math.max(0, digitsOf(values, call));
  const precision = type.precision - type.scale + scale;
  // Hive computes with 64 bits here, whatever the decimal type is.
  if (precision > 18 || precision < 1) throw call.refused(`has a result of ${precision} digits, which is not 1 to 18`);
  return decimal(precision, scale);
}

/** Returns the truncated number. */
export function truncatedNumber(values: ArgumentValues, call: CallSite, type: HiveType): Part {
  const [value] = values;
  const digits = digitsOf(values, call);
  const power = `1${"0".repeat(Math.abs(digits))}`;
  const held = duckType(type);
  if (isApproximate(type))
    return sql`CAST(hive_trunc_double(CAST(${value} AS DOUBLE), CAST(${digits} AS INTEGER)) AS ${held})`;
  if (isInteger(type)) return digits < 0 ? sql`(${value} - ${value} % CAST(${power} AS ${held}))` : value;
  const unit = digits > 0 ? `CAST('0.${"0".repeat(digits - 1)}1' AS DECIMAL(${digits + 1}, ${digits}))` : power;
  const kept = value.type.kind === "decimal" && digits < value.type.scale;
  return kept ? sql`CAST(${value} - ${value} % ${unit} AS ${held})` : sql`CAST(${value} AS ${held})`;
}

function digitsOf(values: ArgumentValues, call: CallSite): number {
  if (values.length < 2) return 0;
  const [, digits] = values;
  if (typeof digits.constant !== "number" || !isInteger(digits.type)) {
    throw call.refused("has a number of digits that is not an integer literal");
  }
  if (Math.abs(digits.constant) > 15) throw call.refused("truncates to more than 15 digits");
  return digits.constant;
}
