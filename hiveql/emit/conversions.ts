/** SQL of Hive's CAST: text that cannot be parsed is NULL, and integers that do not fit wrap around. */
import { macro, raw, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { castText } from "../sql/printed-text";
import {
  duckType,
  type HiveType,
  isApproximate,
  isInteger,
  isNested,
  isNumber,
  isText,
  isVoid,
  numberRank,
  sameType,
  types,
} from "../tree/types";

/** Parses a field of a text file like Hive's LazySimpleSerDe: text that is not a value of the type is NULL. */
export function parseField(text: Part, to: HiveType): Part {
  if (isInteger(to)) return macro(`hive_text_${to.kind as "int"}`, text);
  switch (to.kind) {
    case "boolean":
      return sql`CASE lower(${text}) WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`;
    case "date":
      return macro("hive_field_date", text);
    case "timestamp":
      return macro("hive_field_timestamp", text);
    case "binary":
      return macro("hive_field_binary", text);
    default:
      return conversion(text, types.string, to);
  }
}

/** Returns the SQL of a CAST of a value. */
export const castSql = (value: Typed, to: HiveType): Part =>
  conversion(value, value.type, to, value.constant !== undefined);

/** Returns the SQL of a CAST that Hive has. @param isLiteral true for a literal, which Hive reads with another parser. */
function conversion(value: Part, from: HiveType, to: HiveType, isLiteral = false): Part {
  if (sameType(from, to)) return value;
  return convert(value, from, to, isLiteral) ?? sql`CAST(NULL AS ${duckType(to)})`;
}

function convert(value: Part, from: HiveType, to: HiveType, isLiteral: boolean): Part | undefined {
  if (isInteger(to)) return toInteger(value, from, to.kind as "int", isLiteral);
  switch (to.kind) {
    case "boolean":
      return toBoolean(value, from);
    case "float":
    case "double":
      return toApproximate(value, from, to.kind);
    case "decimal":
      return toDecimal(value, from, to);
    case "string":
      return castableToText(from) ? castText(value, from) : undefined;
    case "varchar":
      return castableToText(from) ? sql`${castText(value, from)}[:${to.length}]` : undefined;
    case "char":
      return castableToText(from) ? sql`rtrim(${castText(value, from)}[:${to.length}], ' ')` : undefined;
    case "binary":
      if (from.kind === "char") return sql`encode(rpad(${value}, ${from.length}, ' '))`;
      return isText(from) ? sql`encode(${value})` : undefined;
    case "date":
      if (from.kind === "timestamp") return sql`CAST(${value} AS DATE)`;
      return isText(from) ? macro("hive_text_date", value) : undefined;
    case "timestamp":
      if (from.kind === "date") return sql`CAST(${value} AS TIMESTAMP)`;
      return isText(from) ? macro("hive_text_timestamp", value) : undefined;
    default:
      return convertNested(value, from, to);
  }
}

const castableToText = (type: HiveType) => !isNested(type) && !isVoid(type);

function toBoolean(value: Part, from: HiveType): Part | undefined {
  if (isNumber(from)) return sql`(${value} <> 0)`;
  return isText(from) ? macro("hive_text_boolean", value) : undefined;
}

function toInteger(
  value: Part,
  from: HiveType,
  kind: "tinyint" | "smallint" | "int" | "bigint",
  isLiteral: boolean,
): Part | undefined {
  const to = types[kind];
  if (from.kind === "boolean") return sql`CAST(${value} AS ${duckType(to)})`;
  // Hive parses literals with Java's parser, and columns with its vectorized parser, which accepts no spaces.
  if (isText(from)) return macro(`hive_text_${kind}`, isLiteral ? macro("hive_trim", value) : value);
  if (isInteger(from)) {
    return numberRank(from) < numberRank(to)
      ? sql`CAST(${value} AS ${duckType(to)})`
      : macro(
          `hive_wrap_${kind}`,
          from.kind === "bigint" && kind !== "bigint" ? sql`CAST(${value} AS HUGEINT)` : widened(value),
        );
  }
  if (isApproximate(from)) {
    if (kind === "bigint") return macro("hive_saturate_bigint", value);
    // As in Java: the nearest int, of which smaller types keep the last bits.
    const whole = macro("hive_saturate_int", value);
    return kind === "int" ? whole : macro(`hive_wrap_${kind}`, whole);
  }
  if (from.kind === "decimal") {
    return sql`TRY_CAST(trunc(${value}) AS ${duckType(to)})`;
  }
  return undefined;
}

const widened = (value: Part) => sql`CAST(${value} AS BIGINT)`;

function toApproximate(value: Part, from: HiveType, kind: "float" | "double"): Part | undefined {
  if (isText(from)) return macro(`hive_text_${kind}`, value);
  if (kind === "float" && from.kind === "double") return macro("hive_double_float", value);
  const target = kind === "float" ? "FLOAT" : "DOUBLE";
  if (from.kind === "decimal" && from.precision > exactDigits[kind]) {
    return sql`CAST(CAST(${value} AS VARCHAR) AS ${target})`;
  }
  return isNumber(from) || from.kind === "boolean" ? sql`CAST(${value} AS ${target})` : undefined;
}

/**
 * The precision up to which DuckDB's cast, which divides by a power of ten, rounds only once. Longer decimals are cast
 * by way of text.
 */
const exactDigits = { float: 7, double: 15 } as const;

function toDecimal(value: Part, from: HiveType, to: HiveType): Part | undefined {
  const target = duckType(to);
  if (isText(from)) return sql`TRY_CAST(${macro("hive_text_digits", value)} AS ${target})`;
  // Java converts the printed digits of a double, which differ from the digits of its binary value.
  if (isApproximate(from))
    return sql`TRY_CAST(${macro("hive_text_digits", macro(`hive_${from.kind as "double"}_text`, value))} AS ${target})`;
  if (isNumber(from)) return sql`TRY_CAST(${value} AS ${target})`;
  return from.kind === "boolean" ? sql`TRY_CAST(CAST(${value} AS TINYINT) AS ${target})` : undefined;
}

/** Casts the elements of arrays, maps and structs one by one. */
function convertNested(value: Part, from: HiveType, to: HiveType): Part | undefined {
  if (from.kind === "array" && to.kind === "array") {
    return sql`list_transform(${value}, lambda hive_m: ${conversion(raw("hive_m"), from.element, to.element)})`;
  }
  if (from.kind === "map" && to.kind === "map") {
    const key = conversion(raw("hive_e.key"), from.key, to.key);
    const item = conversion(raw("hive_e.value"), from.value, to.value);
    return sql`map_from_entries(list_transform(map_entries(${value}), lambda hive_e: struct_pack(key := ${key}, value := ${item})))`;
  }
  if (from.kind === "struct" && to.kind === "struct" && from.fields.length === to.fields.length) {
    return sql`CAST(${value} AS ${duckType(to)})`;
  }
  return undefined;
}
