/**
 * Decimal arithmetic in 64 bits. Hive's result types have 19 digits or more for almost every product, and most values
 * have far fewer: they are computed in 64 bits, and again in 128 bits in the rows in which that overflows.
 */
import { macro, sql } from "./fragment";
import type { Fragment } from "./fragment";
import type { Typed } from "../tree/nodes";
import { duckType, type HiveType, isInteger } from "../tree/types";

/** The digits of a decimal that DuckDB holds in 64 bits. */
const shortDigits = 18;

/** Maximum number of operands, since the SQL repeats them. */
const maxOperands = 8;

interface Short {
  /**
   * NULL when a result has more than 18 digits. Each operation that can overflow has a TRY of its own: DuckDB computes
   * what two values have in common once, outside of a TRY around both.
   */
  readonly sql: Fragment;
  /** At most 18. */
  readonly precision: number;
  readonly scale: number;
  readonly operands: number;
}

/** Returns SQL of a value in 64 bits, which is NULL when it overflows; undefined when only 128 bits hold its operands. */
export function tryShort(value: Typed): Fragment | undefined {
  return shortOf(value)?.sql;
}

/** Returns SQL of arithmetic in 64 bits, or as `wide` does it in the rows in which that overflows. */
export function shortOrWide(value: Typed, wide: Fragment): Fragment {
  const short = tryShort(value);
  return short === undefined ? wide : sql`coalesce(CAST(${short} AS ${duckType(value.type)}), ${wide})`;
}

/**
 * Returns SQL of the digits of a quotient in 64 bits, rounded half up; NULL when it overflows. Undefined when only 128
 * bits hold the operands.
 * @param scale number of digits after the point of the quotient.
 */
export function tryShortQuotient(left: Typed, right: Typed, scale: number): Fragment | undefined {
  const [first, second] = [shortOf(left), shortOf(right)];
  if (!first || !second) return undefined;
  const power = scale + second.scale;
  if (power >= shortDigits) return undefined;
  const quotient = macro("hive_rounded_quotient", wholeOf(first, power), wholeOf(second, second.scale));
  return sql`TRY_CAST(${quotient} AS DECIMAL(${shortDigits},0))`;
}

/** Returns SQL of a value times a power of ten that makes it whole. */
const wholeOf = ({ sql: value }: Short, power: number): Fragment =>
  sql`CAST(TRY(${value} * CAST('1e${power}' AS DECIMAL(${power + 1},0))) AS BIGINT)`;

function shortOf(value: Typed): Short | undefined {
  const { node, type } = value;
  switch (node.kind) {
    case "column":
    case "literal":
      return type.kind === "decimal" && type.precision <= shortDigits && type.scale < shortDigits
        ? { sql: sql`${value}`, precision: type.precision, scale: type.scale, operands: 1 }
        : undefined;
    case "cast":
      return shortCast(node.operands[0], node.to);
    case "arithmetic":
      return node.to.kind === "decimal" ? shortResult(node.operator, node.operands, node.to.scale) : undefined;
    default:
      return undefined;
  }
}

/** Returns a cast that keeps the value. */
function shortCast(value: Typed, to: HiveType): Short | undefined {
  if (to.kind !== "decimal") return undefined;
  if (isInteger(value.type)) {
    const isSimple = value.node.kind === "column" || value.node.kind === "literal";
    if (!isSimple || to.scale > 0) return undefined;
    const digits = Math.min(to.precision, shortDigits);
    return { sql: sql`TRY_CAST(${value} AS DECIMAL(${digits},0))`, precision: digits, scale: 0, operands: 1 };
  }
  if (value.type.kind !== "decimal") return undefined;
  const { precision, scale } = value.type;
  return to.scale >= scale && to.precision - to.scale >= precision - scale ? shortOf(value) : undefined;
}

/** Returns a sum, difference or product of which Hive rounds no digit. */
function shortResult(operator: string, [first, second]: readonly [Typed, Typed], scale: number): Short | undefined {
  if (operator !== "+" && operator !== "-" && operator !== "*") return undefined;
  const [left, right] = [shortOf(first), shortOf(second)];
  if (!left || !right) return undefined;
  const operands = left.operands + right.operands;
  const exact = operator === "*" ? left.scale + right.scale : Math.max(left.scale, right.scale);
  if (exact > scale || exact >= shortDigits || operands > maxOperands) return undefined;
  const [a, b] = operator === "*" ? [left, right] : [scaled(left, exact), scaled(right, exact)];
  const precision = operator === "*" ? a.precision + b.precision : Math.max(a.precision, b.precision) + 1;
  const result = sql`(${a.sql} ${operator} ${b.sql})`;
  return precision <= shortDigits
    ? { sql: result, precision, scale: exact, operands }
    : { sql: sql`TRY${result}`, precision: shortDigits, scale: exact, operands };
}

/** Returns a value with digits added after the point. */
function scaled({ sql: value, precision, scale, operands }: Short, to: number): Short {
  const wider = precision + to - scale;
  // DuckDB adds the digits itself, with a cast that fails when they do not fit.
  return wider <= shortDigits
    ? { sql: value, precision: wider, scale: to, operands }
    : { sql: sql`TRY_CAST(${value} AS DECIMAL(${shortDigits},${to}))`, precision: shortDigits, scale: to, operands };
}
