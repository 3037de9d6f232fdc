/**
 * `+ - * / % div & | ^ ~` and signs, with Hive's result types: integers wrap around, and a division by zero is NULL.
 */
import { type Position, semantic, unsupported } from "../syntax";
import { arithmeticType, asDecimal, limitedDecimal } from "../tree/coercion";
import { cast } from "../emit/conversions";
import {
  foldedArithmetic,
  hasOtherScale,
  hiddenDigitsReason,
  hidesDigits,
  isUnknownFoldedDecimal,
  minimalType,
  negateDigits,
  uncertainScaleReason,
} from "../rules/folded-decimals";
import { withTestedOperands } from "../rules/null-tests";
import { readsColumns } from "../tree/facts";
import { macro, sql, weighed } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import { castExpression } from "../rules/text-casts";
import {
  duckType,
  type HiveType,
  isInteger,
  isText,
  isVoid,
  maxPrecision,
  numberRank,
  typeName,
  types,
} from "../tree/types";

type Operator = "+" | "-" | "*" | "/" | "%";

/** Translates an arithmetic operator; operands are converted to the type that Hive computes in. */
export function arithmetic(operator: Operator, left: Typed, right: Typed, position: Position): Typed {
  let type = arithmeticType(left.type, right.type);
  if (!type)
    throw semantic(
      position,
      operator,
      `needs numbers, not ${typeName(left.type)} and ${typeName(right.type)}: cast the operands`,
    );
  if (operator === "/" && type.kind !== "decimal") type = types.double;
  if ([left, right].some(hidesDigits)) throw unsupported(position, operator, hiddenDigitsReason);
  if (isVoid(type)) return left;
  if (type.kind === "decimal")
    return withNullOperands(operator, decimalArithmetic(operator, left, right, position), [left, right]);
  const first = operand(left, type, position);
  const second = operand(right, type, position);
  if (operator === "/")
    return withNullOperands(operator, typed(sql`(${first} / ${divisor(second)})`, type), [first, second]);
  if (operator === "%") return typed(sql`(${first} % ${divisor(second)})`, type);
  const whole = isInteger(type) && operator !== "*";
  if (whole) return withNullOperands(operator, addIntegers(operator, left, first, second, type), [first, second]);
  const result = isInteger(type)
    ? wrappedOperation(operator, first, second, type)
    : sql`(${first} ${operator} ${second})`;
  return withNullOperands(operator, typed(result, type), [first, second]);
}

/**
 * Records what Hive's IS NULL tests for a result. It ignores the NULL of a quotient by zero and of a decimal overflow;
 * for `%` it tests the result itself.
 */
function withNullOperands(operator: Operator, value: Typed, operands: readonly Typed[]): Typed {
  const { type } = value;
  const overflows = type.kind === "decimal" && type.precision === maxPrecision;
  return operator === "%" ? value : withTestedOperands(value, operands, operator === "/" || overflows);
}

/** Translates `div`, which accepts integers only and returns a bigint. Unlike `/` it fails when the divisor is zero. */
export function integerDivision(left: Typed, right: Typed, position: Position): Typed {
  for (const { type } of [left, right]) {
    if (!isInteger(type) && !isVoid(type)) throw semantic(position, "div", `needs integers, not ${typeName(type)}`);
  }
  const type = types.bigint;
  const first = operand(left, type, position);
  const second = operand(right, type, position);
  const isSafe = typeof right.constant === "number" && right.constant !== 0;
  const by = isSafe ? second : sql`CASE ${second} WHEN 0 THEN error('HiveQL: div by zero') ELSE ${second} END`;
  return typed(sql`(${first} // ${by})`, type);
}

export function bitwise(operator: "&" | "|" | "^" | "~", left: Typed, right: Typed, position: Position): Typed {
  const widerTypes = numberRank(left.type) >= numberRank(right.type) ? left.type : right.type;
  for (const { type } of [left, right]) {
    if (!isInteger(type) && !isVoid(type)) throw semantic(position, operator, `needs integers, not ${typeName(type)}`);
  }
  const type = isVoid(widerTypes) ? types.bigint : widerTypes;
  const first = operand(left, type, position);
  if (operator === "~") return typed(sql`(~${first})`, type);
  const second = operand(right, type, position);
  return typed(operator === "^" ? sql`xor(${first}, ${second})` : sql`(${first} ${operator} ${second})`, type);
}

