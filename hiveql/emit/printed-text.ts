/** Values → text, as Hive prints them in results and as its CAST to string makes them. */
import { type Fragment, macro, raw, sql } from "./fragment";
import { type HiveType, isNested, quoteString } from "../bind/types";

/**
 * The text that Hive prints of a value: numbers as Java does, a char padded to its length, complex types as JSON.
 * @returns SQL of type VARCHAR; NULL stays NULL.
 */
export function textOf(value: Fragment, type: HiveType): Fragment {
  if (isNested(type)) return jsonOf(value, type, 0);
  if (type.kind === "char") return sql`rpad(${value}, ${type.length}, ' ')`;
  return stringOf(value, type);
}

/** The text of a column in a text file, from which a field's reading gives the value again. */
export function fileText(value: Fragment, type: HiveType): Fragment {
  return type.kind === "binary" ? sql`rtrim(to_base64(${value}), '=')` : textOf(value, type);
}

/** The string that Hive's CAST makes of a value that is not complex; a boolean is upper case there, unlike in results. */
export function castText(value: Fragment, type: HiveType): Fragment {
  if (type.kind === "boolean") return sql`upper(CAST(${value} AS VARCHAR))`;
  if (type.kind === "timestamp") return macro("hive_timestamp_string", value);
  return stringOf(value, type);
}

function stringOf(value: Fragment, type: HiveType): Fragment {
  switch (type.kind) {
    case "string":
    case "varchar":
    case "char":
      return value;
    case "void":
      return raw("CAST(NULL AS VARCHAR)");
    case "float":
    case "double":
      return macro(`hive_${type.kind}_text`, value);
    case "binary":
      return macro("hive_binary_text", value);
    case "date":
      return macro("hive_date_text", value);
    case "timestamp":
      return macro("hive_timestamp_text", value);
    case "interval_year_month":
      return macro("hive_year_month_text", value);
    case "interval_day_time":
      return macro("hive_day_time_text", value);
    case "decimal":
      // DuckDB leaves the zero before the point out where the type has no digit there.
      return type.precision === type.scale
        ? macro("hive_fraction_text", sql`CAST(${value} AS VARCHAR)`)
        : sql`CAST(${value} AS VARCHAR)`;
    default:
      return sql`CAST(${value} AS VARCHAR)`;
  }
}

/** JSON as Hive's SerDeUtils writes it; NULL inside is `null`. */
function jsonOf(value: Fragment, type: HiveType, depth: number): Fragment {
  const inner = `hive_v${depth}`;
  switch (type.kind) {
    case "array":
      return sql`'[' || array_to_string(list_transform(${value}, lambda ${inner}: ${jsonOrNull(raw(inner), type.element, depth + 1)}), ',') || ']'`;
    case "map": {
      const entry = sql`${jsonOrNull(raw(`${inner}.key`), type.key, depth + 1)} || ':' || ${jsonOrNull(raw(`${inner}.value`), type.value, depth + 1)}`;
      return sql`'{' || array_to_string(list_transform(map_entries(${value}), lambda ${inner}: ${entry}), ',') || '}'`;
    }
    case "struct": {
      const fields = type.fields.map((field) => {
        const part = sql`struct_extract(${value}, ${quoteString(field.name)})`;
        return sql`${quoteString(`${JSON.stringify(field.name)}:`)} || ${jsonOrNull(part, field.type, depth + 1)}`;
      });
      const text = fields.reduce((left, right) => sql`${left} || ',' || ${right}`);
      return sql`CASE WHEN ${value} IS NOT NULL THEN '{' || ${text} || '}' END`;
    }
    case "string":
    case "varchar":
      return macro("hive_json_string", value);
    case "char":
      return macro("hive_json_string", textOf(value, type));
    case "decimal":
      return macro("hive_short_decimal", value);
    case "date":
    case "timestamp":
      return sql`'"' || ${castText(value, type)} || '"'`;
    default:
      return textOf(value, type);
  }
}

const jsonOrNull = (value: Fragment, type: HiveType, depth: number) =>
  sql`coalesce(${jsonOf(value, type, depth)}, 'null')`;
