/** SQL of arithmetic: integers wrap around, a division by zero is NULL, decimals are exact. */
import { asDecimal } from "../tree/coercion";
import { macro, sql, weighed } from "../sql/fragment";
import type { Fragment, Part } from "../sql/fragment";
import type { ArithmeticOperator, Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { duckType, type HiveType, isInteger, maxPrecision } from "../tree/types";
import { divisor, isNonZero } from "../sql/zero";
import { shortOrWide, tryShortQuotient } from "../sql/short-decimals";
import { linearSql, maxInlineWeight } from "./linear-arithmetic";

/** Returns the SQL of an operation whose operands are converted to the types in which Hive computes. */
export function arithmeticSql(operator: ArithmeticOperator, left: Typed, right: Typed, to: HiveType): Fragment {
  switch (operator) {
    case "div":
      return sql`(${left} // ${isNonZero(right) ? right : sql`CASE ${right} WHEN 0 THEN error('HiveQL: div by zero: write x div nullif(y, 0), which is NULL for it') ELSE ${right} END`})`;
    case "&":
    case "|":
      return sql`(${left} ${operator} ${right})`;
    case "^":
      return sql`xor(${left}, ${right})`;
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      if (to.kind === "decimal") {
        const wide = decimalSql(operator, left, right, to);
        return to.precision <= maxShort
          ? wide
          : shortOrWide(operation({ kind: "arithmetic", operator, operands: [left, right], to }, to), wide);
      }
      if (operator === "/" || operator === "%") return sql`(${left} ${operator} ${divisor(right)})`;
      if (!isInteger(to)) return sql`(${left} ${operator} ${right})`;
      if (to.kind === "bigint") {
        const linear = linearSql(operator, left, right);
        if (linear) return linear;
      }
      return operator === "*" ? wrapped(operator, left, right, to) : integerSum(operator, left, right, to);
  }
}

/** Returns the SQL of a number with the opposite sign. */
export const negativeSql = (value: Typed, to: HiveType): Fragment =>
  isInteger(to) ? wrapped("-", sql`CAST(0 AS ${duckType(to)})`, value, to) : sql`(-${value})`;

type IntegerName = "tinyint" | "smallint" | "int" | "bigint";

const wider: Readonly<Record<IntegerName, string>> = {
  tinyint: "BIGINT",
  smallint: "BIGINT",
  int: "BIGINT",
  bigint: "HUGEINT",
};

const inlineMacros = { "+": "hive_light_add", "-": "hive_light_subtract", "*": "hive_light_multiply" } as const;

function wrapped(operator: "+" | "-" | "*", left: Part, right: Part, to: HiveType): Fragment {
  const name = to.kind as IntegerName;
  const result = sql`CAST(${left} AS ${wider[name]}) ${operator} CAST(${right} AS ${wider[name]})`;
  const heavy = macro(`hive_wrap_${name}`, result);
  if (name !== "bigint" && name !== "int") return heavy;
  const light = name === "int" ? macro("hive_narrow_int", result) : macro(inlineMacros[operator], left, right);
  return weighed([left, right], maxInlineWeight, light, heavy);
}

/** A sum of integers in a type that does not overflow for some hundreds of terms. */
interface WideSum {
  readonly sum: Fragment;
  readonly terms: number;
}

/** Maximum number of terms of a sum that wraps around after each term, which is faster for short sums. */
const maxEagerTerms = 4;

/**
 * Adds integers of one type. A long sum wraps around once, at its end: DuckDB binds deeply nested macros very slowly.
 */
function integerSum(operator: "+" | "-", left: Typed, right: Typed, to: HiveType): Fragment {
  const { sum, terms } = wideSum(operator, left, right, to);
  return terms > maxEagerTerms ? macro(`hive_wrap_${to.kind as IntegerName}`, sum) : wrapped(operator, left, right, to);
}

const wideSums = new WeakMap<object, WideSum>();

function wideSum(operator: string, left: Typed, right: Typed, to: HiveType): WideSum {
  const wide = (value: Typed) => sql`CAST(${value} AS ${wider[to.kind as IntegerName]})`;
  const before = sumOf(left, to) ?? { sum: wide(left), terms: 1 };
  return { sum: sql`${before.sum} ${operator} ${wide(right)}`, terms: before.terms + 1 };
}

function sumOf({ node }: Typed, to: HiveType): WideSum | undefined {
  if (node.kind !== "arithmetic" || node.to.kind !== to.kind || (node.operator !== "+" && node.operator !== "-"))
    return undefined;
  const known = wideSums.get(node) ?? wideSum(node.operator, ...node.operands, to);
  wideSums.set(node, known);
  return known;
}

/** Maximum precision of a decimal that DuckDB computes with in 64 bits. */
const maxShort = 18;

type DecimalType = Extract<HiveType, { kind: "decimal" }>;

/** Computes with decimals: rounded half up, and NULL when the result does not fit. */
function decimalSql(operator: "+" | "-" | "*" | "/" | "%", left: Typed, right: Typed, to: DecimalType): Fragment {
  const [first, second] = [left, right].map(({ type }) => asDecimal(type) ?? { precision: maxPrecision, scale: 0 });
  const [p1, s1] = [first?.precision ?? 0, first?.scale ?? 0];
  const [p2, s2] = [second?.precision ?? 0, second?.scale ?? 0];
  switch (operator) {
    case "+":
    case "-":
      return Math.max(p1 - s1, p2 - s2) + Math.max(s1, s2) + 1 <= maxPrecision
        ? sql`CAST(CAST(${left} AS ${duckType(to)}) ${operator} CAST(${right} AS ${duckType(to)}) AS ${duckType(to)})`
        : (nativeDecimal(operator, [left, s1], [right, s2], to, s1 === s2 && s1 === to.scale) ??
            javaDecimal(operator === "+" ? "add" : "subtract", left, right, to));
    case "*":
      if (p1 + p2 <= maxShort) return sql`CAST(${left} * ${right} AS ${duckType(to)})`;
      // DuckDB multiplies in 64 bits unless one operand is wider.
      return p1 + p2 <= maxPrecision
        ? sql`CAST(CAST(${left} AS DECIMAL(${maxPrecision},${s1})) * ${right} AS ${duckType(to)})`
        : (nativeDecimal("*", [left, s1], [right, s2], to, s1 + s2 === to.scale) ??
            javaDecimal("multiply", left, right, to));
    case "/":
      return (
        nativeQuotient([left, { precision: p1, scale: s1 }], [right, { precision: p2, scale: s2 }], to) ??
        javaDecimal("divide", left, right, to)
      );
    case "%":
      return javaDecimal("remainder", left, right, to);
  }
}

/**
 * Returns SQL of a result that needs no rounding, in 128 bits: it is NULL when it does not fit into 38 digits, as in
 * Hive. Undefined when DuckDB cannot compute it, or when TRY would hide an error of an operand.
 */
function nativeDecimal(
  operator: "+" | "-" | "*",
  [left, leftScale]: readonly [Typed, number],
  [right, rightScale]: readonly [Typed, number],
  to: DecimalType,
  isExact: boolean,
): Fragment | undefined {
  if (!isExact || to.precision < maxPrecision || !cannotFail(left) || !cannotFail(right)) return undefined;
  const wide = (value: Typed, scale: number) => sql`CAST(${value} AS DECIMAL(${maxPrecision},${scale}))`;
  return sql`TRY(${wide(left, leftScale)} ${operator} ${wide(right, rightScale)})`;
}

/** The number of digits of which DuckDB's 128 bits hold the double. */
const safeDigits = maxPrecision - 1;

/** Returns SQL of a quotient in 128 bits; undefined when the dividend has too many digits for that. */
function nativeQuotient(
  [left, { precision: p1, scale: s1 }]: readonly [Typed, Digits],
  [right, { precision: p2, scale: s2 }]: readonly [Typed, Digits],
  to: DecimalType,
): Fragment | undefined {
  const power = to.scale + s2;
  if (power < s1 || p1 + power > safeDigits || p2 + s2 > safeDigits) return undefined;
  const wide = macro("hive_rounded_quotient", times(left, s1, power), times(right, s2, s2));
  const digits = to.scale === 0 ? "1" : `0.${"1".padStart(to.scale, "0")}`;
  const unit = `CAST('${digits}' AS DECIMAL(${Math.max(1, to.scale)},${to.scale}))`;
  const long = sql`TRY_CAST(CAST(${wide} AS DECIMAL(${maxPrecision},0)) * ${unit} AS ${duckType(to)})`;
  const short = tryShortQuotient(left, right, to.scale);
  return short ? sql`coalesce(TRY_CAST(${short} * ${unit} AS ${duckType(to)}), ${long})` : long;
}

/** Returns SQL of a decimal times a power of ten that makes it whole. */
const times = (value: Typed, scale: number, power: number): Fragment =>
  sql`CAST(CAST(${value} AS DECIMAL(${maxPrecision},${scale})) * CAST('1e${power}' AS DECIMAL(${power + 1},0)) AS HUGEINT)`;

interface Digits {
  readonly precision: number;
  readonly scale: number;
}

/** Returns true for columns and literals, and for decimals and integers that are computed from these. */
function cannotFail({ node, type }: Typed): boolean {
  if (node.kind === "column" || node.kind === "literal") return true;
  const isExact = type.kind === "decimal" || isInteger(type);
  const isSimple =
    node.kind === "cast" ||
    node.kind === "negative" ||
    (node.kind === "arithmetic" && ["+", "-", "*"].includes(node.operator));
  return isExact && isSimple && node.operands.every((operand) => asDecimal(operand.type) && cannotFail(operand));
}

function javaDecimal(name: string, left: Part, right: Part, to: DecimalType): Fragment {
  const call = sql`hive_decimal_${name}(CAST(${left} AS VARCHAR), CAST(${right} AS VARCHAR), CAST(${to.scale} AS INTEGER))`;
  return sql`TRY_CAST(${call} AS ${duckType(to)})`;
}