/** Translates a sign before an expression that is not a literal. */
export function negate(operator: "-" | "+", value: Typed, position: Position): Typed {
  if (operator === "+" && isText(value.type)) return value;
  const number = isText(value.type) || isVoid(value.type) ? (cast(value, types.double) ?? value) : value;
  const { type } = number;
  if (isVoid(value.type)) return value;
  if (type.kind === "interval_year_month" || type.kind === "interval_day_time") {
    return operator === "+" ? number : typed(sql`(-${number})`, type);
  }
  if (numberRank(type) < 0) throw semantic(position, operator, `needs a number, not ${typeName(type)}`);
  if (operator === "+") return number;
  if (!isInteger(type)) {
    const negative = withTestedOperands(typed(sql`(-${number})`, type), [number], false);
    const { foldedDigits } = number;
    return foldedDigits === undefined ? negative : { ...negative, foldedDigits: negateDigits(foldedDigits) };
  }
  const result = wrappedOperation("-", sql`CAST(0 AS ${duckType(type)})`, number, type);
  return typeof value.constant === "number" && isInteger(value.type) && value.constant > 0
    ? typed(result, type, -value.constant)
    : typed(result, type);
}

/** Returns a divisor that is NULL when it is zero, so that the quotient is NULL. */
export function divisor(value: Typed): Part {
  if (typeof value.constant === "number" && value.constant !== 0) return value;
  return sql`CASE ${value} WHEN 0 THEN NULL ELSE ${value} END`;
}

function operand(value: Typed, type: HiveType, position: Position): Typed {
  const result = castExpression(value, type);
  if (!result) throw semantic(position, "operand", `${typeName(value.type)} is not a number: cast it`);
  return typeof value.constant === "number" ? typed(result, type, value.constant) : result;
}

/** Maximum weight of operands that the SQL may repeat. */
const maxInlineWeight = 250;

const inlineMacros = { "+": "hive_light_add", "-": "hive_light_subtract", "*": "hive_light_multiply" } as const;

const wider: Readonly<Record<string, string>> = {
  tinyint: "BIGINT",
  smallint: "BIGINT",
  int: "BIGINT",
  bigint: "HUGEINT",
};

/** Maximum number of terms of a sum that wraps around after each term, which is faster for short sums. */
const maxEagerTerms = 4;

/**
 * Adds integers of one type. A long sum wraps around once, at its end: DuckDB binds deeply nested macros very slowly.
 */
function addIntegers(operator: "+" | "-", left: Typed, first: Part, second: Part, type: HiveType): Typed {
  const name = type.kind as "tinyint" | "smallint" | "int" | "bigint";
  const wide = (value: Part) => sql`CAST(${value} AS ${wider[name] ?? ""})`;
  const before = left.integerSum && left.type.kind === name ? left.integerSum : { unwrapped: wide(first), terms: 1 };
  const integerSum = { unwrapped: sql`${before.unwrapped} ${operator} ${wide(second)}`, terms: before.terms + 1 };
  const value =
    integerSum.terms > maxEagerTerms
      ? macro(`hive_wrap_${name}`, integerSum.unwrapped)
      : wrappedOperation(operator, first, second, type);
  return { ...typed(value, type), integerSum };
}

function wrappedOperation(operator: "+" | "-" | "*", left: Part, right: Part, type: HiveType): Part {
  const name = type.kind as "tinyint" | "smallint" | "int" | "bigint";
  const result = sql`CAST(${left} AS ${wider[name] ?? ""}) ${operator} CAST(${right} AS ${wider[name] ?? ""})`;
  const wrapped = macro(`hive_wrap_${name}`, result);
  if (name !== "bigint" && name !== "int") return wrapped;
  const light = name === "int" ? macro("hive_narrow_int", result) : macro(inlineMacros[operator], left, right);
  return weighed([left, right], maxInlineWeight, light, wrapped);
}

/** Translates decimal arithmetic with Hive's result type: exact, rounded half up, NULL when it does not fit. */
function decimalArithmetic(operator: Operator, left: Typed, right: Typed, position: Position): Typed {
  if (!isLiteralDecimal(left) || !isLiteralDecimal(right)) {
    const isSum = operator === "+" || operator === "-";
    if (isSum && [left, right].some(isUnknownFoldedDecimal) && [left, right].some(readsColumns))
      throw unsupported(
        position,
        operator,
        "has a column and a function of literals that returns a decimal, whose scale Hive takes from its value: write the value as a literal",
      );
    if (isSum && hasOtherScale([left, right])) throw unsupported(position, operator, uncertainScaleReason);
    const digitsOf = isSum ? shortDigits : literalDigits;
    return decimalOperation(
      operator,
      decimalOperand(left, position, digitsOf),
      decimalOperand(right, position, digitsOf),
    );
  }
  const wide = decimalOperation(operator, decimalOperand(left, position), decimalOperand(right, position));
  const { type } = decimalOperation(
    operator,
    decimalOperand(left, position, literalDigits),
    decimalOperand(right, position, literalDigits),
  );
  const digits = foldedArithmetic(operator, left, right, wide.type);
  const shown = cast(wide, type) ?? wide;
  return { ...shown, isFolded: true, ...(digits === undefined ? {} : { foldedDigits: digits }) };
}

