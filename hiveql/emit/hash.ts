/** Java's hash codes, which Hive's `hash` uses. */
import { type Position, unsupported } from "../syntax";
import { macro, raw, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { type HiveType, quoteLiteral, typeName } from "../tree/types";

/** Hashes several values as in Java: 31 × the previous hash plus the next one, in 32 bits. */
export function javaHash(values: readonly Typed[], position: Position): Part {
  return values
    .map((value): Part => sql`coalesce(${hashOf(value, value.type, position, 0)}, 0)`)
    .reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
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
