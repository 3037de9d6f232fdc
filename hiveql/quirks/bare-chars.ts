/**
 * Chars that functions make. Where Hive runs no job it prints them without the spaces at their end, and those of
 * columns and CASTs with them.
 */
import { type Position, unsupported } from "../syntax";
import { readsColumns, type SqlExpression } from "../emit/fragment";
import { isFoldedChar } from "../emit/patterns";
import type { HiveType } from "../bind/types";

/** Functions that make a text of texts, and so a char of chars. */
const makers: ReadonlySet<string> = new Set(["upper", "lower", "ucase", "lcase", "concat"]);
/** Functions that choose one of their arguments, and from which of them on. */
const choosers: ReadonlyMap<string, number> = new Map([
  ["if", 1],
  ["coalesce", 0],
  ["nvl", 0],
  ["greatest", 0],
  ["least", 0],
]);

/** How a call's value is printed, where it is a char. */
export function barePaddingOfCall(name: string, values: readonly SqlExpression[], type: HiveType): Pick<SqlExpression, "isBare"> {
  if (type.kind !== "char") return {};
  if (makers.has(name)) return { isBare: true };
  if (name === "nullif") return barePadding(values.slice(0, 1), type);
  const first = choosers.get(name);
  return first === undefined ? {} : barePadding(values.slice(first), type);
}

/** How a value is printed that is one of several: those that another length is made of have the spaces. */
export function barePadding(values: readonly SqlExpression[], type: HiveType): Pick<SqlExpression, "isBare"> {
  const chars = values.filter((value) => value.type.kind === "char" && type.kind === "char");
  const kinds = new Set(chars.map((value) => (sameLength(value.type, type) ? value.isBare : undefined)));
  const [only] = kinds;
  if (kinds.size > 1) return { isBare: "partly" };
  return only === undefined ? {} : { isBare: only };
}

const sameLength = (type: HiveType, other: HiveType) =>
  "length" in type && "length" in other && type.length === other.length;

/**
 * Whether values are chars of several lengths, of which Hive's functions make one char by rules of their own: literals
 * among them keep their own length.
 */
export const mixesChars = (values: readonly SqlExpression[]): boolean =>
  values.some(isFoldedChar) &&
  new Set(values.flatMap(({ type }) => (type.kind === "char" ? [type.length] : []))).size > 1;

/** Refuses what an array, map or struct would hold with spaces at its end or without, as Hive runs a job or not. */
export function refuseBare(values: readonly SqlExpression[], position: Position, construct: string) {
  if (values.some(({ isBare }) => isBare))
    throw unsupported(
      position,
      construct,
      "of a char that a function made, which Hive fills with spaces there or not as it runs a job or not: cast it to string",
    );
}

/**
 * Whether a column of a subquery is a char that is computed of each row, and not one of a table.
 * @param keys the keys of groups by the columns that hold them.
 */
export function isMadeChar(value: SqlExpression, keys: readonly (readonly [column: string, key: SqlExpression])[] = []): boolean {
  if (value.type.kind !== "char" || !readsColumns(value) || value.sql.includes(" OVER (")) return false;
  const key = keys.find(([column]) => column === value.sql)?.[1];
  if (key) return isMadeChar(key);
  return value.isMade === true || !/^\(?\w+\.(?:"(?:[^"]|"")*"|c\d+)\)?$/.test(value.sql);
}

/** Refuses `=` and IN between such a char and a literal, which Hive fills with spaces and finds in no row. */
export function refuseMade(column: SqlExpression, literals: readonly SqlExpression[], position: Position, construct: string) {
  const { type } = column;
  const isFilled = ({ constant }: SqlExpression) =>
    typeof constant === "string" && type.kind === "char" && [...constant.trimEnd()].length < type.length;
  if (column.isMade && literals.some(isFilled))
    throw unsupported(
      position,
      construct,
      "compares a char that CAST or a subquery makes with a literal, which Hive fills with spaces and finds in no row: cast it to string",
    );
}
