/** Hive's CAST: which types it converts, and what it knows of the result. */
import type { Typed } from "./nodes";
import { nullOf, operation } from "./typed";
import { type HiveType, isDateOrTime, isInteger, isNested, isNumber, isText, isVoid, sameType } from "./types";

/**
 * Casts a value to another type.
 * @returns undefined when Hive has no such cast or prohibits it, such as numbers to timestamps.
 */
export function cast(value: Typed, to: HiveType): Typed | undefined {
  if (sameType(value.type, to)) return value;
  if (isVoid(value.type)) return nullOf(to, null);
  if (isDateOrTime(to) && isImpossibleDate(value)) return undefined;
  if (!isCastable(value.type, to)) return undefined;
  const converted = operation({ kind: "cast", operands: [value], to }, to);
  if (to.kind === "string" && isText(value.type) && typeof value.constant === "string")
    return { ...converted, constant: value.constant };
  if (value.constant === null) return { ...converted, constant: null };
  const whole = isInteger(to) ? wholeConstant(value, to) : undefined;
  return whole === undefined ? converted : { ...converted, constant: whole };
}

/**
 * Returns the value of a literal when it is an integer in the range of a type; Hive knows the value of its CAST too.
 */
function wholeConstant({ constant, type }: Typed, to: HiveType): number | undefined {
  const isWritten = typeof constant === "string" ? isText(type) && /^[+-]?\d{1,15}$/.test(constant) : isInteger(type);
  const number = isWritten && constant !== null ? Number(constant) : Number.NaN;
  const limit = { tinyint: 2 ** 7, smallint: 2 ** 15, int: 2 ** 31, bigint: 2 ** 53 }[to.kind as "int"];
  return number >= -limit && number < limit ? number : undefined;
}

/** Returns true for a literal such as `2021-02-30`, on whose value versions of Hive disagree. */
export function isImpossibleDate({ constant, type }: Typed): boolean {
  const parts =
    isText(type) && typeof constant === "string" ? /^\s*(\d{1,4})-(\d{1,2})-(\d{1,2})/.exec(constant) : null;
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day;
}

/** Returns true when Hive casts values of one type to another. */
function isCastable(from: HiveType, to: HiveType): boolean {
  if (isNumber(to)) return isNumber(from) || isText(from) || from.kind === "boolean";
  if (isText(to)) return !isNested(from) && !isVoid(from);
  switch (to.kind) {
    case "boolean":
      return isNumber(from) || isText(from);
    case "binary":
      return isText(from);
    case "date":
      return from.kind === "timestamp" || isText(from);
    case "timestamp":
      return from.kind === "date" || isText(from);
    case "array":
      return from.kind === "array" && isConvertible(from.element, to.element);
    case "map":
      return from.kind === "map" && isConvertible(from.key, to.key) && isConvertible(from.value, to.value);
    case "struct":
      return (
        from.kind === "struct" &&
        from.fields.length === to.fields.length &&
        from.fields.every((field, index) => field.name === to.fields[index]?.name)
      );
    default:
      return false;
  }
}

const isConvertible = (from: HiveType, to: HiveType) => sameType(from, to) || isVoid(from) || isCastable(from, to);
