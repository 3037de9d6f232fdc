/** The digits of decimals that are computed from literals. */
import {
  addDecimals,
  divideDecimals,
  multiplyDecimals,
  parse,
  plainDecimal,
  remainderDecimals,
} from "../runtime/java/decimals";
import type { Typed } from "./nodes";
import { decimal, type HiveType, isApproximate, isInteger, isText } from "./types";

type DecimalType = Extract<HiveType, { kind: "decimal" }>;

/**
 * Returns the digits that Hive folds a CAST to a decimal to; undefined when they are unknown or do not fit. A CAST of a
 * number keeps digits that its type does not show.
 */
export function foldedCast(value: Typed, to: DecimalType): string | undefined {
  const text = value.foldedDigits ?? literalText(value);
  if (text === undefined) return undefined;
  const rounded = ifFits(addDecimals(text, "0", to.scale), to);
  return rounded !== undefined && !isText(value.type) && losesDigits(text, to.scale) ? text : rounded;
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

/** Returns true when a number has other than zeros after so many fraction digits. */
function losesDigits(text: string, kept: number): boolean {
  const { digits, scale } = parse(text);
  return scale > kept && digits % 10n ** BigInt(scale - kept) !== 0n;
}

function ifFits(text: string, { precision, scale }: { readonly precision: number; readonly scale: number }) {
  const { digits } = parse(text);
  return (digits < 0n ? -digits : digits) < 10n ** BigInt(precision) && parse(text).scale === scale ? text : undefined;
}