interface DecimalOperand {
  readonly precision: number;
  readonly scale: number;
  readonly value: Part;
}

function decimalOperation(operator: Operator, first: DecimalOperand, second: DecimalOperand): Typed {
  const [p1, s1] = [first.precision, first.scale];
  const [p2, s2] = [second.precision, second.scale];
  const whole = Math.max(p1 - s1, p2 - s2);
  switch (operator) {
    case "+":
    case "-": {
      const scale = Math.max(s1, s2);
      const type = limitedDecimal(whole + scale + 1, scale);
      if (whole + scale + 1 <= maxPrecision) {
        const wide = duckType(type);
        return castResult(sql`CAST(${first.value} AS ${wide}) ${operator} CAST(${second.value} AS ${wide})`, type);
      }
      return javaDecimalOperation(operator === "+" ? "add" : "subtract", first.value, second.value, type);
    }
    case "*": {
      const type = limitedDecimal(p1 + p2 + 1, s1 + s2);
      // DuckDB multiplies in 64 bits unless one operand is wider.
      if (p1 + p2 <= maxPrecision) {
        return castResult(sql`CAST(${first.value} AS DECIMAL(${maxPrecision},${s1})) * ${second.value}`, type);
      }
      return javaDecimalOperation("multiply", first.value, second.value, type);
    }
    case "/": {
      const scale = Math.max(6, s1 + p2 + 1);
      return javaDecimalOperation("divide", first.value, second.value, limitedDecimal(p1 - s1 + s2 + scale, scale));
    }
    case "%": {
      const scale = Math.max(s1, s2);
      const type = limitedDecimal(Math.min(p1 - s1, p2 - s2) + scale, scale);
      return javaDecimalOperation("remainder", first.value, second.value, type);
    }
  }
}

function castResult(value: Part, type: HiveType): Typed {
  return typed(sql`CAST(${value} AS ${duckType(type)})`, type);
}

function javaDecimalOperation(name: string, left: Part, right: Part, type: HiveType): Typed {
  const scale = type.kind === "decimal" ? type.scale : 0;
  const call = sql`hive_decimal_${name}(CAST(${left} AS VARCHAR), CAST(${right} AS VARCHAR), CAST(${scale} AS INTEGER))`;
  return typed(sql`TRY_CAST(${call} AS ${duckType(type)})`, type);
}

function decimalOperand(value: Typed, position: Position, digitsOf?: typeof literalDigits): DecimalOperand {
  if (digitsOf === shortDigits && value.foldedDigits !== undefined) {
    const { precision, scale } = shortDigits(value) ?? { precision: maxPrecision, scale: 0 };
    return { precision, scale, value: sql`CAST('${value.foldedDigits}' AS DECIMAL(${precision},${scale}))` };
  }
  const digits =
    digitsOf?.(value) ?? asDecimal(value.type) ?? (isVoid(value.type) ? { precision: 1, scale: 0 } : undefined);
  if (!digits) throw semantic(position, "operand", `${typeName(value.type)} is not a decimal: cast it`);
  const converted = cast(value, { kind: "decimal", ...digits });
  return { ...digits, value: converted ?? value };
}

function isLiteralDecimal({ constant, isFolded, foldedDigits }: Typed): boolean {
  return constant !== undefined || isFolded === true || foldedDigits !== undefined;
}

/** Returns the precision and scale of an operand of a sum with a column: a folded decimal has those of its digits. */
function shortDigits(value: Typed) {
  const short = minimalType(value);
  return value.foldedDigits !== undefined && short.kind === "decimal" ? short : literalDigits(value);
}

/**
 * Returns the precision of an integer literal beside a column, which is its number of digits and not that of its type.
 */
function literalDigits({ type, constant }: Typed) {
  if (!isInteger(type) || typeof constant !== "number") return undefined;
  return { precision: String(Math.abs(constant)).length, scale: 0 };
}
