/** Functions of maps and structs. */
import { join, macro, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import {
  arrayOf,
  duckType,
  type HiveType,
  isNested,
  isText,
  isVoid,
  mapOf,
  quoteIdentifier,
  quoteLiteral,
  sameType,
  structOf,
  typeName,
  types,
} from "../tree/types";
import { type CallSite, scalar, type ArgumentValues } from "./define";

type MapType = Extract<HiveType, { kind: "map" }>;

/** Returns the common type of the values; string when all are untyped NULLs. */
export const common = (values: readonly Typed[], call: CallSite): HiveType => {
  const type = call.common(values);
  return isVoid(type) ? types.string : type;
};

const everyOther = (values: readonly Typed[], first: 0 | 1) => values.filter((_value, index) => index % 2 === first);

const empty = (type: HiveType) => sql`CAST([] AS ${duckType(type)})`;

/** Returns a map key that fails the query for NULL. */
const keyOf = (key: Typed): Part =>
  key.constant === undefined
    ? sql`coalesce(${key}, error('HiveQL: a map with a NULL key: filter NULL keys out'))`
    : key;

/** Functions of maps. */
export const mapFunctions = [
  scalar("map", {
    signature: "map(K key, V value, …)",
    doc: "keeps the order of keys; the last value wins for equal keys; fails for a NULL key",
    takes: ["any"],
    optional: 1,
    variadic: true,
    returns: (values, call) => {
      if (values.length % 2 === 1) throw call.invalid("expects pairs of keys and values");
      const keys = everyOther(values, 0);
      const nested = keys.find((key) => isNested(key.type));
      if (nested) throw call.invalid(`cannot use ${typeName(nested.type)} as key type`);
      return mapOf(common(keys, call), common(everyOther(values, 1), call));
    },
    emit: (values, call, type) => {
      const { key, value } = type as MapType;
      if (values.length === 0) return sql`CAST(MAP {} AS ${duckType(type)})`;
      const keys = everyOther(values, 0);
      if (keys.some((part) => part.constant === null)) throw call.refused("has a NULL key");
      const known = keys.every((part) => part.constant !== undefined && sameType(part.type, key));
      const names = keys.map((part) => keyOf(call.convert(part, key)));
      const items = everyOther(values, 1).map((part) => call.convert(part, value));
      if (known && new Set(keys.map((part) => part.constant)).size === keys.length) {
        return sql`CAST(map([${join(names)}], [${join(items)}]) AS ${duckType(type)})`;
      }
      const entries = names.map((name, index) =>
        structPack([
          ["k", name, key],
          ["v", items[index] as Typed, value],
        ]),
      );
      return sql`CAST(${macro("hive_map_of", sql`[${join(entries)}]`)} AS ${duckType(type)})`;
    },
  }),
  scalar("str_to_map", {
    signature: "str_to_map(string text[, string delimiter1[, string delimiter2]])",
    doc: "the default delimiters are ',' and ':'; delimiters must be literals and not regular expressions",
    takes: ["primitive", "constant", "constant"],
    optional: 2,
    returns: mapOf(types.string, types.string),
    emit: (values, call) => {
      const [text, first, second] = values;
      if (!isText(text.type) && !isVoid(text.type)) throw call.invalid(`expects a string, got ${typeName(text.type)}`);
      if (text.constant === null) throw call.invalid("does not accept a NULL literal");
      const between = values.length > 1 ? delimiter(first, call) : ",";
      const inside = values.length > 2 ? delimiter(second, call) : ":";
      const parts = [call.convert(text, types.string), quoteLiteral(between), quoteLiteral(inside)] as const;
      if (!isPlain(between) || !isPlain(inside) || between === inside || inside === ",")
        return macro("hive_text_map", ...parts);
      const other = String.raw`[^${between}${inside}"\\\x00-\x1f]`;
      const pattern = `(?:${other}+${inside}${other}*${between})*${other}+${inside}${other}*`.replaceAll(
        "|",
        String.raw`\|`,
      );
      return macro("hive_plain_text_map", ...parts, quoteLiteral(pattern));
    },
  }),
  scalar("map_keys", {
    signature: "map_keys(map<K,V>)",
    doc: "returns an empty array for NULL",
    takes: ["map"],
    returns: ([map]) => arrayOf((map.type as MapType).key),
    emit: ([map], _call, type) => sql`coalesce(map_keys(${map}), ${empty(type)})`,
  }),
  scalar("map_values", {
    signature: "map_values(map<K,V>)",
    doc: "returns an empty array for NULL",
    takes: ["map"],
    returns: ([map]) => arrayOf((map.type as MapType).value),
    emit: ([map], _call, type) => sql`coalesce(map_values(${map}), ${empty(type)})`,
  }),
];

/** Returns true for a delimiter that means nothing in JSON and can stand in a regular expression. */
const isPlain = (text: string) => /^[,;:=|&/ _#]$/.test(text);

/** Functions that make structs. */
export const structFunctions = [
  scalar("struct", {
    signature: "struct(any value, …)",
    doc: "names the fields col1, col2, …",
    takes: ["any"],
    variadic: true,
    returns: (values) => structOf(values.map((value, index) => ({ name: `col${index + 1}`, type: value.type }))),
    emit: (values) => structPack(values.map((value, index) => [`col${index + 1}`, value, value.type])),
  }),
  scalar("named_struct", {
    signature: "named_struct(string name, any value, …)",
    takes: ["any"],
    variadic: true,
    returns: (values, call) => {
      const names = fieldNames(values, call);
      return structOf(everyOther(values, 1).map((value, index) => ({ name: names[index] ?? "", type: value.type })));
    },
    emit: (values, call) => {
      const names = fieldNames(values, call);
      return structPack(everyOther(values, 1).map((value, index) => [names[index] ?? "", value, value.type]));
    },
  }),
];

function structPack(fields: readonly (readonly [name: string, value: Part, type: HiveType])[]): Part {
  return sql`struct_pack(${join(fields.map(([name, value, type]) => sql`${quoteIdentifier(name)} := CAST(${value} AS ${duckType(type)})`))})`;
}

function fieldNames(values: ArgumentValues, call: CallSite): readonly string[] {
  if (values.length % 2 === 1) throw call.invalid("expects pairs of names and values");
  const names = everyOther(values, 0).map(({ constant, type }) => {
    if (typeof constant !== "string" || !isText(type))
      throw call.invalid("expects field names that are string literals");
    return constant.toLowerCase();
  });
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw call.refused(`has two fields with the name ${duplicate}`);
  return names;
}

/** Returns a delimiter without its escapes; as a Java regular expression it must match only itself. */
function delimiter({ constant, type }: Typed, call: CallSite): string {
  if (typeof constant !== "string" || !isText(type)) throw call.invalid("expects delimiters that are string literals");
  const plain = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/.test(constant);
  if (!plain) throw call.refused(`has the regular expression '${constant}' as delimiter`);
  return constant.replaceAll(/\\(.)/gs, "$1");
}
