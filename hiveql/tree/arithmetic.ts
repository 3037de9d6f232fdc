/**
 * `+ - * / % div & | ^ ~` and signs, with Hive's result types: integers wrap around, and a division by zero is NULL.
 */
import { type Position, semantic } from "../syntax";
import { cast } from "./cast";
import { arithmeticType, asDecimal, limitedDecimal } from "./coercion";
import type { ArithmeticOperator, Typed } from "./nodes";
import { operation } from "./typed";
import { decimal, type HiveType, isInteger, isText, isVoid, numberRank, typeName, types } from "./types";

type Operator = "+" | "-" | "*" | "/" | "%";

const computed = (operator: ArithmeticOperator, left: Typed, right: Typed, to: HiveType) =>
  operation({ kind: "arithmetic", operator, operands: [left, right], to }, to);

/** Binds an arithmetic operator; operands are converted to the type that Hive computes in. */
export function arithmetic(operator: Operator, left: Typed, right: Typed, position: Position): Typed {
  let type = arithmeticType(left.type, right.type);
  if (!type)
    throw semantic(
      position,
      operator,
      `needs numbers, not ${typeName(left.type)} and ${typeName(right.type)}: cast the operands`,
    );
  if (operator === "/" && type.kind !== "decimal") type = types.double;
  if (isVoid(type)) return left;
  if (type.kind === "decimal") return decimalArithmetic(operator, left, right, position);
  return computed(operator, operand(left, type, position), operand(right, type, position), type);
}

/** Binds `div`, which accepts integers only and returns a bigint. Unlike `/` it fails when the divisor is zero. */
export function integerDivision(left: Typed, right: Typed, position: Position): Typed {
  requireIntegers([left, right], "div", position);
  return computed("div", operand(left, types.bigint, position), operand(right, types.bigint, position), types.bigint);
}

export function bitwise(operator: "&" | "|" | "^" | "~", left: Typed, right: Typed, position: Position): Typed {
  requireIntegers([left, right], operator, position);
  const wider = numberRank(left.type) >= numberRank(right.type) ? left.type : right.type;
  const type = isVoid(wider) ? types.bigint : wider;
  const first = operand(left, type, position);
  if (operator === "~") return operation({ kind: "complement", operands: [first] }, type);
  return computed(operator, first, operand(right, type, position), type);
}

function requireIntegers(values: readonly Typed[], operator: string, position: Position) {
  for (const { type } of values)
    if (!isInteger(type) && !isVoid(type)) throw semantic(position, operator, `needs integers, not ${typeName(type)}`);
}

/** Binds a sign before an expression that is not a literal. */
export function negate(operator: "-" | "+", value: Typed, position: Position): Typed {
  if (operator === "+" && isText(value.type)) return value;
  const number = isText(value.type) || isVoid(value.type) ? (cast(value, types.double) ?? value) : value;
  const { type } = number;
  if (isVoid(value.type)) return value;
  const isInterval = type.kind === "interval_year_month" || type.kind === "interval_day_time";
  if (!isInterval && numberRank(type) < 0) throw semantic(position, operator, `needs a number, not ${typeName(type)}`);
  if (operator === "+") return number;
  const negative = operation({ kind: "negative", operands: [number], to: type }, type);
  if (isInterval) return negative;
  if (isInteger(type)) {
    const isKnown = typeof value.constant === "number" && isInteger(value.type) && value.constant > 0;
    return isKnown ? { ...negative, constant: -Number(value.constant) } : negative;
  }
  return negative;
}

function operand(value: Typed, type: HiveType, position: Position): Typed {
  const result = cast(value, type);
  if (!result) throw semantic(position, "operand", `${typeName(value.type)} is not a number: cast it`);
  return typeof value.constant === "number" ? { ...result, constant: value.constant } : result;
}

/** Binds decimal arithmetic with Hive's result type: exact, rounded half up, NULL when it does not fit. */
function decimalArithmetic(operator: Operator, left: Typed, right: Typed, position: Position): Typed {
  const [first, second] = [asOperand(left, position), asOperand(right, position)];
  return computed(operator, first, second, decimalResultType(operator, first.type, second.type));
}

function decimalResultType(operator: Operator, left: HiveType, right: HiveType): HiveType {
  const [first, second] = [asDecimal(left), asDecimal(right)];
  const [p1, s1] = [first?.precision ?? 0, first?.scale ?? 0];
  const [p2, s2] = [second?.precision ?? 0, second?.scale ?? 0];
  const scale = Math.max(s1, s2);
  switch (operator) {
    case "+":
    case "-":
      return limitedDecimal(Math.max(p1 - s1, p2 - s2) + scale + 1, scale);
    case "*":
      return limitedDecimal(p1 + p2 + 1, s1 + s2);
    case "/": {
      const fraction = Math.max(6, s1 + p2 + 1);
      return limitedDecimal(p1 - s1 + s2 + fraction, fraction);
    }
    case "%":
      return limitedDecimal(Math.min(p1 - s1, p2 - s2) + scale, scale);
  }
}

/** Returns an operand as a decimal; an integer literal has the precision of its digits and not that of its type. */
function asOperand(value: Typed, position: Position): Typed {
  const { type, constant } = value;
  const isWhole = isInteger(type) && typeof constant === "number";
  const digits = isWhole ? { precision: String(Math.abs(constant)).length, scale: 0 } : asDecimal(type);
  const to = digits ?? (isVoid(type) ? { precision: 1, scale: 0 } : undefined);
  if (!to) throw semantic(position, "operand", `${typeName(type)} is not a decimal: cast it`);
  return cast(value, decimal(to.precision, to.scale)) ?? value;
}
