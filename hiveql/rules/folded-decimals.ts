/**
 * Decimals that literals alone make: Hive folds them before it looks at a column. Beside a column in sums, and in arrays,
 * maps and structs, it gives them the digits of their value, whatever type they were cast to.
 */
import { addDecimals, divideDecimals, multiplyDecimals, parse, plainDecimal, remainderDecimals } from "../runtime/java/decimals";
import { readsColumns, type SqlExpression } from "../emit/fragment";
import { decimal, type HiveType, isApproximate, isInteger, isText } from "../bind/types";

/** The value of a CAST to a decimal; undefined where it is not known or does not fit. */
export function castDigits(value: SqlExpression, to: Extract<HiveType, { kind: "decimal" }>): string | undefined {
  const text = value.digits ?? literalText(value);
  return text === undefined ? undefined : fitting(addDecimals(text, "0", to.scale), to);
}

/** The value of an operation. @param type of the result before digits are left out. */
export function computedDigits(operator: string, left: SqlExpression, right: SqlExpression, type: HiveType): string | undefined {
  const [first, second] = [left, right].map((side) => side.digits ?? literalText(side));
  if (first === undefined || second === undefined || type.kind !== "decimal") return undefined;
  const result = operations[operator]?.(first, second, type.scale) ?? undefined;
  return result === undefined ? undefined : fitting(result, type);
}

/** The value with the other sign. */
export const negatedDigits = (digits: string) => (digits.startsWith("-") ? digits.slice(1) : `-${digits}`);

/** A folded decimal's type by its digits, and other values' own types. */
export function shortType({ type, digits }: SqlExpression): HiveType {
  if (type.kind !== "decimal" || digits === undefined) return type;
  let { digits: number, scale } = parse(digits);
  while (scale > 0 && number % 10n === 0n) {
    number /= 10n;
    scale -= 1;
  }
  const length = (number < 0n ? -number : number).toString().length;
  return decimal(Math.max(length, scale), scale);
}

/**
 * Whether values of CASE and its kin may have one scale or another: beside decimals of columns Hive knows folded ones by
 * their type in places, and by their digits in others.
 */
export function hasOpenScale(values: readonly SqlExpression[]): boolean {
  if (values.some(({ declared }) => declared)) return true;
  const isColumns = (value: SqlExpression) => value.type.kind === "decimal" && value.digits === undefined;
  return values.some(isColumns) && scaleOf(values.map(({ type }) => type)) !== scaleOf(values.map(shortType));
}

/** Whether a folded decimal's type has another scale than its digits. */
export const hasLongScale = (value: SqlExpression): boolean => scaleOf([value.type]) !== scaleOf([shortType(value)]);

const scaleOf = (of: readonly HiveType[]) =>
  Math.max(0, ...of.map((type) => (type.kind === "decimal" ? type.scale : 0)));

/** Functions that show a sum with a folded decimal as it is shown by itself. */
export const showsSums: ReadonlySet<string> = new Set([
  "sum",
  "count",
  "round",
  "typeof",
  "concat",
  "positive",
  "negative",
]);

export const openScale =
  "of decimals with more digits behind the point in a CAST of a literal than in the columns beside it, which Hive drops in places: cast the literal to the columns' type";

/**
 * Whether a quotient of literals has more digits in what Hive folds than it shows: `0.005 / 3` is 0.001667, and beside
 * others now that and now 0.00166666666667.
 */
export function isCutShort({ digits, wide, type, isRounded }: SqlExpression): boolean {
  if (isRounded) return true;
  if (!wide || digits === undefined || type.kind !== "decimal") return false;
  const { digits: number, scale } = parse(digits);
  return scale > type.scale && number % 10n ** BigInt(scale - type.scale) !== 0n;
}

/** Whether what Hive folds has other digits behind the point than it shows, zeros too. */
export const hasOtherScale = (value: SqlExpression): boolean =>
  isCutShort(value) || (value.wide !== undefined && scaleOf([value.wide.type]) !== scaleOf([value.type]));

export const cutShort =
  "of a quotient of literals, or of a CAST of one, whose digits Hive takes in one number or another: write the number, or divide the column";

/** Whether a CAST to a decimal leaves digits of a number literal out, which Hive keeps beside columns. */
export function losesDigits(value: SqlExpression, to: Extract<HiveType, { kind: "decimal" }>): boolean {
  const text = isText(value.type) ? undefined : (value.digits ?? literalText(value));
  if (text === undefined) return false;
  const { digits, scale } = parse(text);
  return scale > to.scale && digits % 10n ** BigInt(scale - to.scale) !== 0n;
}

/** Whether Hive folds a decimal whose value is not known here. */
export const isFoldedUnknown = (value: SqlExpression): boolean =>
  value.type.kind === "decimal" &&
  value.digits === undefined &&
  value.constant === undefined &&
  !readsColumns(value) &&
  !/\bNULL\b|random|now\(|OVER \(/.test(value.sql);

type Operation = (left: string, right: string, scale: number) => string | null;

const operations: Readonly<Record<string, Operation>> = {
  "+": addDecimals,
  "-": (left, right, scale) => addDecimals(left, negatedDigits(right), scale),
  "*": multiplyDecimals,
  "/": divideDecimals,
  "%": remainderDecimals,
};

function literalText({ type, constant }: SqlExpression): string | undefined {
  if (typeof constant === "string") return isText(type) ? (plainDecimal(constant) ?? undefined) : undefined;
  if (typeof constant !== "number" || !Number.isFinite(constant)) return undefined;
  if (isInteger(type)) return Number.isSafeInteger(constant) ? String(constant) : undefined;
  return isApproximate(type) ? (plainDecimal(String(constant)) ?? undefined) : undefined;
}

function fitting(text: string, { precision, scale }: { readonly precision: number; readonly scale: number }) {
  const { digits } = parse(text);
  return (digits < 0n ? -digits : digits) < 10n ** BigInt(precision) && parse(text).scale === scale ? text : undefined;
}
