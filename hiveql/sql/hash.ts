/** Java's hash codes, which Hive's `hash` uses, and the hash of its buckets. */
import { type Position, unsupported } from "../syntax";
import { macro, raw, sql } from "./fragment";
import type { Part } from "./fragment";
import type { Typed } from "../tree/nodes";
import { type HiveType, typeName } from "../tree/types";

/** Hashes several values as in Java: 31 × the previous hash plus the next one, in 32 bits. */
export function javaHash(values: readonly Typed[], position: Position): Part {
  return values
    .map((value): Part => sql`coalesce(${hashOf(value, value.type, position)}, 0)`)
    .reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
}

function hashOf(value: Part, type: HiveType, position: Position): Part {
  switch (type.kind) {
    case "void":
      return raw("CAST(0 AS INTEGER)");
    case "boolean":
    case "tinyint":
    case "smallint":
    case "int":
    case "interval_year_month":
      return sql`CAST(${value} AS INTEGER)`;
    case "bigint":
      return macro("hive_hash_bigint", value);
    case "float":
      return sql`hive_hash_float(CAST(${value} AS DOUBLE))`;
    case "double":
      return sql`hive_hash_double(${value})`;
    case "timestamp":
      return macro("hive_hash_timestamp", value);
    case "string":
      return macro("hive_hash_string", value);
    case "varchar":
    case "char":
      // The hash starts from 1 instead of 0, which equals a leading byte 1.
      return macro("hive_hash_string", sql`chr(1) || ${value}`);
    case "date":
      return sql`CAST(${value} - DATE '1970-01-01' AS INTEGER)`;
    case "decimal":
      return sql`hive_hash_decimal(CAST(${value} AS VARCHAR))`;
    default:
      throw unsupported(position, `hash of ${typeName(type)}`, "is not supported: hash its elements or fields");
  }
}

/** Hashes a value as Hive distributes the rows of buckets, with Murmur3 for most types; the hash of NULL is 0. */
export function bucketHash(value: Typed, position: Position): Part {
  return sql`coalesce(${murmurOf(value, position)}, 0)`;
}

function murmurOf(value: Typed, position: Position): Part {
  const { kind } = value.type;
  const whole = (number: Part, bytes: number) => sql`hive_murmur_whole(CAST(${number} AS BIGINT), ${bytes}::INTEGER)`;
  switch (kind) {
    case "boolean":
    case "tinyint":
      return hashOf(value, value.type, position);
    case "smallint":
      return whole(value, 2);
    case "int":
      return whole(value, 4);
    case "bigint":
      return whole(value, 8);
    case "date":
      return whole(sql`(${value} - DATE '1970-01-01')`, 4);
    case "double":
      return sql`hive_murmur_double(${value})`;
    case "string":
    case "varchar":
      return sql`hive_murmur_bytes(encode(${value}))`;
    default:
      throw unsupported(position, "TABLESAMPLE of buckets", `cannot hash ${typeName(value.type)}: cast it to string`);
  }
}
