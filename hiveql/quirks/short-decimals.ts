/**
 * Decimals that become other numbers. CAST and Hive's older functions take them with 18 digits behind the point, and as
 * NULL where more than 20 stand before it; where Hive runs vectorized, they take them as they are.
 */
import { cast } from "../emit/conversions";
import { once, readsColumns, sql, type SqlExpression } from "../emit/fragment";
import { decimal, type HiveType, isInteger, isNumber } from "../bind/types";

const fractionDigits = 18;
const wholeDigits = 20;

/** Whether decimals of a type may have more digits than these. */
export const exceedsShortDecimal = ({ precision, scale }: { readonly precision: number; readonly scale: number }): boolean =>
  scale > fractionDigits || precision - scale > wholeDigits;

/**
 * A decimal as a CAST to another type takes it. What literals alone make loses its digits, as folding has it; of others
 * the query fails where the lost ones tell in the result.
 */
export function asShortDecimal(value: SqlExpression, to: HiveType): SqlExpression {
  const { type } = value;
  if (type.kind !== "decimal" || to.kind === "decimal" || !(isNumber(to) || to.kind === "boolean")) return value;
  if (!exceedsShortDecimal(type)) return value;
  const isFine = type.scale > fractionDigits;
  const short = (given: SqlExpression) => cast(given, decimal(38, fractionDigits)) ?? given;
  if (!readsColumns(value)) return short(value);
  // A number of so many digits is no whole number of any type in either mode.
  if (!isFine && isInteger(to)) return value;
  const guarded = once([value], ([held]) => {
    const given: SqlExpression = { ...value, ...(held ?? value) };
    const tells = isFine
      ? sql`${cast(short(given), to) ?? given} IS DISTINCT FROM ${cast(given, to) ?? given}`
      : sql`abs(${given}) >= CAST('1${"0".repeat(wholeDigits)}' AS DECIMAL(${wholeDigits + 1},0))`;
    return sql`CASE WHEN ${tells} THEN ${isFine ? tooLong : tooLarge} ELSE ${given} END`;
  });
  return { ...value, ...guarded };
}

/**
 * A whole number that CAST makes of a decimal. Of one that literals alone make and that does not fit, Hive makes NULL over
 * rows or lets it wrap, by what stands beside it: there the query fails.
 */
export function unlessWrapped(value: SqlExpression, whole: SqlExpression): SqlExpression {
  if (value.type.kind !== "decimal" || !isInteger(whole.type) || readsColumns(value)) return whole;
  const wrapped = "error('HiveQL: a decimal literal that does not fit is cast to a whole number')";
  return { ...whole, ...sql`CASE WHEN ${value} IS NOT NULL THEN coalesce(${whole}, ${wrapped}) END` };
}

const failure = (what: string, remedy: string) =>
  `error('HiveQL: a decimal with more than ${what} becomes another type, which Hive does with all of its digits or not as it runs vectorized or not: ${remedy}')`;

const tooLong = failure(
  `${fractionDigits} digits behind the point`,
  `cast it to decimal(38,${fractionDigits}) before that`,
);
const tooLarge = failure(`${wholeDigits} digits before the point`, "pow(x, 1) makes a double of it");
