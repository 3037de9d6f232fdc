/**
 * Constant folding of decimals. Hive 4.0.1 folds an expression of literals before it types the expression around it. In
 * sums with a column, and in arrays, maps and structs, a folded decimal has the scale of its value and not that of the
 * type that it was cast to.
 * Example: `x + cast(2 AS decimal(20,10))` of the decimal(10,2) 1.00 answers `3.00`, and not `3.0000000000`.
 * The translation computes folded values exactly, and refuses places where Hive uses one scale or the other.
 */
import { containsLiteral, isVolatile, readsColumns } from "../tree/facts";
import {
  addDecimals,
  divideDecimals,
  multiplyDecimals,
  parse,
  plainDecimal,
  remainderDecimals,
} from "../runtime/java/decimals";
import type { Typed } from "../tree/nodes";
import { decimal, type HiveType, isApproximate, isInteger, isText } from "../tree/types";

/** Returns the folded value of a CAST to a decimal; undefined when it is unknown or does not fit. */
export function foldedCast(value: Typed, to: Extract<HiveType, { kind: "decimal" }>): string | undefined {
  const text = value.foldedDigits ?? literalText(value);
  return text === undefined ? undefined : ifFits(addDecimals(text, "0", to.scale), to);
}

/**
 * Returns the folded value of an operation; undefined when it is unknown or does not fit.
 * @param type of the result before trailing zeros are dropped.
 */
export function foldedArithmetic(operator: string, left: Typed, right: Typed, type: HiveType): string | undefined {
  const [first, second] = [left, right].map((side) => side.foldedDigits ?? literalText(side));
  if (first === undefined || second === undefined || type.kind !== "decimal") return undefined;
  const result = operations[operator]?.(first, second, type.scale) ?? undefined;
  return result === undefined ? undefined : ifFits(result, type);
}

/** Returns the value with the opposite sign. */
export const negateDigits = (digits: string) => (digits.startsWith("-") ? digits.slice(1) : `-${digits}`);

/** Returns the smallest decimal type for a folded decimal, and the own type of other values. */
export function minimalType({ type, foldedDigits }: Typed): HiveType {
  if (type.kind !== "decimal" || foldedDigits === undefined) return type;
  let { digits: number, scale } = parse(foldedDigits);
  while (scale > 0 && number % 10n === 0n) {
    number /= 10n;
    scale -= 1;
  }
  const length = (number < 0n ? -number : number).toString().length;
  return decimal(Math.max(length, scale), scale);
}

/**
 * Returns true when the scale of CASE, COALESCE and similar expressions is uncertain. For a folded decimal next to a
 * decimal column, Hive uses the scale of the type in some places and the scale of the value in others.
 */
export function hasUncertainScale(values: readonly Typed[]): boolean {
  if (values.some(({ declaredType }) => declaredType)) return true;
  const isColumns = (value: Typed) => value.type.kind === "decimal" && value.foldedDigits === undefined;
  return values.some(isColumns) && scaleOf(values.map(({ type }) => type)) !== scaleOf(values.map(minimalType));
}

/** Returns true when the type of a folded decimal has a larger scale than its value needs. */
export const hasTrailingZeroScale = (value: Typed): boolean => scaleOf([value.type]) !== scaleOf([minimalType(value)]);

const scaleOf = (of: readonly HiveType[]) =>
  Math.max(0, ...of.map((type) => (type.kind === "decimal" ? type.scale : 0)));

/** Functions whose result for a sum with a folded decimal has the same scale as the sum itself. */
export const scaleKeepingFunctions: ReadonlySet<string> = new Set([
  "sum",
  "count",
  "round",
  "typeof",
  "concat",
  "positive",
  "negative",
]);

export const uncertainScaleReason =
  "mixes a decimal column with a CAST of a literal that has more fraction digits, which Hive drops in some places: cast the literal to the type of the column";

/**
 * Returns true when Hive folds a quotient of literals with more digits than it prints: `0.005 / 3` prints 0.001667, and
 * other expressions compute with 0.001667 or with 0.00166666666667.
 */
export function isTruncatedQuotient({ foldedDigits, unrounded, type, isRounded }: Typed): boolean {
  if (isRounded) return true;
  if (!unrounded || foldedDigits === undefined || type.kind !== "decimal") return false;
  const { digits: number, scale } = parse(foldedDigits);
  return scale > type.scale && number % 10n ** BigInt(scale - type.scale) !== 0n;
}

/** Returns true when Hive folds a value with another scale than it prints. */
export const hasDifferentFoldedScale = (value: Typed): boolean =>
  isTruncatedQuotient(value) ||
  (value.unrounded !== undefined && scaleOf([value.unrounded.type]) !== scaleOf([value.type]));

export const truncatedQuotientReason =
  "contains a quotient of literals or a CAST that rounds a literal, and Hive computes with rounded or unrounded digits depending on the place: write the result as a literal, or divide the column";

/** Returns true when a CAST to a decimal rounds a number literal: next to columns Hive keeps the lost digits. */
export function castLosesDigits(value: Typed, to: Extract<HiveType, { kind: "decimal" }>): boolean {
  const text = isText(value.type) ? undefined : (value.foldedDigits ?? literalText(value));
  if (text === undefined) return false;
  const { digits, scale } = parse(text);
  return scale > to.scale && digits % 10n ** BigInt(scale - to.scale) !== 0n;
}

/** Returns true for a decimal that Hive folds and whose value is unknown here. */
export const isUnknownFoldedDecimal = (value: Typed): boolean =>
  value.type.kind === "decimal" &&
  value.foldedDigits === undefined &&
  value.constant === undefined &&
  !readsColumns(value) &&
  !isVolatile(value) &&
  !containsLiteral(value, (literal) => literal.value === null);

type Operation = (left: string, right: string, scale: number) => string | null;

const operations: Readonly<Record<string, Operation>> = {
  "+": addDecimals,
  "-": (left, right, scale) => addDecimals(left, negateDigits(right), scale),
  "*": multiplyDecimals,
  "/": divideDecimals,
  "%": remainderDecimals,
};

function literalText({ type, constant }: Typed): string | undefined {
  if (typeof constant === "string") return isText(type) ? (plainDecimal(constant) ?? undefined) : undefined;
  if (typeof constant !== "number" || !Number.isFinite(constant)) return undefined;
  if (isInteger(type)) return Number.isSafeInteger(constant) ? String(constant) : undefined;
  return isApproximate(type) ? (plainDecimal(String(constant)) ?? undefined) : undefined;
}

function ifFits(text: string, { precision, scale }: { readonly precision: number; readonly scale: number }) {
  const { digits } = parse(text);
  return (digits < 0n ? -digits : digits) < 10n ** BigInt(precision) && parse(text).scale === scale ? text : undefined;
}
