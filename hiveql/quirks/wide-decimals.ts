/** Comparisons of decimals that no decimal holds both of: Hive compares them as they are, without rounding. */
import { asDecimal } from "../bind/coercion";
import { type Fragment, sql, type SqlExpression } from "../emit/fragment";
import { type HiveType, maxPrecision } from "../bind/types";

/** Whether a decimal type holds every value of the others. */
export function holds(type: HiveType, ...others: readonly HiveType[]): boolean {
  const room = asDecimal(type);
  return others.every((other) => {
    const needed = asDecimal(other);
    if (!room || !needed) return true;
    return needed.scale <= room.scale && needed.precision - needed.scale <= room.precision - room.scale;
  });
}

/** Compares two decimals by their whole parts, then by their fractions. */
export function compareParts(operator: string, left: SqlExpression, right: SqlExpression): Fragment {
  const scale = Math.max(asDecimal(left.type)?.scale ?? 0, asDecimal(right.type)?.scale ?? 0);
  const parts = (value: SqlExpression) => {
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
