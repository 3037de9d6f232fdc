/** Table-generating functions. */
import { join, numberedStruct, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { duckType, type HiveType, isVoid, quoteLiteral, sameType, typeName, types } from "../tree/types";
import { type ArgumentValues, type CallSite, identity, table } from "./define";

/** Functions of FROM that Hive's own tests use. */
export const identityFunctions = [
  identity("noop noopwithmap noopstreaming noopwithmapstreaming", {
    signature: "noop(ON table)",
    doc: "in FROM; returns the rows of the table",
    takes: [],
  }),
];

/** The functions. A NULL array or map generates no rows. */
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
      throw call.invalid("expects an array or a map");
    },
    emit: ([value]) => (value.type.kind === "map" ? sql`map_entries(${value})` : value),
    cells: (element, [value]) => (value.type.kind === "map" ? [sql`${element}.key`, sql`${element}.value`] : [element]),
  }),
  table("posexplode", {
    signature: "posexplode(array<T>)",
    doc: "positions start at 0",
    takes: ["array"],
    columns: ([value]) => [
      { name: "pos", type: types.int },
      { name: "val", type: value.type.kind === "array" ? value.type.element : types.void },
    ],
    // DuckDB 1.5.5 cannot take apart the rows of `list_zip`, whose fields have no names, after they are unnested.
    emit: ([value]) =>
      sql`list_transform(${value}, lambda hive_e, hive_i: struct_pack(pos := CAST(hive_i - 1 AS INTEGER), val := hive_e))`,
    cells: (element) => [sql`${element}.pos`, sql`${element}.val`],
  }),
  table("inline", {
    signature: "inline(array<struct<…>>)",
    takes: ["array"],
    columns: ([value], call) => [...structFields(value, call)],
    emit: ([value]) => value,
    cells: (element, [value], call) =>
      structFields(value, call).map(({ name }) => sql`struct_extract(${element}, ${quoteLiteral(name)})`),
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
      return sql`[${join(rows)}]`;
    },
    cells: (element, values, call) => fieldsOf(element, stackWidth(values, call)),
  }),
  table("json_tuple", {
    signature: "json_tuple(string json, string key1, …)",
    doc: "reads members of the top-level object; prints members that are not strings as JSON; keys must be literals",
    takes: ["any", "any"],
    variadic: true,
    columns: literalColumns,
    emit: ([json, ...keys]) => oneRow(keys.map((key) => sql`hive_json_member(${json}, ${key})`)),
    cells: (element, [, ...keys]) => fieldsOf(element, keys.length),
  }),
  table("parse_url_tuple", {
    signature: "parse_url_tuple(string url, string part1, …)",
    doc: "supports the parts of `parse_url` and `QUERY:key`; parts must be literals",
    takes: ["any", "any"],
    variadic: true,
    columns: literalColumns,
    emit: ([url, ...parts]) => oneRow(parts.map((part) => urlPart(url, part))),
    cells: (element, [, ...parts]) => fieldsOf(element, parts.length),
  }),
];

/** Returns a list of one row. */
const oneRow = (cells: readonly Part[]) => sql`[${numberedStruct(cells, "c")}]`;

/** Returns the fields of an element that {@link numberedStruct} made. */
const fieldsOf = (element: Part, width: number) =>
  Array.from({ length: width }, (_unused, index) => sql`${element}.c${index}`);

function structFields(value: Typed, call: CallSite) {
  if (value.type.kind === "array" && value.type.element.kind === "struct") return value.type.element.fields;
  throw call.invalid("expects an array of structs");
}

/** Returns one column for each part. Hive reads the parts from the first row and accepts only strings. */
function literalColumns(values: ArgumentValues, call: CallSite) {
  for (const [index, { type }] of values.entries())
    if (type.kind !== "string")
      throw call.invalid(`expects a string as argument ${index + 1}, got ${typeName(type)}: cast it to string`);
  return values.slice(1).map((value, index) => {
    if (value.constant === undefined)
      throw call.refused(
        `has an argument ${index + 2} that is not a literal, which Hive reads from the first row only`,
      );
    return { name: `c${index}`, type: types.string };
  });
}

/** Returns the type of a stack's column. All its values must have the same type: Hive converts none. */
function stackedType(values: ArgumentValues, column: number, width: number, call: CallSite): HiveType {
  let type: HiveType = types.void;
  for (const value of values.slice(1).filter((_value, index) => index % width === column)) {
    if (isVoid(value.type) || sameType(value.type, type)) continue;
    if (!isVoid(type))
      throw call.invalid(`has ${typeName(type)} and ${typeName(value.type)} in column ${column + 1}: cast one of them`);
    type = value.type;
  }
  return type;
}

/** The maximum number of rows of a stack, which are written out in SQL. */
const maxStackRows = 1000;

function stackWidth(values: readonly Typed[], call: CallSite): number {
  const rows = Number(values[0]?.constant);
  if (values[0]?.type.kind !== "int") throw call.invalid("expects an int as number of rows");
  if (!(rows >= 1) || values.length < 2) throw call.invalid("expects a positive number of rows, and values");
  if (rows > maxStackRows) throw call.refused(`generates more than ${maxStackRows} rows`);
  return Math.ceil((values.length - 1) / rows);
}

function urlPart(url: Typed, part: Typed) {
  return sql`CASE WHEN starts_with(${part}, 'QUERY:') THEN hive_url_query(${url}, 'QUERY', substr(${part}, 7)) ELSE hive_url_part(${url}, ${part}) END`;
}
