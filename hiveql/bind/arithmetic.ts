/** `+ - * / % div & | ^ ~` and the sign: Hive's result types, wrapping and NULL for a division by zero. */
import { type Position, semantic, unsupported } from "../syntax";
import { arithmeticType, asDecimal, limitedDecimal } from "./coercion";
import { cast } from "../emit/conversions";
import {
  computedDigits,
  cutShort,
  isCutShort,
  isFoldedUnknown,
  negatedDigits,
  openScale,
  shortType,
} from "../rules/folded-decimals";
import { strict } from "../rules/null-tests";
import { type Fragment, macro, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import { castOf } from "../rules/text-casts";
import { duckType, type HiveType, isInteger, isText, isVoid, maxPrecision, numberRank, typeName, types } from "./types";

type Operator = "+" | "-" | "*" | "/" | "%";

/** Computes in the type that Hive computes in. */
export function arithmetic(operator: Operator, left: SqlExpression, right: SqlExpression, position: Position): SqlExpression {
  let type = arithmeticType(left.type, right.type);
  if (!type)
    throw semantic(
      position,
      operator,
      `takes numbers, and here stand ${typeName(left.type)} and ${typeName(right.type)}`,
    );
  if (operator === "/" && type.kind !== "decimal") type = types.double;
  const isSum = type.kind === "decimal" && (operator === "+" || operator === "-");
  const isShort = (side: SqlExpression) => side.isRounded ?? (!isSum && isCutShort(side));
  if ([left, right].some(isShort) && [left, right].some(readsColumns)) throw unsupported(position, operator, cutShort);
  if (isVoid(type)) return left;
  if (type.kind === "decimal") return asStrict(operator, exact(operator, left, right, position), [left, right]);
  const first = operand(left, type, position);
  const second = operand(right, type, position);
  if (operator === "/") return asStrict(operator, typed(sql`(${first} / ${divisor(second)})`, type), [first, second]);
  if (operator === "%") return typed(sql`(${first} % ${divisor(second)})`, type);
  const whole = isInteger(type) && operator !== "*";
  if (whole) return asStrict(operator, summed(operator, left, first, second, type), [first, second]);
  const result = isInteger(type) ? wrapped(operator, first, second, type) : sql`(${first} ${operator} ${second})`;
  return asStrict(operator, typed(result, type), [first, second]);
}

/** Quotients by zero are NULL, and decimals of the greatest precision may be; of remainders Hive knows it. */
function asStrict(operator: Operator, value: SqlExpression, operands: readonly SqlExpression[]): SqlExpression {
  const { type } = value;
  const overflows = type.kind === "decimal" && type.precision === maxPrecision;
  return operator === "%" ? value : strict(value, operands, operator === "/" || overflows);
}

/** `div` takes whole numbers only and gives a bigint; unlike `/` it fails where the divisor is zero. */
export function integerDivision(left: SqlExpression, right: SqlExpression, position: Position): SqlExpression {
  for (const { type } of [left, right]) {
    if (!isInteger(type) && !isVoid(type))
      throw semantic(position, "div", `takes whole numbers and not ${typeName(type)}`);
  }
  const type = types.bigint;
  const first = operand(left, type, position);
  const second = operand(right, type, position);
  const isSafe = typeof right.constant === "number" && right.constant !== 0;
  const by = isSafe ? second : sql`CASE ${second} WHEN 0 THEN error('HiveQL: div by zero') ELSE ${second} END`;
  return typed(sql`(${first} // ${by})`, type);
}

export function bitwise(operator: "&" | "|" | "^" | "~", left: SqlExpression, right: SqlExpression, position: Position): SqlExpression {
  const wider = numberRank(left.type) >= numberRank(right.type) ? left.type : right.type;
  for (const { type } of [left, right]) {
    if (!isInteger(type) && !isVoid(type))
      throw semantic(position, operator, `takes whole numbers and not ${typeName(type)}`);
  }
  const type = isVoid(wider) ? types.bigint : wider;
  const first = operand(left, type, position);
  if (operator === "~") return typed(sql`(~${first})`, type);
  const second = operand(right, type, position);
  return typed(operator === "^" ? sql`xor(${first}, ${second})` : sql`(${first} ${operator} ${second})`, type);
}

/** The sign before a value that is no literal. */
export function negate(operator: "-" | "+", value: SqlExpression, position: Position): SqlExpression {
  if (operator === "+" && isText(value.type)) return value;
  const number = isText(value.type) || isVoid(value.type) ? (cast(value, types.double) ?? value) : value;
  const { type } = number;
  if (isVoid(value.type)) return value;
  if (type.kind === "interval_year_month" || type.kind === "interval_day_time") {
    return operator === "+" ? number : typed(sql`(-${number})`, type);
  }
  if (numberRank(type) < 0) throw semantic(position, operator, `takes a number and not ${typeName(type)}`);
  if (operator === "+") return number;
  if (!isInteger(type)) {
    const negative = strict(typed(sql`(-${number})`, type), [number], false);
    const { digits, declared } = number;
    return {
      ...negative,
      ...(digits === undefined ? {} : { digits: negatedDigits(digits) }),
      ...(declared === undefined ? {} : { declared }),
    };
  }
  const result = wrapped("-", sql`CAST(0 AS ${duckType(type)})`, number, type);
  return typeof value.constant === "number" && isInteger(value.type) && value.constant > 0
    ? typed(result, type, -value.constant)
    : typed(result, type);
}

/** A divisor that makes the quotient NULL where it is zero. */
export function divisor(value: SqlExpression): Fragment {
  if (typeof value.constant === "number" && value.constant !== 0) return value;
  return sql`CASE ${value} WHEN 0 THEN NULL ELSE ${value} END`;
}

function operand(value: SqlExpression, type: HiveType, position: Position): SqlExpression {
  const result = castOf(value, type);
  if (!result) throw semantic(position, "operand", `${typeName(value.type)} is no number`);
  return typeof value.constant === "number" ? typed(result, type, value.constant) : result;
}

/** Operands up to this weight may stand several times in the SQL. */
const light = 250;

const lightly = { "+": "hive_light_add", "-": "hive_light_subtract", "*": "hive_light_multiply" } as const;

const wider: Readonly<Record<string, string>> = {
  tinyint: "BIGINT",
  smallint: "BIGINT",
  int: "BIGINT",
  bigint: "HUGEINT",
};

/** Sums of up to this many terms wrap after each, which is quicker for few. */
const fewTerms = 4;

/** A sum of whole numbers of one type may wrap once, at its end: DuckDB binds many wraps in one another very slowly. */
function summed(operator: "+" | "-", left: SqlExpression, first: Fragment, second: Fragment, type: HiveType): SqlExpression {
  const name = type.kind as "tinyint" | "smallint" | "int" | "bigint";
  const wide = (value: Fragment) => sql`CAST(${value} AS ${wider[name] ?? ""})`;
  const before = left.sum && left.type.kind === name ? left.sum : { wide: wide(first), terms: 1 };
  const sum = { wide: sql`${before.wide} ${operator} ${wide(second)}`, terms: before.terms + 1 };
  const value = sum.terms > fewTerms ? macro(`hive_wrap_${name}`, sum.wide) : wrapped(operator, first, second, type);
  return { ...typed(value, type), sum };
}

function wrapped(operator: "+" | "-" | "*", left: Fragment, right: Fragment, type: HiveType): Fragment {
  const name = type.kind as "tinyint" | "smallint" | "int" | "bigint";
  const isLight = left.weight + right.weight <= light;
  if (isLight && name === "bigint") return macro(lightly[operator], left, right);
  const result = sql`CAST(${left} AS ${wider[name] ?? ""}) ${operator} CAST(${right} AS ${wider[name] ?? ""})`;
  return macro(isLight && name === "int" ? "hive_narrow_int" : `hive_wrap_${name}`, result);
}

/** Decimal arithmetic with Hive's digits: exact, rounded half up, NULL where it does not fit. */
function exact(operator: Operator, left: SqlExpression, right: SqlExpression, position: Position): SqlExpression {
  if (!isFolded(left) || !isFolded(right)) {
    const isSum = operator === "+" || operator === "-";
    if (isSum && [left, right].some(isFoldedUnknown) && [left, right].some(readsColumns))
      throw unsupported(
        position,
        operator,
        "of a column and a decimal that a function makes of literals, whose digits Hive takes from its value: write that number",
      );
    const declared = computed(
      operator,
      decimalOperand(left, position, declaredDigits),
      decimalOperand(right, position, declaredDigits),
    );
    if (!isSum) return declared;
    if ([left, right].some(({ isLongConstant }) => isLongConstant)) throw unsupported(position, operator, openScale);
    const sum = computed(
      operator,
      decimalOperand(left, position, shortDigits),
      decimalOperand(right, position, shortDigits),
    );
    return sum.type.kind === "decimal" && declared.type.kind === "decimal" && sum.type.scale !== declared.type.scale
      ? { ...sum, declared: declared.type }
      : sum;
  }
  const [first, second] = [left.wide ?? left, right.wide ?? right];
  const wide = computed(operator, decimalOperand(first, position), decimalOperand(second, position));
  const { type } = computed(
    operator,
    decimalOperand(left, position, literalDigits),
    decimalOperand(right, position, literalDigits),
  );
  const digits = computedDigits(operator, left, right, wide.type);
  return {
    ...(cast(wide, type) ?? wide),
    folded: true,
    wide: { ...wide, folded: true },
    ...(digits === undefined ? {} : { digits }),
  };
}

interface DecimalOperand {
  readonly precision: number;
  readonly scale: number;
  readonly value: Fragment;
}

function computed(operator: Operator, first: DecimalOperand, second: DecimalOperand): SqlExpression {
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
        return fit(sql`CAST(${first.value} AS ${wide}) ${operator} CAST(${second.value} AS ${wide})`, type);
      }
      return exactly(operator === "+" ? "add" : "subtract", first.value, second.value, type);
    }
    case "*": {
      const type = limitedDecimal(p1 + p2 + 1, s1 + s2);
      // DuckDB multiplies in 64 bits unless an operand is wider.
      if (p1 + p2 <= maxPrecision) {
        return fit(sql`CAST(${first.value} AS DECIMAL(${maxPrecision},${s1})) * ${second.value}`, type);
      }
      return exactly("multiply", first.value, second.value, type);
    }
    case "/": {
      const scale = Math.max(6, s1 + p2 + 1);
      return exactly("divide", first.value, second.value, limitedDecimal(p1 - s1 + s2 + scale, scale));
    }
    case "%": {
      const scale = Math.max(s1, s2);
      const type = limitedDecimal(Math.min(p1 - s1, p2 - s2) + scale, scale);
      return exactly("remainder", first.value, second.value, type);
    }
  }
}

