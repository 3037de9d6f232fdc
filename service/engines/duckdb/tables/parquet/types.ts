/** The Hive types of Parquet columns, and their conversion to declared types. */
import {
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBType,
} from "@duckdb/node-api";
import { storageType, withSortedFields } from "../../../../../hiveql/index";
import type { CastFromText } from "../cast";
import { checkedValue } from "./checked-value";

/**
 * Returns the Hive type that holds every value of a Parquet column as DuckDB reads it; undefined when there is none, as
 * for a time of day.
 */
export function hiveTypeOf(type: DuckDBType): string | undefined {
  if (type instanceof DuckDBDecimalType) return `decimal(${type.width},${type.scale})`;
  if (type instanceof DuckDBListType) return nested("array", [hiveTypeOf(type.valueType)]);
  if (type instanceof DuckDBMapType) return nested("map", [hiveTypeOf(type.keyType), hiveTypeOf(type.valueType)]);
  if (type instanceof DuckDBStructType) {
    const fields = type.entryNames.map((name, index) => {
      const field = hiveTypeOf(type.entryTypes[index]!);
      return field === undefined ? undefined : `${name.toLowerCase()}:${field}`;
    });
    return nested("struct", fields);
  }
  return plainTypes.get(type.typeId);
}

/** The levels of lists, maps and structs in a type. */
export interface Nesting {
  readonly levels: number;
  /** Those on the way to a value that are lists or maps. */
  readonly lists: number;
}

/** Returns how deeply the values of a type are nested. */
export function nestingOf(type: DuckDBType): Nesting {
  if (type instanceof DuckDBListType) return around(1, [type.valueType]);
  if (type instanceof DuckDBMapType) return around(1, [type.keyType, type.valueType]);
  if (type instanceof DuckDBStructType) return around(0, type.entryTypes);
  return { levels: 0, lists: 0 };
}

function around(lists: number, types: readonly DuckDBType[]): Nesting {
  const inner = types.map(nestingOf);
  return {
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
    lists: lists + Math.max(0, ...inner.map((each) => each.lists)),
  };
}

const nested = (word: string, parts: readonly (string | undefined)[]) =>
  parts.includes(undefined) ? undefined : `${word}<${parts.join(",")}>`;

/** Unsigned numbers have the next larger type; texts with a form of their own, such as UUIDs, are strings. */
const plainTypes: ReadonlyMap<DuckDBTypeId, string> = new Map([
  [DuckDBTypeId.BOOLEAN, "boolean"],
  [DuckDBTypeId.TINYINT, "tinyint"],
  [DuckDBTypeId.SMALLINT, "smallint"],
  [DuckDBTypeId.INTEGER, "int"],
  [DuckDBTypeId.BIGINT, "bigint"],
  [DuckDBTypeId.UTINYINT, "smallint"],
  [DuckDBTypeId.USMALLINT, "int"],
  [DuckDBTypeId.UINTEGER, "bigint"],
  [DuckDBTypeId.UBIGINT, "decimal(20,0)"],
  [DuckDBTypeId.FLOAT, "float"],
  [DuckDBTypeId.DOUBLE, "double"],
  [DuckDBTypeId.VARCHAR, "string"],
  [DuckDBTypeId.UUID, "string"],
  [DuckDBTypeId.ENUM, "string"],
  [DuckDBTypeId.BLOB, "binary"],
  [DuckDBTypeId.DATE, "date"],
  [DuckDBTypeId.TIMESTAMP, "timestamp"],
  [DuckDBTypeId.TIMESTAMP_S, "timestamp"],
  [DuckDBTypeId.TIMESTAMP_MS, "timestamp"],
  [DuckDBTypeId.TIMESTAMP_NS, "timestamp"],
  [DuckDBTypeId.TIMESTAMP_TZ, "timestamp"],
]);

/** Returns the type that holds the values of two; undefined when one would lose digits or change its text. */
export function commonHiveType(one: string, other: string): string | undefined {
  if (hasSameFields(one, other)) return one;
  if (isWider(one, other)) return one;
  return isWider(other, one) ? other : undefined;
}

/**
 * Returns SQL of a column's value in a Hive type; undefined when its values may not be values of the type.
 * @param isRecent true when no date or timestamp of the column is before 1582-10-15.
 */
export function convertedValue(
  value: string,
  source: DuckDBType,
  target: string,
  { cast, isRecent }: { readonly cast: CastFromText; readonly isRecent: boolean },
): string | undefined {
  const own = hiveTypeOf(source);
  if (own === undefined) return undefined;
  const isText = own === "string" && /^(?:varchar|char)\(/.test(target);
  if (isText) return cast(`CAST(${value} AS VARCHAR)`, target);
  if (target === "string" && digits[own] !== undefined) return `CAST(${value} AS VARCHAR)`;
  if (!hasSameFields(own, target) && !isWider(target, own) && !(own === "bigint" && target === "double"))
    return undefined;
  return `CAST(${checkedValue(value, source, { isRecent, depth: 0 })} AS ${storageType(target)})`;
}

/** Returns true for one type, or for structs with the same fields in another order: they are found by their names. */
const hasSameFields = (type: string, other: string) =>
  type === other || (type.includes("struct<") && withSortedFields(type) === withSortedFields(other));

/** The digits of the whole numbers, the narrowest type first. */
const digits: Readonly<Record<string, number>> = { tinyint: 3, smallint: 5, int: 10, bigint: 19 };

/**
 * Returns true when a type holds every number of another. Decimals have the same scale: Hive reads the digits of 12.50 as
 * 1.250 when the scale is declared as 3.
 */
function isWider(type: string, other: string): boolean {
  if (type === other) return true;
  const whole = digits[other];
  if (whole !== undefined && digits[type] !== undefined) return digits[type] > whole;
  if (type === "double") return other === "float" || (whole !== undefined && whole <= 15);
  const [a, b] = [decimalOf(type), decimalOf(other)];
  if (a && whole !== undefined) return a.scale === 0 && a.precision >= whole;
  return a !== undefined && b !== undefined && a.scale === b.scale && a.precision >= b.precision;
}

function decimalOf(type: string): { readonly precision: number; readonly scale: number } | undefined {
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? [];
  return precision === undefined ? undefined : { precision: Number(precision), scale: Number(scale) };
}
