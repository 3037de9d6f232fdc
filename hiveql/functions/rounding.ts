/** Rounding of numbers. */
import { macro, type Part, sql } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import {
  decimal,
  duckType,
  type HiveType,
  isApproximate,
  isInteger,
  isText,
  isVoid,
  maxPrecision,
  typeName,
  types,
} from "../tree/types";
import { type CallSite, scalar } from "./define";

/** Declares round or bround. The number of digits must be a literal, because the type of a decimal depends on it. */
const rounding = (name: "round" | "bround", doc: string) =>
  scalar(name, {
    signature: `${name}(number x[, int digits])`,
    doc,
    takes: ["number", "constant int"],
    optional: 1,
    returns: ([x, digits], call) => roundedType(x.type, digits, call),
    emit: (values, call, type) => {
      const [x] = values;
      const digits = values.length > 1 ? values[1].constant : 0;
      if (digits === null || x.type.kind === "void") return sql`CAST(NULL AS ${duckType(type)})`;
      if (Math.abs(Number(digits)) > 1000) throw call.refused(`rounds to ${digits} digits`);
      if (x.type.kind === "decimal") {
        const rounded =
          name === "round"
            ? sql`round(${x}, ${Number(digits)})`
            : sql`hive_round_decimal_even(CAST(${x} AS VARCHAR), CAST(${Number(digits)} AS INTEGER))`;
        return sql`TRY_CAST(${rounded} AS ${duckType(type)})`;
      }
      if (isInteger(x.type)) return roundedInteger(x, Number(digits), name, type);
      // Java rounds with BigDecimal, which has no −0.0.
      return sql`CAST(${roundedDouble(x, Number(digits), name)} + 0 AS ${duckType(type)})`;
    },
  });

/** Functions that round. */
export const roundingFunctions = [
  rounding("round", "rounds half away from zero; returns integers for integers and decimals for decimals"),
  rounding("bround", "rounds half to even (banker's rounding)"),
  ...(["floor", "ceil"] as const).map((name) =>
    scalar(name === "ceil" ? "ceil ceiling" : "floor", {
      signature: `${name}(number x)`,
      doc: "returns bigint; for decimals a decimal without fraction digits",
      takes: ["number"],
      returns: ([x], call) => {
        if (x.type.kind !== "decimal") return types.bigint;
        if (x.type.precision - x.type.scale === maxPrecision)
          throw call.invalid(`accepts at most 37 digits before the decimal point, got ${typeName(x.type)}`);
        return decimal(x.type.precision - x.type.scale + 1, 0);
      },
      emit: ([x], call, type) => {
        if (isInteger(x.type)) return call.convert(x, types.bigint);
        if (x.type.kind === "decimal") return sql`CAST(${name}(${x}) AS ${duckType(type)})`;
        return macro("hive_saturate_bigint", sql`${name}(${x})`);
      },
    }),
  ),
];

/** Returns the type of trunc of a number. */
export function truncatedType({ type }: Typed, digits: Typed | undefined, call: CallSite): HiveType {
  const kept = Number(digits?.constant ?? 0);
  if (digits !== undefined && (!isInteger(digits.type) || typeof digits.constant !== "number" || Math.abs(kept) > 37))
    throw call.refused("has an argument 2 that is not an integer literal from -37 to 37");
  if (type.kind !== "decimal") return type;
  const scale = Math.max(kept, 0);
  const precision = type.precision - type.scale + scale;
  if (precision < 1 || precision > maxPrecision) throw call.invalid(`cannot keep ${kept} digits of ${typeName(type)}`);
  return decimal(precision, scale);
}

/** Cuts the digits of a number. */
export function truncatedNumber(x: Typed, digits: number, type: HiveType): Part {
  // A float has other printed digits than the double that is equal to it.
  const printed = x.type.kind === "float" ? sql`CAST(${x} AS VARCHAR)` : x;
  if (isApproximate(x.type))
    return sql`CAST(hive_trunc_double(CAST(${printed} AS DOUBLE), CAST(${digits} AS INTEGER)) AS ${duckType(type)})`;
  const cut = x.type.kind === "decimal" ? x.type.scale - Math.max(digits, 0) : 0;
  const kept = cut > 0 ? sql`CAST(left(CAST(${x} AS VARCHAR), ${-cut}) || '0' AS ${duckType(type)})` : x;
  if (digits >= 0) return sql`TRY_CAST(${kept} AS ${duckType(type)})`;
  return sql`CAST(${kept} - ${kept} % CAST('1e${-digits}' AS DECIMAL(38,0)) AS ${duckType(type)})`;
}

/** Returns the type of a rounded value. A decimal gets the requested scale, and one more whole digit if it is cut. */
function roundedType(type: HiveType, digits: Typed | undefined, call: CallSite): HiveType {
  if (digits?.constant === null && !isVoid(digits.type))
    throw call.invalid("does not accept a CAST of NULL as number of digits");
  if (type.kind !== "decimal") return isText(type) || type.kind === "void" ? types.double : type;
  const kept = digits === undefined ? 0 : Number(digits.constant ?? 0);
  if (!Number.isInteger(kept)) throw call.invalid("expects a whole number of digits");
  const whole = type.precision - type.scale + (kept < type.scale ? 1 : 0);
  const scale = Math.min(Math.max(kept, 0), maxPrecision);
  return decimal(Math.min(whole + scale, maxPrecision), scale);
}

/** Rounds a double. The slow exact function is only needed when the value is close to halfway between two results. */
function roundedDouble(x: Typed, digits: number, name: string) {
  const exact = sql`hive_round_double(CAST(${x} AS DOUBLE), CAST(${digits} AS INTEGER), ${name === "round" ? "FALSE" : "TRUE"})`;
  if (digits < 0 || digits > 15) return exact;
  return macro(
    name === "round" ? "hive_round" : "hive_bround",
    sql`CAST(${x} AS DOUBLE)`,
    String(digits),
    `CAST(1e${digits} AS DOUBLE)`,
  );
}

function roundedInteger(x: Typed, digits: number, name: string, type: HiveType) {
  if (digits >= 0) return x;
  if (digits < -18) return sql`CASE WHEN ${x} IS NOT NULL THEN CAST(0 AS ${duckType(type)}) END`;
  const rounded =
    name === "round"
      ? sql`CAST(round(CAST(${x} AS DECIMAL(38,0)), ${digits}) AS HUGEINT)`
      : sql`CAST(hive_round_decimal_even(CAST(${x} AS VARCHAR), CAST(${digits} AS INTEGER)) AS HUGEINT)`;
  return macro(`hive_wrap_${type.kind as "int"}`, rounded);
}