function fit(value: Fragment, type: HiveType): SqlExpression {
  return typed(sql`CAST(${value} AS ${duckType(type)})`, type);
}

function exactly(name: string, left: Fragment, right: Fragment, type: HiveType): SqlExpression {
  const scale = type.kind === "decimal" ? type.scale : 0;
  const call = sql`hive_decimal_${name}(CAST(${left} AS VARCHAR), CAST(${right} AS VARCHAR), CAST(${scale} AS INTEGER))`;
  return typed(sql`TRY_CAST(${call} AS ${duckType(type)})`, type);
}

function decimalOperand(value: SqlExpression, position: Position, digitsOf?: typeof literalDigits): DecimalOperand {
  if (digitsOf === shortDigits && value.digits !== undefined) {
    const { precision, scale } = shortDigits(value) ?? { precision: maxPrecision, scale: 0 };
    return { precision, scale, value: sql`CAST('${value.digits}' AS DECIMAL(${precision},${scale}))` };
  }
  const digits =
    digitsOf?.(value) ?? asDecimal(value.type) ?? (isVoid(value.type) ? { precision: 1, scale: 0 } : undefined);
  if (!digits) throw semantic(position, "operand", `${typeName(value.type)} is no decimal`);
  const converted = cast(value, { kind: "decimal", ...digits });
  return { ...digits, value: converted ?? value };
}

function isFolded({ constant, folded, digits }: SqlExpression): boolean {
  return constant !== undefined || folded === true || digits !== undefined;
}

/** The digits that Hive goes on computing with. */
const declaredDigits = (value: SqlExpression) => literalDigits(value) ?? (value.declared && asDecimal(value.declared));

/** In sums beside a value of a column, decimals that literals make count with the digits they have too. */
function shortDigits(value: SqlExpression) {
  const short = shortType(value);
  return value.digits !== undefined && short.kind === "decimal" ? short : literalDigits(value);
}

/** Beside a value of a column, a whole number that is a literal counts with the digits it has, not with its type's. */
function literalDigits({ type, constant }: SqlExpression) {
  if (!isInteger(type) || typeof constant !== "number") return undefined;
  return { precision: String(Math.abs(constant)).length, scale: 0 };
}
