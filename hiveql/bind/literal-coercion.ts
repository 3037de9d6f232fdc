/** Literals compared with a column: Hive converts them to the type of the column if they are values of that type. */
import { literal as newLiteral, nullOf } from "../tree/typed";
import type { Expression } from "../syntax";
import { cast, isImpossibleDate } from "../tree/cast";
import { limitedDecimal } from "../tree/coercion";
import type { Typed } from "../tree/nodes";
import { integerLiteral } from "./literals";
import { type HiveType, isDateOrTime, isInteger, isNumber, isText, isVoid, maxPrecision } from "../tree/types";

/**
 * Returns true for a column, a field of a column, or a CAST of these. Only literals compared with these are converted.
 */
export function isColumnReference(node: Expression): boolean {
  switch (node.kind) {
    case "name":
      return true;
    case "field":
      return isColumnReference(node.base);
    case "cast":
      return isColumnReference(node.operand);
    default:
      return false;
  }
}

/**
 * Converts a literal to the type of the column that it is compared with; returns other expressions unchanged.
 * @returns undefined for a literal that is not a value of that type: `=` compares it unconverted, and IN removes it.
 */
export function coercedLiteral(literal: Typed, column: HiveType): Typed | undefined {
  if (isVoid(literal.type)) return nullOf(column, null);
  if (literal.constant === undefined) return literal;
  const isString = literal.type.kind === "string";
  if (literal.constant === null)
    return isString && (isNumber(column) || isText(column)) ? nullOf(column, null) : literal;
  if (column.kind === "char" || column.kind === "varchar") return isString ? narrowedText(literal, column) : literal;
  const written = isString ? String(literal.constant) : numberText(literal);
  if (written === undefined) return literal;
  if (column.kind === "decimal") return narrowedDecimal(written);
  const isApproximate = column.kind === "float" || column.kind === "double";
  if (!isApproximate && !isInteger(column)) return literal;
  const digits = isJavaNumber(written) ? readDigits(written.replace(/[dDfFlL]$/, "")) : undefined;
  if (!digits) return undefined;
  if (isInteger(column)) {
    const whole = integerOf(digits);
    const limit = limits[column.kind] ?? 0n;
    return whole === undefined || whole < -limit || whole >= limit ? undefined : integerLiteral(whole, column);
  }
  const plain = `${digits.sign}${digits.whole}.${digits.fraction}e${digits.exponent}`;
  return newLiteral(plain, column, Number(plain));
}

/**
 * Converts an operand to the type in which Hive compares. A text literal that is no date, such as `9999-99-99` or
 * `20260131`, is NULL there.
 * @returns undefined when Hive has no such conversion.
 */
export function comparedAs(operand: Typed, type: HiveType): Typed | undefined {
  const isNone = isDateOrTime(type) && (isImpossibleDate(operand) || isUnlikeDate(operand));
  return isNone ? noDate(operand, type) : cast(operand, type);
}

/** Returns true for a text literal that does not even begin as a date does. */
function isUnlikeDate({ constant, type }: Typed): boolean {
  return isText(type) && typeof constant === "string" && !/^\s*([+-]|\d+-\d+-\d)/.test(constant);
}

/** Returns NULL in the place of a text that is no date, which a note for the log names. */
function noDate({ constant, position }: Typed, type: HiveType): Typed {
  const node = { kind: "literal", type, text: null, noDate: String(constant) } as const;
  return { ...nullOf(type, null), node, ...(position && { position }) };
}

/** Returns both operands of a comparison, with a literal converted to the type of the column. */
export function coercedPair(leftNode: Expression, left: Typed, rightNode: Expression, right: Typed): [Typed, Typed] {
  if (isColumnReference(leftNode)) return [left, coercedLiteral(right, left.type) ?? right];
  if (isColumnReference(rightNode)) return [coercedLiteral(left, right.type) ?? left, right];
  return [left, right];
}

/** The integers of a type are at least -limit and below limit. */
const limits: Readonly<Record<string, bigint>> = {
  tinyint: 2n ** 7n,
  smallint: 2n ** 15n,
  int: 2n ** 31n,
  bigint: 2n ** 63n,
};

function narrowedText(literal: Typed, column: Extract<HiveType, { length: number }>): Typed | undefined {
  const text = column.kind === "char" ? String(literal.constant).replace(/ +$/, "") : String(literal.constant);
  return [...text].length > column.length ? undefined : newLiteral(text, column, text);
}

function narrowedDecimal(written: string): Typed | undefined {
  const digits = readDigits(written.trim());
  if (!digits || Math.abs(digits.exponent) > 2 * maxPrecision) return undefined;
  const all = `${digits.whole}${digits.fraction}`;
  const point = digits.whole.length + digits.exponent;
  const whole = (point <= 0 ? "" : all.slice(0, point).padEnd(point, "0")).replace(/^0+/, "");
  const fraction = (point < 0 ? "0".repeat(-point) + all : all.slice(Math.max(point, 0))).replace(/0+$/, "");
  const precision = Math.max(1, whole.length + fraction.length);
  if (precision > maxPrecision) return undefined;
  const value = `${digits.sign}${whole === "" ? "0" : whole}${fraction === "" ? "" : `.${fraction}`}`;
  const type = limitedDecimal(precision, fraction.length);
  return newLiteral(value, type, Number(value));
}

/** Returns the digits of a number literal as they are written. */
const numberText = ({ constant, node }: Typed) =>
  typeof constant === "number" && node.kind === "literal" ? (node.text ?? undefined) : undefined;

/** Returns true for texts that Hive accepts as numbers: commons-lang rejects spaces, and reads a leading 0 as octal. */
function isJavaNumber(text: string): boolean {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?$|^[+-]?\d+[lL]$/.test(text)) return false;
  return text.includes(".") || !/^[+-]?0\d/.test(text) || /^[+-]?0[0-7]+$/.test(text);
}

interface Digits {
  readonly sign: string;
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: number;
}

function readDigits(text: string): Digits | undefined {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (!parts || `${parts[2]}${parts[3]}` === "") return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  return { sign: sign === "-" ? "-" : "", whole: whole === "" ? "0" : whole, fraction, exponent: Number(exponent) };
}

function integerOf({ sign, whole, fraction, exponent }: Digits): bigint | undefined {
  if (Math.abs(exponent) > 400) return undefined;
  const all = `${whole}${fraction}`;
  const point = whole.length + exponent;
  if (/[1-9]/.test(point < 0 ? all : all.slice(point))) return undefined;
  const kept = point <= 0 ? "0" : all.slice(0, point).padEnd(point, "0");
  return BigInt(kept) * (sign === "-" ? -1n : 1n);
}
