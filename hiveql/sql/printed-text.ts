/** Converts values to text, as Hive prints results and as its CAST to string does. */
import { unsupported } from "../syntax";
import { macro, raw, sql } from "./fragment";
import type { Part } from "./fragment";
import { type HiveType, isNested, quoteLiteral } from "../tree/types";

/**
 * Returns the text that Hive prints for a value: numbers as in Java, a char padded to its length, complex types as
 * JSON.
 * @returns SQL of type VARCHAR; NULL stays NULL.
 */
export function printedText(value: Part, type: HiveType): Part {
  if (isNested(type)) {
    requireFewLists(type);
    return jsonOf(value, type, 0);
  }
  if (type.kind === "char") return sql`rpad(${value}, ${type.length}, ' ')`;
  return stringOf(value, type);
}

/** Arrays and maps in each other that are printed: for each of them, DuckDB binds a lambda twice. */
const maxLists = 8;

/** @throws HiveQLError */
function requireFewLists(type: HiveType): void {
  const lists = listsIn(type);
  if (lists <= maxLists) return;
  throw unsupported(
    { line: 1, column: 1 },
    "statement",
    `prints a value with ${lists} levels of arrays and maps, and at most ${maxLists} can be printed: select its elements or fields`,
  );
}

/** Returns the number of arrays and maps on the way to the innermost value. */
function listsIn(type: HiveType): number {
  switch (type.kind) {
    case "array":
      return 1 + listsIn(type.element);
    case "map":
      return 1 + listsIn(type.value);
    case "struct":
      return Math.max(0, ...type.fields.map((field) => listsIn(field.type)));
    default:
      return 0;
  }
}

/** Returns the text of a field in a text file, which reads back as the same value. */
export function printedFileText(value: Part, type: HiveType): Part {
  return type.kind === "binary" ? sql`rtrim(to_base64(${value}), '=')` : printedText(value, type);
}

/** Returns the result of CAST to string for a value that is not complex. A boolean is upper case, unlike in results. */
export function castText(value: Part, type: HiveType): Part {
  if (type.kind === "boolean") return sql`upper(CAST(${value} AS VARCHAR))`;
  if (type.kind === "timestamp") return macro("hive_timestamp_string", value);
  return stringOf(value, type);
}

function stringOf(value: Part, type: HiveType): Part {
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
      // DuckDB omits the zero before the decimal point when precision and scale are equal.
      return type.precision === type.scale
        ? macro("hive_fraction_text", sql`CAST(${value} AS VARCHAR)`)
        : sql`CAST(${value} AS VARCHAR)`;
    default:
      return sql`CAST(${value} AS VARCHAR)`;
  }
}

/** Returns the JSON text that Hive's SerDeUtils writes; a nested NULL is `null`. */
function jsonOf(value: Part, type: HiveType, depth: number): Part {
  if (!holdsTexts(type)) return exactJsonOf(value, type, depth);
  // Without escapes, DuckDB's JSON is Hive's.
  const text = sql`CASE WHEN ${value} IS NOT NULL THEN CAST(to_json(${value}) AS VARCHAR) END`;
  return sql`CASE WHEN contains(${text}, '\\') THEN ${exactJsonOf(value, type, depth)} ELSE ${text} END`;
}

const holdsTexts = (type: HiveType) =>
  type.kind === "map"
    ? type.key.kind === "string" && type.value.kind === "string"
    : type.kind === "array" && type.element.kind === "string";

function exactJsonOf(value: Part, type: HiveType, depth: number): Part {
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
        const part = sql`struct_extract(${value}, ${quoteLiteral(field.name)})`;
        return sql`${quoteLiteral(`${JSON.stringify(field.name)}:`)} || ${jsonOrNull(part, field.type, depth + 1)}`;
      });
      const text = fields.reduce((left, right) => sql`${left} || ',' || ${right}`);
      return sql`CASE WHEN ${value} IS NOT NULL THEN '{' || ${text} || '}' END`;
    }
    case "string":
    case "varchar":
      return macro("hive_json_string", value);
    case "char":
      return macro("hive_json_string", printedText(value, type));
    case "decimal":
      return macro("hive_short_decimal", value);
    case "date":
    case "timestamp":
      return sql`'"' || ${castText(value, type)} || '"'`;
    default:
      return printedText(value, type);
  }
}

const jsonOrNull = (value: Part, type: HiveType, depth: number) => sql`coalesce(${jsonOf(value, type, depth)}, 'null')`;
