/** Arrays, maps and structs. */
import { shortType } from "../rules/folded-decimals";
import { refuseBare } from "../quirks/bare-chars";
import { type Fragment, isColumn, join, macro, raw, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import {
  arrayOf,
  duckType,
  type HiveType,
  isApproximate,
  isNested,
  isText,
  isVoid,
  mapOf,
  quoteName,
  quoteString,
  sameType,
  structOf,
  typeName,
  types,
} from "../bind/types";
import { isFoldedChar } from "../emit/patterns";
import { textOf } from "../emit/printed-text";
import { isNegativeZero } from "../quirks/zeros";
import { type CallSite, scalar, type ScalarFunction, type Values } from "./define";

type ArrayType = Extract<HiveType, { kind: "array" }>;
type MapType = Extract<HiveType, { kind: "map" }>;

const elementOf = ({ type }: SqlExpression) => (type as ArrayType).element;

/** The type of all values; NULLs alone are strings here. */
const common = (values: readonly SqlExpression[], call: CallSite): HiveType => {
  refuseBare(values, call.position, `function ${call.name}`);
  const type = call.common(values.map((value) => ({ ...value, type: shortType(value) })));
  return isVoid(type) ? types.string : type;
};

/** A folded decimal with its own digits. */
const shortened = (value: SqlExpression, call: CallSite) => {
  refuseBare([value], call.position, `function ${call.name}`);
  return call.convert(value, shortType(value));
};

const everyOther = (values: readonly SqlExpression[], first: 0 | 1) => values.filter((_value, index) => index % 2 === first);

const empty = (type: HiveType) => sql`CAST([] AS ${duckType(type)})`;

/** Refuses elements that Hive compares by what holds them and not by value. */
const plainElements = (array: SqlExpression, call: CallSite) => {
  const element = elementOf(array);
  if (isNested(element)) throw call.refused(`of ${typeName(array.type)} is not supported by the embedded engine`);
};

/** Refuses columns: Hive reads those of text files lazily, and what is unread equals nothing that is computed. */
const computed = (values: readonly SqlExpression[], call: CallSite) => {
  for (const value of values) {
    if (isColumn(value) || (/^(CASE|coalesce\(map_)/.test(value.sql) && readsColumns(value))) {
      throw call.refused(
        "of a column is not supported by the embedded engine: Hive's answer depends on how the table is stored",
      );
    }
  }
};

const sameElements = (array: SqlExpression, type: HiveType, call: CallSite) => {
  const element = elementOf(array);
  if (!sameType(element, type))
    throw call.invalid(`of ${typeName(array.type)} takes ${typeName(element)} as argument 2 and not ${typeName(type)}`);
};

/** A key, or a failure where it is NULL, or equals others in Hive by its bits or not at all. */
const keyOf = (key: SqlExpression): Fragment => {
  if (key.constant !== undefined) return key;
  const known = sql`coalesce(${key}, error('HiveQL: a map with the key NULL'))`;
  if (!isApproximate(key.type)) return known;
  const isZero = key.type.kind === "float" ? sql` WHEN ${isNegativeZero(key)} THEN ${odd("-0.0")}` : sql``;
  return sql`CASE WHEN isnan(${key}) THEN ${odd("NaN")}${isZero} ELSE ${known} END`;
};

const odd = (what: string) => `error('HiveQL: a map with the key ${what}, of which Hive finds none')`;

/** Each value once, by what Hive takes for equal. */
const distinctOf = (list: Fragment, type: HiveType): Fragment => {
  const { kind } = (type as ArrayType).element;
  return macro(kind === "double" || kind === "float" ? `hive_${kind}_distinct` : "hive_list_distinct", list);
};

/** Whether an element is NaN, which equals nothing; no condition where none is. */
const orNaN = (element: string, type: HiveType) => (isApproximate(type) ? ` OR isnan(${element})` : "");

const mapFunctions = [
  scalar("map", {
    signature: "map(K key, V value, …)",
    doc: "keeps the order of keys; of equal keys the last value counts; a NULL key fails",
    takes: ["any"],
    optional: 1,
    variadic: true,
    returns: (values, call) => {
      if (values.length % 2 === 1) throw call.invalid("takes keys and values in pairs");
      const keys = everyOther(values, 0);
      const nested = keys.find((key) => isNested(key.type));
      if (nested) throw call.invalid(`takes no ${typeName(nested.type)} as key`);
      return mapOf(common(keys, call), common(everyOther(values, 1), call));
    },
    emit: (values, call, type) => {
      const { key, value } = type as MapType;
      if (values.length === 0) return sql`CAST(MAP {} AS ${duckType(type)})`;
      const keys = everyOther(values, 0);
      if (keys.some((part) => part.constant === null))
        throw call.refused("with a NULL key is not supported by the embedded engine");
      const known = keys.every((part) => part.constant !== undefined && sameType(part.type, key));
      const names = keys.map((part) => keyOf(call.convert(part, key)));
      const items = everyOther(values, 1).map((part) => call.convert(part, value));
      if (known && new Set(keys.map((part) => part.constant)).size === keys.length) {
        return sql`CAST(map([${join(names)}], [${join(items)}]) AS ${duckType(type)})`;
      }
      const entries = names.map((name, index) =>
        packed([
          ["k", typed(name, key)],
          ["v", items[index] as SqlExpression],
        ]),
      );
      return sql`CAST(${macro("hive_map_of", sql`[${join(entries)}]`)} AS ${duckType(type)})`;
    },
  }),
  scalar("str_to_map", {
    signature: "str_to_map(string text[, string delimiter1[, string delimiter2]])",
    doc: "splits at ',' and ':' where no delimiters are given; delimiters are literals, and regular expressions among them are refused",
    takes: ["primitive", "constant", "constant"],
    optional: 2,
    returns: mapOf(types.string, types.string),
    emit: (values, call) => {
      const [text, first, second] = values;
      if (!isText(text.type) && !isVoid(text.type)) throw call.invalid(`takes a string and not ${typeName(text.type)}`);
      if (isFoldedChar(text)) throw call.refused("of a char that is a literal is not supported by the embedded engine");
      if (text.constant === null) throw call.invalid("takes no NULL literal");
      const between = values.length > 1 ? delimiter(first, call) : ",";
      const inside = values.length > 2 ? delimiter(second, call) : ":";
      return macro("hive_text_map", call.convert(text, types.string), quoteString(between), quoteString(inside));
    },
  }),
  scalar("map_keys", {
    signature: "map_keys(map<K,V>)",
    doc: "is empty for NULL",
    takes: ["map"],
    returns: ([map]) => arrayOf((map.type as MapType).key),
    emit: ([map], _call, type) => sql`coalesce(map_keys(${map}), ${empty(type)})`,
  }),
  scalar("map_values", {
    signature: "map_values(map<K,V>)",
    doc: "is empty for NULL",
    takes: ["map"],
    returns: ([map]) => arrayOf((map.type as MapType).value),
    emit: ([map], _call, type) => sql`coalesce(map_values(${map}), ${empty(type)})`,
  }),
];

const structFunctions = [
  scalar("struct", {
    signature: "struct(any value, …)",
    doc: "names its fields col1, col2, …",
    takes: ["any"],
    variadic: true,
    returns: (values) => structOf(values.map((value, index) => ({ name: `col${index + 1}`, type: shortType(value) }))),
    emit: (values, call) => packed(values.map((value, index) => [`col${index + 1}`, shortened(value, call)])),
  }),
  scalar("named_struct", {
    signature: "named_struct(string name, any value, …)",
    takes: ["any"],
    variadic: true,
    returns: (values, call) => {
      const names = fieldNames(values, call);
      return structOf(
        everyOther(values, 1).map((value, index) => ({ name: names[index] ?? "", type: shortType(value) })),
      );
    },
    emit: (values, call) => {
      const names = fieldNames(values, call);
      return packed(everyOther(values, 1).map((value, index) => [names[index] ?? "", shortened(value, call)]));
    },
  }),
];

const setFunctions = (["array_union", "array_intersect", "array_except"] as const).map((name) =>
  scalar(name, {
    signature: `${name}(array<T>, array<T>)`,
    doc: "gives each value once, in the order of the first array; columns of tables are refused",
    takes: ["array", "array"],
    returns: ([first]) => first.type,
    emit: ([first, second], call) => {
      sameElements(first, elementOf(second), call);
      plainElements(first, call);
      computed([first, second], call);
      if (name === "array_union")
        return sql`CASE WHEN ${first} IS NOT NULL AND ${second} IS NOT NULL THEN ${distinctOf(sql`list_concat(${first}, ${second})`, first.type)} END`;
      const has = macro("hive_list_has", second, "hive_y");
      const equals = isApproximate(elementOf(first)) ? sql`(${has} AND NOT coalesce(isnan(hive_y), FALSE))` : has;
      const kept = sql`list_filter(${first}, lambda hive_y: ${name === "array_except" ? "NOT " : ""}${equals})`;
      return sql`CASE WHEN ${second} IS NOT NULL THEN ${distinctOf(kept, first.type)} END`;
    },
  }),
);

export const collectionFunctions: readonly ScalarFunction[] = [
  scalar("size", {
    signature: "size(array or map)",
    doc: "is -1 for NULL",
    takes: ["any"],
    returns: types.int,
    emit: ([value], call) => {
      if (isVoid(value.type)) return raw("CAST(-1 AS INTEGER)");
      if (value.type.kind !== "array" && value.type.kind !== "map")
        throw call.invalid(`takes an array or a map and not ${typeName(value.type)}`);
      return sql`CAST(coalesce(${value.type.kind === "array" ? "len" : "cardinality"}(${value}), -1) AS INTEGER)`;
    },
  }),
  scalar("array", {
    signature: "array(T value, …)",
    takes: ["any"],
    optional: 1,
    variadic: true,
    returns: (values, call) => arrayOf(common(values, call)),
    emit: (values, call, type) => {
      const { element } = type as ArrayType;
      return sql`CAST([${join(values.map((value) => call.convert(value, element)))}] AS ${duckType(type)})`;
    },
  }),
  ...mapFunctions,
  ...structFunctions,
  scalar("array_contains", {
    signature: "array_contains(array<T>, T value)",
    doc: "is false for NULL; the value's type must be that of the elements",
    takes: ["array", "any"],
    returns: types.boolean,
    emit: ([array, value], call) => {
      sameElements(array, value.type, call);
      plainElements(array, call);
      return sql`coalesce(list_contains(${array}, ${value}), FALSE)`;
    },
  }),
  scalar("sort_array", {
    signature: "sort_array(array<T>)",
    doc: "sorts ascending, NULL first",
    takes: ["array"],
    returns: ([array]) => array.type,
    emit: ([array], call) => {
      const element = elementOf(array);
      if (!isNested(element)) return sql`list_sort(${array}, 'ASC', 'NULLS FIRST')`;
      if (element.kind !== "struct" || element.fields.some((field) => isNested(field.type))) {
        throw call.refused(`of ${typeName(array.type)} is not supported by the embedded engine`);
      }
      return sortedBy(
        array,
        element.fields.map((field) => field.name),
        false,
      );
    },
  }),
  scalar("sort_array_by", {
    signature: "sort_array_by(array<struct>, string field, …[, 'ASC' or 'DESC'])",
    doc: "sorts by fields, NULL first and with DESC last; equal ones keep their order",
    takes: ["array", "constant"],
    variadic: true,
    returns: ([array]) => array.type,
    emit: ([array, ...rest], call) => {
      const element = elementOf(array);
      if (element.kind !== "struct") throw call.invalid(`takes an array of structs and not ${typeName(array.type)}`);
      const words = rest.map(({ constant }) => {
        if (typeof constant !== "string") throw call.invalid("takes names of fields that are strings");
        return constant;
      });
      const last = words.length > 1 ? words.at(-1)?.trim().toUpperCase() : undefined;
      const names = last === "ASC" || last === "DESC" ? words.slice(0, -1) : words;
      const fields = names.map((name) => {
        const field = element.fields.find((candidate) => candidate.name === name.toLowerCase());
        if (!field) throw call.invalid(`names the field ${name}, which ${typeName(element)} has not`);
        if (isNested(field.type))
          throw call.refused(`by ${typeName(field.type)} is not supported by the embedded engine`);
        return field.name;
      });
      return sortedBy(array, fields, last === "DESC");
    },
  }),
  ...(["array_min", "array_max"] as const).map((name) =>
    scalar(name, {
      signature: `${name}(array<T>)`,
      takes: ["array"],
      returns: ([array]) => elementOf(array),
      emit: ([array], call) => {
        plainElements(array, call);
        const which = name === "array_min" ? "min" : "max";
        return isApproximate(elementOf(array)) ? macro(`hive_real_${which}`, array) : sql`list_${which}(${array})`;
      },
    }),
  ),
  scalar("array_distinct", {
    signature: "array_distinct(array<T>)",
    doc: "keeps the first of equal values; NULL is a value",
    takes: ["array"],
    returns: ([array]) => array.type,
    emit: ([array], call) => {
      plainElements(array, call);
      return distinctOf(array, array.type);
    },
  }),
  scalar("array_remove", {
    signature: "array_remove(array<T>, T value)",
    doc: "is NULL where the value is; columns of tables are refused",
    takes: ["array", "any"],
    returns: ([array]) => array.type,
    emit: ([array, value], call) => {
      sameElements(array, value.type, call);
      plainElements(array, call);
      computed([array, value], call);
      return sql`CASE WHEN len(${array}) = 0 THEN ${array} WHEN ${value} IS NOT NULL THEN list_filter(${array}, lambda hive_y: hive_y IS DISTINCT FROM ${value}${orNaN("hive_y", elementOf(array))}) END`;
    },
  }),
  scalar("array_slice", {
    signature: "array_slice(array<T>, int start, int length)",
    doc: "counts from 0; is empty where the slice ends beyond the array, and fails for negative numbers",
    takes: ["array", "primitive", "primitive"],
    returns: ([array]) => array.type,
    emit: ([array, start, length], call) => {
      if (start.type.kind !== "int" || length.type.kind !== "int") throw call.invalid("takes int as arguments 2 and 3");
      return macro("hive_list_slice", array, start, length);
    },
  }),
  scalar("array_join", {
    signature: "array_join(array<T>, string delimiter[, string null])",
    doc: "leaves NULL out unless a text for it is given; is NULL for an empty array",
    takes: ["array", "text, number or date", "text, number or date"],
    optional: 1,
    returns: types.string,
    emit: (values, call) => {
      const [array, between, missing] = values;
      plainElements(array, call);
      if (between.constant === null) throw call.invalid("needs a delimiter");
      if (between.constant === undefined) throw call.refused("needs a literal as delimiter in the embedded engine");
      const element = typed(raw("hive_y"), elementOf(array));
      // Hive prints no zeros at a decimal's end here.
      const text =
        element.type.kind === "decimal" ? macro("hive_short_decimal", element) : textOf(element, element.type);
      const shown = values.length > 2 ? sql`coalesce(${text}, ${missing})` : text;
      return macro("hive_list_join", sql`list_transform(${array}, lambda hive_y: ${shown})`, between);
    },
  }),
  ...setFunctions,
];

function packed(fields: readonly (readonly [string, SqlExpression])[]): Fragment {
  return sql`struct_pack(${join(fields.map(([name, value]) => sql`${quoteName(name)} := CAST(${value} AS ${duckType(value.type)})`))})`;
}

function fieldNames(values: Values, call: CallSite): readonly string[] {
  if (values.length % 2 === 1) throw call.invalid("takes names and values in pairs");
  const names = everyOther(values, 0).map(({ constant, type }) => {
    if (typeof constant !== "string" || !isText(type)) throw call.invalid("takes names that are string literals");
    return constant.toLowerCase();
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw call.refused(`with two fields ${twice} is not supported by the embedded engine`);
  return names;
}

/** Sorts structs by fields; those that are equal stay in their order. */
function sortedBy(array: SqlExpression, fields: readonly string[], descending: boolean): Fragment {
  const order = descending ? "'DESC NULLS LAST'" : "'ASC NULLS FIRST'";
  const keys = fields.map((field) => sql`struct_extract(hive_y, ${quoteString(field)}), ${order}`);
  const keyed = sql`list_transform(${array}, lambda hive_y, hive_i: struct_pack(k := create_sort_key(${join(keys)}), i := hive_i, v := hive_y))`;
  return sql`list_transform(list_sort(${keyed}), lambda hive_y: hive_y.v)`;
}

/** A delimiter that Java's regular expressions take as it stands, without the backslashes that make it so. */
function delimiter({ constant, type }: SqlExpression, call: CallSite): string {
  if (typeof constant !== "string" || !isText(type)) throw call.invalid("takes delimiters that are strings");
  const plain = /^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])+$/.test(constant);
  if (!plain)
    throw call.refused(
      `with the delimiter '${constant}', a regular expression, is not supported by the embedded engine`,
    );
  return constant.replaceAll(/\\(.)/gs, "$1");
}
