/** The Hive types of Parquet columns, and their conversion to declared types. */
import {
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBType,
} from "@duckdb/node-api";
import { storageType } from "../../../../../hiveql/index";
import type { CastFromText } from "../cast";
import { checkedValue } from "./checked-value";
import { holdsValues, isWholeNumber } from "./common-type";

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
  [DuckDBTypeId.SQLNULL, "void"],
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

const isTextOfLength = (own: string, target: string) => own === "string" && /^(?:varchar|char)\(/.test(target);

/** Returns true when a column of a type can be declared as another one. */
export const isReadAs = (own: string, target: string): boolean =>
  holdsValues(target, own) ||
  isTextOfLength(own, target) ||
  (target === "string" && isWholeNumber(own)) ||
  (target === "double" && own === "bigint");

/**
 * Returns SQL of a column's value in a Hive type; undefined when its values may not be values of the type.
 * @param isInRange true when no date or timestamp of the column is before 1582-10-15 or infinite.
 * @param where the column and its table, for messages
 */
export function convertedValue(
  value: string,
  source: DuckDBType,
  target: string,
  { cast, isInRange, where }: { readonly cast: CastFromText; readonly isInRange: boolean; readonly where: string },
): string | undefined {
  const own = hiveTypeOf(source);
  if (own === undefined || !isReadAs(own, target)) return undefined;
  if (isTextOfLength(own, target)) return cast(`CAST(${value} AS VARCHAR)`, target);
  if (target === "string" && isWholeNumber(own)) return `CAST(${value} AS VARCHAR)`;
  return `CAST(${checkedValue(value, source, { isInRange, where, depth: 0 })} AS ${storageType(target)})`;
}
