/** Conversion of decimals to other numeric types. */
import { cast } from "../tree/cast";
import { readsColumns } from "../tree/facts";
import { once, sql } from "../tree/fragment";
import { inherit } from "../tree/typed";
import type { Typed } from "../tree/nodes";
import { decimal, type HiveType, isInteger, isNumber } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "decimal-conversion",
  hive: "4.0.1",
  title: "Conversion of decimals to other numeric types",
  why: "Without vectorized execution, CAST and Hive's older functions read a decimal as decimal(38,18) in Hive 4.0.1: 18 fraction digits, and NULL for more than 20 whole digits. With vectorized execution they read all digits.",
  example: "`cast(d AS double)` of 100000000000000000000 as decimal(38,4) answers NULL or 1.0E20.",
  refuses:
    "The translation rounds decimals computed from literals, and fails the query for a column value whose result differs.",
};

/**
 * Casts a value as CAST and operators do, which read decimals in this way.
 * @returns undefined when Hive has no such cast.
 */
export const castAs = (value: Typed, to: HiveType): Typed | undefined => cast(decimalForConversion(value, to), to);

const fractionDigits = 18;
const wholeDigits = 20;

/** Returns true when decimals of a type can have more digits than decimal(38,18) holds. */
const exceedsConversionDigits = ({
  precision,
  scale,
}: {
  readonly precision: number;
  readonly scale: number;
}): boolean => scale > fractionDigits || precision - scale > wholeDigits;

/**
 * Returns a decimal as CAST to another type reads it. A decimal computed from literals is rounded to 18 fraction
 * digits; a decimal read from columns fails the query when the lost digits change the result.
 */
export function decimalForConversion(value: Typed, to: HiveType): Typed {
  const { type } = value;
  if (type.kind !== "decimal" || to.kind === "decimal" || !(isNumber(to) || to.kind === "boolean")) return value;
  if (!exceedsConversionDigits(type)) return value;
  const hasExcessScale = type.scale > fractionDigits;
  const short = (given: Typed) => cast(given, decimal(38, fractionDigits)) ?? given;
  if (!readsColumns(value)) return short(value);
  // A number with this many whole digits fits no integer type in either mode.
  if (!hasExcessScale && isInteger(to)) return value;
  const guarded = once([value], ([held]) => {
    const given = inherit(value, held ?? value);
    const differs = hasExcessScale
      ? sql`${cast(short(given), to) ?? given} IS DISTINCT FROM ${cast(given, to) ?? given}`
      : sql`abs(${given}) >= CAST('1${"0".repeat(wholeDigits)}' AS DECIMAL(${wholeDigits + 1},0))`;
    return sql`CASE WHEN ${differs} THEN ${hasExcessScale ? tooManyFractionDigits : tooManyWholeDigits} ELSE ${given} END`;
  });
  return inherit(value, guarded);
}

/**
 * Returns the integer that CAST makes of a decimal. For a decimal computed from literals that does not fit, Hive
 * answers NULL or a wrapped number depending on the expressions next to it, so the query fails.
 */
export function failOnWrappedLiteral(value: Typed, whole: Typed): Typed {
  if (value.type.kind !== "decimal" || !isInteger(whole.type) || readsColumns(value)) return whole;
  const wrapped =
    "error('HiveQL: a decimal literal does not fit the integer type that it is cast to: cast it to bigint or decimal')";
  return inherit(whole, sql`CASE WHEN ${value} IS NOT NULL THEN coalesce(${whole}, ${wrapped}) END`);
}

const failure = (what: string, remedy: string) =>
  `error('HiveQL: a decimal with more than ${what} is converted to another type, and Hive gives different results with and without vectorized execution: ${remedy}')`;

const tooManyFractionDigits = failure(
  `${fractionDigits} digits after the decimal point`,
  `cast it to decimal(38,${fractionDigits}) first`,
);
const tooManyWholeDigits = failure(
  `${wholeDigits} digits before the decimal point`,
  "convert it to double with pow(x, 1)",
);
