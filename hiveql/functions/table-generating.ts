/** Functions that make rows of one. */
import { join, numberedStruct, sql, type SqlExpression } from "../emit/fragment";
import { duckType, type HiveType, isVoid, quoteString, sameType, typeName, types } from "../bind/types";
import { type CallSite, table, type Values } from "./define";

/** `(VALUES …)` and unnest yield the columns; a NULL array or map yields no row. */
export const tableFunctions = [
  table("explode", {
    signature: "explode(array<T>), explode(map<K,V>)",
    takes: ["any"],
    columns: ([value], call) => {
      if (value.type.kind === "array") return [{ name: "col", type: value.type.element }];
      if (value.type.kind === "map") {
        return [
          { name: "key", type: value.type.key },
          { name: "value", type: value.type.value },
        ];
      }
      throw call.invalid("takes an array or a map");
    },
    emit: ([value]) =>
      value.type.kind === "map"
        ? sql`SELECT hive_e.key AS c0, hive_e.value AS c1 FROM (SELECT unnest(map_entries(${value})) AS hive_e)`
        : sql`SELECT unnest(${value}) AS c0`,
  }),
  table("posexplode", {
    signature: "posexplode(array<T>)",
    doc: "counts from 0",
    takes: ["array"],
    columns: ([value]) => [
      { name: "pos", type: types.int },
      { name: "val", type: value.type.kind === "array" ? value.type.element : types.void },
    ],
    emit: ([value]) =>
      sql`SELECT CAST(generate_subscripts(hive_a, 1) - 1 AS INTEGER) AS c0, unnest(hive_a) AS c1 FROM (SELECT ${value} AS hive_a)`,
  }),
  table("inline", {
    signature: "inline(array<struct<…>>)",
    takes: ["array"],
    columns: ([value], call) => [...structFields(value, call)],
    emit: ([value], call) => {
      const fields = structFields(value, call).map(
        ({ name }, index) => sql`struct_extract(hive_s, ${quoteString(name)}) AS c${index}`,
      );
      return sql`SELECT ${join(fields)} FROM (SELECT unnest(${value}) AS hive_s)`;
    },
  }),
  table("stack", {
    signature: "stack(int n, v1, v2, …)",
    takes: ["constant int", "any"],
    variadic: true,
    columns: (values, call) => {
      const width = stackWidth(values, call);
      return Array.from({ length: width }, (_unused, column) => ({
        name: `col${column}`,
        type: stackedType(values, column, width, call),
      }));
    },
    emit: (values, call) => {
      const width = stackWidth(values, call);
      const rows = Array.from({ length: Number(values[0].constant) }, (_unused, row) => {
        const cells = Array.from({ length: width }, (_cell, column) => {
          const type = stackedType(values, column, width, call);
          const value = values[1 + row * width + column];
          return value ? call.convert(value, type) : sql`CAST(NULL AS ${duckType(type)})`;
        });
        return numberedStruct(cells, "c");
      });
      const fields = Array.from({ length: width }, (_unused, column) => sql`hive_s.c${column} AS c${column}`);
      return sql`SELECT ${join(fields)} FROM (SELECT unnest([${join(rows)}]) AS hive_s)`;
    },
  }),
  table("json_tuple", {
    signature: "json_tuple(string json, string key1, …)",
    doc: "takes members of the outermost object; members that are no text are printed as JSON; keys are literals",
    takes: ["any", "any"],
    variadic: true,
    columns: partsOf,
    emit: ([json, ...keys]) =>
      sql`SELECT ${join(keys.map((key, index) => sql`hive_json_member(${json}, ${key}) AS c${index}`))}`,
  }),
  table("parse_url_tuple", {
    signature: "parse_url_tuple(string url, string part1, …)",
    doc: "takes the parts of parse_url, and `QUERY:key`; parts are literals",
    takes: ["any", "any"],
    variadic: true,
    columns: partsOf,
    emit: ([url, ...parts]) => sql`SELECT ${join(parts.map((part, index) => sql`${urlPart(url, part)} AS c${index}`))}`,
  }),
];

function structFields(value: SqlExpression, call: CallSite) {
  if (value.type.kind === "array" && value.type.element.kind === "struct") return value.type.element.fields;
  throw call.invalid("takes an array of structs");
}

/** A column for each part; Hive reads the parts' names from the first row, and takes strings alone. */
function partsOf(values: Values, call: CallSite) {
  for (const [index, { type }] of values.entries())
    if (type.kind !== "string")
      throw call.invalid(`takes a string as argument ${index + 1} and not ${typeName(type)}: cast it to string`);
  return values.slice(1).map((value, index) => {
    if (value.constant === undefined)
      throw call.refused(`takes argument ${index + 2} from the first row alone: it must be a literal here`);
    return { name: `c${index}`, type: types.string };
  });
}

/** The one type of all values of a stack's column: Hive converts none of them. */
function stackedType(values: Values, column: number, width: number, call: CallSite): HiveType {
  let type: HiveType = types.void;
  for (const value of values.slice(1).filter((_value, index) => index % width === column)) {
    if (isVoid(value.type) || sameType(value.type, type)) continue;
    if (!isVoid(type))
      throw call.invalid(`has ${typeName(type)} and ${typeName(value.type)} in column ${column + 1}: cast one of them`);
    type = value.type;
  }
  return type;
}

/** Rows of a stack that are written out in SQL. */
const mostStacked = 1000;

function stackWidth(values: readonly SqlExpression[], call: CallSite): number {
  const rows = Number(values[0]?.constant);
  if (values[0]?.type.kind !== "int") throw call.invalid("takes an int as its number of rows");
  if (!(rows >= 1) || values.length < 2) throw call.invalid("takes a positive number of rows and values for them");
  if (rows > mostStacked) throw call.refused(`makes more than ${mostStacked} rows`);
  return Math.ceil((values.length - 1) / rows);
}

function urlPart(url: SqlExpression, part: SqlExpression) {
  return sql`CASE WHEN starts_with(${part}, 'QUERY:') THEN hive_url_query(${url}, 'QUERY', substr(${part}, 7)) ELSE hive_url_part(${url}, ${part}) END`;
}
