/** Comparison of decimals whose common type would exceed 38 digits. */
import { asDecimal } from "../tree/coercion";
import { sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { type HiveType, maxPrecision } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "decimal-comparison",
  hive: "4.0.1",
  title: "Comparison of decimals whose common type would exceed 38 digits",
  why: "Hive 4.0.1 compares them exactly, without rounding.",
  example: "`cast('1.00' AS decimal(36,2)) < cast('1.000001' AS decimal(38,6))` answers true.",
  rewrites: "The translation compares the whole parts first and then the fractions.",
};

/** Returns true when a decimal type holds every value of the others. */
export function holdsDecimals(type: HiveType, ...others: readonly HiveType[]): boolean {
  const room = asDecimal(type);
  return others.every((other) => {
    const needed = asDecimal(other);
    if (!room || !needed) return true;
    return needed.scale <= room.scale && needed.precision - needed.scale <= room.precision - room.scale;
  });
}

/** Compares two decimals by their whole parts, and then by their fractions. */
export function compareDecimalParts(operator: string, left: Typed, right: Typed): Part {
  const scale = Math.max(asDecimal(left.type)?.scale ?? 0, asDecimal(right.type)?.scale ?? 0);
  const parts = (value: Typed) => {
    const digits = asDecimal(value.type) ?? { precision: maxPrecision, scale: 0 };
    const own = `DECIMAL(${digits.precision},${digits.scale})`;
    const whole = sql`trunc(CAST(${value} AS ${own}))`;
    const fraction = sql`CAST(${value} AS ${own}) - CAST(${whole} AS ${own})`;
    return sql`(CAST(${whole} AS DECIMAL(${maxPrecision},0)), CAST(${fraction} AS DECIMAL(${maxPrecision},${scale})))`;
  };
  const compared = sql`${parts(left)} ${operator} ${parts(right)}`;
  if (operator.endsWith("DISTINCT FROM")) return sql`(${compared})`;
  return sql`CASE WHEN ${left} IS NOT NULL AND ${right} IS NOT NULL THEN ${compared} END`;
}
