/** Java's hash codes, which Hive's `hash` and bucketing use. */
import { type Position, unsupported } from "../syntax";
import { macro, raw, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { type HiveType, isText, quoteLiteral, typeName } from "../tree/types";

/** Hashes several values as in Java: 31 × the previous hash plus the next one, in 32 bits. */
export function javaHash(values: readonly Typed[], position: Position): Part {
  return values
    .map((value): Part => sql`coalesce(${hashOf(value, value.type, position, 0)}, 0)`)
    .reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
}

/** Hashes bucket columns: like {@link javaHash}, with Murmur3 hashes for most types. */
export function murmurHash(values: readonly Typed[], position: Position): Part {
  if (isVectorized(values))
    throw unsupported(
      position,
      "bucket hash",
      "of an integer column after another integer or text column gives other values when Hive runs vectorized",
    );
  return values
    .map((value): Part => sql`coalesce(${murmurOf(value, value.type, position, 0)}, 0)`)
    .reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
}

const narrow: ReadonlySet<string> = new Set(["boolean", "tinyint", "smallint", "int"]);

/** Returns true when Hive's vectorized hash applies: an integer after an integer or a text, all hashed as bigint. */
function isVectorized([first, second, third]: readonly Typed[]): boolean {
  if (!first || !second || third || first.constant !== undefined || second.constant !== undefined) return false;
  const isWhole = ({ type }: Typed) => narrow.has(type.kind) || type.kind === "bigint";
  if (!isWhole(second) || !(isWhole(first) || isText(first.type))) return false;
  return narrow.has(first.type.kind) || narrow.has(second.type.kind);
}

function murmurOf(value: Part, type: HiveType, position: Position, depth: number): Part {
  const inner = `hive_h${depth}`;
  const whole = (number: Part, bytes: number) =>
    sql`hive_murmur_whole(CAST(${number} AS BIGINT), CAST(${bytes} AS INTEGER))`;
  switch (type.kind) {
    case "void":
    case "boolean":
    case "tinyint":
      return hashOf(value, type, position, depth);
    case "decimal":
      return sql`hive_murmur_decimal(CAST(${value} AS VARCHAR))`;
    case "smallint":
      return whole(value, 2);
    case "int":
      return whole(value, 4);
    case "bigint":
      return whole(value, 8);
    case "date":
      return whole(sql`(${value} - DATE '1970-01-01')`, 4);
    case "float":
    case "double":
      return sql`hive_murmur_${type.kind}(CAST(${value} AS DOUBLE))`;
    case "string":
    case "varchar":
    case "char":
      return sql`hive_murmur_bytes(encode(${value}))`;
    case "binary":
      return sql`hive_murmur_bytes(${value})`;
    case "array":
      return sql`list_reduce(list_prepend(CAST(0 AS INTEGER), list_transform(${value}, lambda ${inner}: coalesce(${murmurOf(raw(inner), type.element, position, depth + 1)}, 0))), lambda hive_a, hive_b: hive_wrap_int(CAST(hive_a AS BIGINT) * 31 + hive_b))`;
    case "struct": {
      const parts = type.fields.map(
        (field): Part =>
          sql`coalesce(${murmurOf(sql`struct_extract(${value}, ${quoteLiteral(field.name)})`, field.type, position, depth + 1)}, 0)`,
      );
      return parts.reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
    }
    default:
      throw unsupported(position, `hash of ${typeName(type)}`);
  }
}

function hashOf(value: Part, type: HiveType, position: Position, depth: number): Part {
  const inner = `hive_h${depth}`;
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
      return sql`hive_hash_text(${value})`;
    case "varchar":
    case "char":
      // The hash starts from 1 instead of 0, which equals a leading byte 1.
      return sql`hive_hash_text(chr(1) || ${value})`;
    case "date":
      return sql`(${value} - DATE '1970-01-01')`;
    case "array":
      return sql`list_reduce(list_prepend(CAST(0 AS INTEGER), list_transform(${value}, lambda ${inner}: coalesce(${hashOf(raw(inner), type.element, position, depth + 1)}, 0))), lambda hive_a, hive_b: hive_wrap_int(CAST(hive_a AS BIGINT) * 31 + hive_b))`;
    case "struct": {
      const parts = type.fields.map(
        (field): Part =>
          sql`coalesce(${hashOf(sql`struct_extract(${value}, ${quoteLiteral(field.name)})`, field.type, position, depth + 1)}, 0)`,
      );
      return parts.reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
    }
    case "decimal":
      return sql`hive_hash_decimal(CAST(${value} AS VARCHAR))`;
    default:
      throw unsupported(position, `hash of ${typeName(type)}`);
  }
}
