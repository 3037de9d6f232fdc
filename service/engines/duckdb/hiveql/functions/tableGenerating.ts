/** Functions that make rows of one. */
import { join, sql, type Typed } from "../fragment";
import { duckType, quoteString, types } from "../types";
import { type CallSite, table } from "./define";

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
        type: call.common(values.slice(1).filter((_value, index) => index % width === column)),
      }));
    },
    emit: (values, call) => {
      const width = stackWidth(values, call);
      const rows = Array.from({ length: Number(values[0].constant) }, (_unused, row) => {
        const cells = Array.from({ length: width }, (_cell, column) => {
          const type = call.common(values.slice(1).filter((_value, index) => index % width === column));
          const value = values[1 + row * width + column];
          return value ? call.convert(value, type) : sql`CAST(NULL AS ${duckType(type)})`;
        });
        return sql`{${join(cells.map((cell, index) => sql`c${index}: ${cell}`))}}`;
      });
      const fields = Array.from({ length: width }, (_unused, column) => sql`hive_s.c${column} AS c${column}`);
      return sql`SELECT ${join(fields)} FROM (SELECT unnest([${join(rows)}]) AS hive_s)`;
    },
  }),
  table("json_tuple", {
    signature: "json_tuple(string json, string key1, …)",
    doc: "takes members of the outermost object; members that are no text are printed as JSON",
    takes: ["text", "text"],
    variadic: true,
    columns: (values) => values.slice(1).map((_value, index) => ({ name: `c${index}`, type: types.string })),
    emit: ([json, ...keys]) =>
      sql`SELECT ${join(keys.map((key, index) => sql`hive_json_member(${json}, ${key}) AS c${index}`))}`,
  }),
  table("parse_url_tuple", {
    signature: "parse_url_tuple(string url, string part1, …)",
    doc: "takes the parts of parse_url, and `QUERY:key`",
    takes: ["text", "text"],
    variadic: true,
    columns: (values) => values.slice(1).map((_value, index) => ({ name: `c${index}`, type: types.string })),
    emit: ([url, ...parts]) => sql`SELECT ${join(parts.map((part, index) => sql`${urlPart(url, part)} AS c${index}`))}`,
  }),
];

function structFields(value: Typed, call: CallSite) {
  if (value.type.kind === "array" && value.type.element.kind === "struct") return value.type.element.fields;
  throw call.invalid("takes an array of structs");
}

/** Rows of a stack that are written out in SQL. */
const mostStacked = 1000;

function stackWidth(values: readonly Typed[], call: CallSite): number {
  const rows = Number(values[0]?.constant);
  if (!(rows >= 1) || values.length < 2) throw call.invalid("takes a positive number of rows and values for them");
  if (rows > mostStacked) throw call.refused(`makes more than ${mostStacked} rows`);
  return Math.ceil((values.length - 1) / rows);
}

function urlPart(url: Typed, part: Typed) {
  return sql`CASE WHEN starts_with(${part}, 'QUERY:') THEN hive_url_query(${url}, 'QUERY', substr(${part}, 7)) ELSE hive_url_part(${url}, ${part}) END`;
}
