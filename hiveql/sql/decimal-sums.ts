/** SQL of sums and averages of decimals. */
import { asDecimal } from "../tree/coercion";
import { macro, sql } from "./fragment";
import type { Fragment, Part } from "./fragment";
import type { Typed } from "../tree/nodes";
import { duckType, type HiveType, maxPrecision } from "../tree/types";
import { tryShort } from "./short-decimals";

interface AggregateOptions {
  /** `DISTINCT ` or nothing. */
  readonly distinct: string;
  readonly over: Part;
  readonly isWindow: boolean;
}

/** Returns SQL of the sum of decimals; it is NULL when it does not fit. */
export function decimalSum(value: Typed, options: AggregateOptions, to: HiveType): Part {
  const { distinct, isWindow } = options;
  const plain = longSum(value, value.type, options);
  const isLong = to.kind === "decimal" && to.precision === maxPrecision;
  // DuckDB's sums reach 1.7e38, and only their text shows the digits.
  if (isWindow) return sql`TRY_CAST(${isLong ? sql`CAST(${plain} AS VARCHAR)` : plain} AS ${duckType(to)})`;
  const short = distinct === "" ? shortTerm(value) : undefined;
  if (short !== undefined) {
    const rest = longSum(sql`CASE WHEN ${short} IS NULL THEN ${value} END`, value.type, options);
    const sum = macro("hive_decimal_sum", sql`sum(${short})`, rest, longest(asDecimal(value.type)?.scale ?? 0));
    // What is added in 64 bits may have fewer digits after the point than the type.
    return sql`TRY_CAST(${sum} AS ${duckType(to)})`;
  }
  return isLong ? macro("hive_fitting", plain, longest(to.scale)) : sql`TRY_CAST(${plain} AS ${duckType(to)})`;
}

/**
 * Returns SQL of a sum in 128 bits, which is NULL when it does not fit. DuckDB adds the sums of its threads, and those of
 * the arms of a UNION ALL, without a check: beyond 1.7e38 they are another number. Their sum as doubles tells.
 */
export function longSum(
  value: Part,
  type: HiveType,
  { distinct, over }: Pick<AggregateOptions, "distinct" | "over">,
): Part {
  const sum = sql`sum(${distinct}${value})${over}`;
  const { precision, scale } = asDecimal(type) ?? { precision: maxPrecision, scale: 0 };
  if (precision <= fittingPrecision) return sum;
  const rounded =
    distinct === ""
      ? sql`sum(CAST(${value} AS DOUBLE))${over}`
      : sql`list_sum(list_transform(list(${distinct}${value})${over}, lambda hive_x: CAST(hive_x AS DOUBLE)))`;
  return macro("hive_checked_sum", sum, rounded, `1e${maxPrecision - scale}::DOUBLE`);
}

/** Digits of values whose sum fits into 128 bits for ten billion rows. */
const fittingPrecision = 28;

/** Returns a value in 64 bits, which is NULL when it overflows; undefined when that is not faster. */
function shortTerm(value: Typed): Fragment | undefined {
  const isShort = value.node.kind === "column" || (asDecimal(value.type)?.precision ?? 0) <= 18;
  return isShort ? undefined : tryShort(value);
}

/** Returns the greatest decimal of a scale. */
const longest = (scale: number) =>
  `CAST('${"9".repeat(maxPrecision - scale)}.${"9".repeat(scale)}' AS DECIMAL(${maxPrecision},${scale}))`;

/** Returns SQL of a sum of decimals divided by a count, rounded half up; NULL for the count 0. */
export function decimalAverage(sum: Part, sumType: HiveType, count: Part, to: HiveType): Part {
  const { precision, scale } = asDecimal(sumType) ?? { precision: maxPrecision, scale: 0 };
  const added = to.kind === "decimal" ? to.scale - scale : 0;
  // 128 bits hold the digits of the sum, and those of a remainder, which is less than a bigint, with the added digits.
  if (to.kind === "decimal" && precision + scale <= maxPrecision && added >= 0 && added <= maxAdded) {
    const whole = sql`CAST(${sum} * CAST('1e${scale}' AS DECIMAL(${scale + 1},0)) AS HUGEINT)`;
    const digits = macro("hive_long_quotient", whole, sql`CAST(${count} AS HUGEINT)`, `1${"0".repeat(added)}::HUGEINT`);
    const unit = to.scale === 0 ? "1" : `0.${"1".padStart(to.scale, "0")}`;
    return sql`CAST(CAST(${digits} AS DECIMAL(${maxPrecision},0)) * CAST('${unit}' AS DECIMAL(${Math.max(1, to.scale)},${to.scale})) AS ${duckType(to)})`;
  }
  const scaleOf = to.kind === "decimal" ? to.scale : 0;
  return sql`hive_decimal_divide(CAST(${sum} AS VARCHAR), CAST(${count} AS VARCHAR), ${scaleOf}::INTEGER)::${duckType(to)}`;
}

/** The number of digits that can be added to a bigint in 128 bits, of which the double fits too. */
const maxAdded = 18;
