/** Java's hash codes, which Hive's `hash` and buckets are made of. */
import { type Position, unsupported } from "../../../../provider/hiveql";
import { type Fragment, macro, raw, sql, type Typed } from "./fragment";
import { type HiveType, quoteString, typeName } from "./types";

/** The hash of several values together: 31 × what came before plus the next, in 32 bits. */
export function javaHash(values: readonly Typed[], position: Position): Fragment {
  return values
    .map((value) => sql`coalesce(${hashOf(value, value.type, position, 0)}, 0)`)
    .reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
}

function hashOf(value: Fragment, type: HiveType, position: Position, depth: number): Fragment {
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
      // Their bytes are hashed from 1 on instead of 0, as if a byte 1 stood before them.
      return sql`hive_hash_text(chr(1) || ${value})`;
    case "date":
      return sql`(${value} - DATE '1970-01-01')`;
    case "array":
      return sql`list_reduce(list_prepend(CAST(0 AS INTEGER), list_transform(${value}, lambda ${inner}: coalesce(${hashOf(raw(inner), type.element, position, depth + 1)}, 0))), lambda hive_a, hive_b: hive_wrap_int(CAST(hive_a AS BIGINT) * 31 + hive_b))`;
    case "struct": {
      const parts = type.fields.map(
        (field) =>
          sql`coalesce(${hashOf(sql`struct_extract(${value}, ${quoteString(field.name)})`, field.type, position, depth + 1)}, 0)`,
      );
      return parts.reduce((left, right) => macro("hive_wrap_int", sql`CAST(${left} AS BIGINT) * 31 + ${right}`));
    }
    case "decimal":
      return sql`hive_hash_decimal(CAST(${value} AS VARCHAR))`;
    default:
      throw unsupported(position, `hash of ${typeName(type)}`);
  }
}
