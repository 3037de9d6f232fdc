/** The common types to which Hive converts operands of different types. */
import {
  decimal,
  type HiveType,
  isApproximate,
  isDateOrTime,
  isNested,
  isNumber,
  isText,
  isVoid,
  longestText,
  mapOf,
  arrayOf,
  maxPrecision,
  numberRank,
  sameType,
  structOf,
  types,
} from "./types";

/** The precision of the decimal that holds all values of an integer type. */
const integerDigits: Readonly<Record<string, number>> = { tinyint: 3, smallint: 5, int: 10, bigint: 19 };

/** Returns the precision and scale that hold all values of an integer or decimal type; undefined for other types. */
export function asDecimal(type: HiveType): { readonly precision: number; readonly scale: number } | undefined {
  if (type.kind === "decimal") return type;
  const precision = integerDigits[type.kind];
  return precision === undefined ? undefined : { precision, scale: 0 };
}

/** Returns a decimal type within the maximum precision. If it is exceeded, the scale is reduced, down to 6. */
export function limitedDecimal(precision: number, scale: number): HiveType {
  if (precision <= maxPrecision) return decimal(precision, scale);
  const kept = Math.max(maxPrecision - (precision - scale), Math.min(scale, 6));
  return decimal(maxPrecision, kept);
}

/** Returns the common type of two types for CASE, IF, COALESCE, ARRAY and VALUES; undefined when there is none. */
export function commonType(left: HiveType, right: HiveType): HiveType | undefined {
  if (sameType(left, right) || isVoid(right)) return left;
  if (isVoid(left)) return right;
  if (isNumber(left) && isNumber(right)) return commonNumber(left, right);
  if (isText(left) && isText(right)) return commonText(left, right);
  if (isDateOrTime(left) && isDateOrTime(right)) return types.timestamp;
  if (left.kind === "string" && printable(right)) return types.string;
  if (right.kind === "string" && printable(left)) return types.string;
  return commonNested(left, right);
}

/**
 * Returns the common type of several types.
 * @param refuse returns the error for two types that have none.
 */
export function commonTypeOf(
  all: readonly HiveType[],
  refuse: (left: HiveType, right: HiveType) => Error,
  combine: (left: HiveType, right: HiveType) => HiveType | undefined = commonType,
): HiveType {
  return all.reduce<HiveType>((known, type) => {
    const next = combine(known, type);
    if (!next) throw refuse(known, type);
    return next;
  }, types.void);
}

const printable = (type: HiveType) => isNumber(type) || isDateOrTime(type);

/**
 * Returns the common type of both sides of a set operator: for numbers the wider type, without adding digits; undefined
 * when Hive refuses the sides. A string and a decimal become string, as in Hive 2 and 3; Hive 4 refuses them.
 */
export function setOperationType(left: HiveType, right: HiveType): HiveType | undefined {
  if (sameType(left, right)) return left;
  if (isNested(left) || isNested(right)) return undefined;
  if (isVoid(right)) return left;
  if (isVoid(left)) return right;
  if (isNumber(left) && isNumber(right)) {
    if (left.kind === right.kind) return commonNumber(left, right);
    return numberRank(left) >= numberRank(right) ? left : right;
  }
  if (isText(left) && isText(right)) return commonText(left, right);
  if (left.kind === "string" && right.kind === "decimal") return types.string;
  if (right.kind === "string" && left.kind === "decimal") return types.string;
  return isDateOrTime(left) && isDateOrTime(right) ? types.timestamp : undefined;
}

/**
 * Returns the type of a concatenation: chars or varchars give the sum of their lengths, and other types give string.
 */
export function concatenatedType(parts: readonly HiveType[]): HiveType {
  const lengths = parts.flatMap((type) => ("length" in type ? [type.length] : []));
  const length = lengths.reduce((sum, each) => sum + each, 0);
  const kind = parts.every((type) => type.kind === "char") ? "char" : "varchar";
  return lengths.length < parts.length || length > longestText[kind] ? types.string : { kind, length };
}

/** Returns the type in which `=`, `<`, BETWEEN and IN compare; undefined when Hive refuses the comparison. */
export function comparisonType(left: HiveType, right: HiveType): HiveType | undefined {
  if (sameType(left, right) || isVoid(right)) return left;
  if (isVoid(left)) return right;
  if (isNumber(left) && isNumber(right)) return commonNumber(left, right);
  if (isText(left) && isText(right)) return left.kind === right.kind && left.kind === "varchar" ? left : types.string;
  if (isDateOrTime(left) && isDateOrTime(right)) return types.timestamp;
  if (isText(left) && isDateOrTime(right)) return right;
  if (isText(right) && isDateOrTime(left)) return left;
  const numeric = (type: HiveType) => isNumber(type) || isText(type) || type.kind === "boolean";
  if (numeric(left) && numeric(right)) return types.double;
  return commonNested(left, right);
}

/**
 * Returns the type in which `+`, `-`, `*`, `/` and `%` compute; undefined when they do not support an operand. Two
 * untyped NULLs give void, and an untyped NULL with a decimal gives double.
 */
export function arithmeticType(left: HiveType, right: HiveType): HiveType | undefined {
  const numeric = (type: HiveType) => isNumber(type) || isText(type) || isVoid(type);
  if (!numeric(left) || !numeric(right)) return undefined;
  if (isText(left) || isText(right)) return types.double;
  if (isVoid(left) || isVoid(right)) {
    const known = isVoid(left) ? right : left;
    return known.kind === "decimal" ? types.double : known;
  }
  return commonNumber(left, right);
}

function commonNumber(left: HiveType, right: HiveType): HiveType {
  if (left.kind === "decimal" || right.kind === "decimal") {
    if (isApproximate(left)) return left;
    if (isApproximate(right)) return right;
    const first = asDecimal(left);
    const second = asDecimal(right);
    if (first && second) {
      const scale = Math.max(first.scale, second.scale);
      const whole = Math.max(first.precision - first.scale, second.precision - second.scale);
      return whole + scale <= maxPrecision
        ? decimal(whole + scale, scale)
        : decimal(maxPrecision, Math.max(0, maxPrecision - whole));
    }
  }
  return numberRank(left) >= numberRank(right) ? left : right;
}

function commonText(left: HiveType, right: HiveType): HiveType {
  if (left.kind === "string" || right.kind === "string") return types.string;
  if (left.kind !== "varchar" && left.kind !== "char") return types.string;
  if (right.kind !== "varchar" && right.kind !== "char") return types.string;
  return left.kind === right.kind ? { kind: left.kind, length: Math.max(left.length, right.length) } : types.string;
}

function commonNested(left: HiveType, right: HiveType): HiveType | undefined {
  if (left.kind === "array" && right.kind === "array") {
    const element = commonType(left.element, right.element);
    return element && arrayOf(element);
  }
  if (left.kind === "map" && right.kind === "map") {
    const key = commonType(left.key, right.key);
    const value = commonType(left.value, right.value);
    return key && value && mapOf(key, value);
  }
  if (left.kind === "struct" && right.kind === "struct" && left.fields.length === right.fields.length) {
    const fields = left.fields.map((field, index) => {
      const type = commonType(field.type, right.fields[index]?.type ?? types.void);
      return type && { name: field.name, type };
    });
    return fields.some((field) => field === undefined)
      ? undefined
      : structOf(fields.filter((field) => field !== undefined));
  }
  return undefined;
}

/** Returns true when a decimal type holds every value of the others. */
export function holdsDecimals(type: HiveType, ...others: readonly HiveType[]): boolean {
  const room = asDecimal(type);
  return others.every((other) => {
    const needed = asDecimal(other);
    if (!room || !needed) return true;
    return needed.scale <= room.scale && needed.precision - needed.scale <= room.precision - room.scale;
  });
}
