/** Functions of arrays, and those of maps and structs with them. */
import { isColumn, readsColumns } from "../tree/facts";
import { join, macro, raw, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import {
  arrayOf,
  duckType,
  type HiveType,
  isApproximate,
  isNested,
  isVoid,
  quoteLiteral,
  sameType,
  typeName,
  types,
} from "../tree/types";
import { printedText } from "../emit/printed-text";
import { common, mapFunctions, structFunctions } from "./maps";
import { type CallSite, scalar, type ScalarFunction } from "./define";

type ArrayType = Extract<HiveType, { kind: "array" }>;

const elementOf = ({ type }: Typed) => (type as ArrayType).element;

/** Refuses nested elements, which Hive compares by their Java objects and not by value. */
const refuseNestedElements = (array: Typed, call: CallSite) => {
  const element = elementOf(array);
  if (isNested(element)) throw call.refused(`has an argument of type ${typeName(array.type)}`);
};

/** Returns true for a column, and for a part of one that CASE, map_keys or the like returns. */
const isStored = (value: Typed) =>
  isColumn(value) || (readsColumns(value) && (value.node.kind === "case" || isConditionalCall(value)));

const isConditionalCall = ({ node }: Typed) =>
  node.kind === "call" && (node.function.chooses !== undefined || node.function.returnsPart === true);

/** Refuses columns: Hive reads those of text files lazily, and an unread value is not equal to a computed one. */
const refuseColumns = (values: readonly Typed[], call: CallSite) => {
  for (const value of values) {
    if (isStored(value)) {
      throw call.refused("has a column as argument, for which Hive's answer depends on the file format of the table");
    }
  }
};

const requireElementType = (array: Typed, type: HiveType, call: CallSite) => {
  const element = elementOf(array);
  if (!sameType(element, type))
    throw call.invalid(`expects ${typeName(element)} as argument 2 for ${typeName(array.type)}, got ${typeName(type)}`);
};

/** Removes duplicates by Hive's equality. */
const distinctOf = (list: Part, type: HiveType): Part => {
  const { kind } = (type as ArrayType).element;
  return macro(kind === "double" || kind === "float" ? `hive_${kind}_distinct` : "hive_list_distinct", list);
};

/** A further condition for NaN, which is not equal to itself; empty for types without NaN. */
const orNaN = (element: string, type: HiveType) => (isApproximate(type) ? ` OR isnan(${element})` : "");

const setFunctions = (["array_union", "array_intersect", "array_except"] as const).map((name) =>
  scalar(name, {
    signature: `${name}(array<T>, array<T>)`,
    doc: "returns each value once, in the order of the first array; does not support table columns as arguments",
    takes: ["array", "array"],
    returns: ([first]) => first.type,
    emit: ([first, second], call) => {
      requireElementType(first, elementOf(second), call);
      refuseNestedElements(first, call);
      refuseColumns([first, second], call);
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
    doc: "returns -1 for NULL",
    takes: ["any"],
    returns: types.int,
    emit: ([value], call) => {
      if (isVoid(value.type)) return raw("CAST(-1 AS INTEGER)");
      if (value.type.kind !== "array" && value.type.kind !== "map")
        throw call.invalid(`expects an array or a map, got ${typeName(value.type)}`);
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
    doc: "returns false for NULL; the value must have the type of the elements",
    takes: ["array", "any"],
    returns: types.boolean,
    emit: ([array, value], call) => {
      requireElementType(array, value.type, call);
      refuseNestedElements(array, call);
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
        throw call.refused(`has an argument of type ${typeName(array.type)}`);
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
    doc: "sorts by the named fields; NULL is first in ascending and last in descending order; the sort is stable",
    takes: ["array", "constant"],
    variadic: true,
    returns: ([array]) => array.type,
    emit: ([array, ...rest], call) => {
      const element = elementOf(array);
      if (element.kind !== "struct") throw call.invalid(`expects an array of structs, got ${typeName(array.type)}`);
      const words = rest.map(({ constant }) => {
        if (typeof constant !== "string") throw call.invalid("expects field names that are string literals");
        return constant;
      });
      const last = words.length > 1 ? words.at(-1)?.trim().toUpperCase() : undefined;
      const names = last === "ASC" || last === "DESC" ? words.slice(0, -1) : words;
      const fields = names.map((name) => {
        const field = element.fields.find((candidate) => candidate.name === name.toLowerCase());
        if (!field) throw call.invalid(`names the field ${name}, which does not exist in ${typeName(element)}`);
        if (isNested(field.type)) throw call.refused(`sorts by a field of type ${typeName(field.type)}`);
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
        refuseNestedElements(array, call);
        const which = name === "array_min" ? "min" : "max";
        return isApproximate(elementOf(array)) ? macro(`hive_real_${which}`, array) : sql`list_${which}(${array})`;
      },
    }),
  ),
  scalar("array_distinct", {
    signature: "array_distinct(array<T>)",
    doc: "keeps the first of equal values; keeps one NULL",
    takes: ["array"],
    returns: ([array]) => array.type,
    emit: ([array], call) => {
      refuseNestedElements(array, call);
      return distinctOf(array, array.type);
    },
  }),
  scalar("array_remove", {
    signature: "array_remove(array<T>, T value)",
    doc: "returns NULL if the value is NULL; does not support table columns as arguments",
    takes: ["array", "any"],
    returns: ([array]) => array.type,
    emit: ([array, value], call) => {
      requireElementType(array, value.type, call);
      refuseNestedElements(array, call);
      refuseColumns([array, value], call);
      return sql`CASE WHEN len(${array}) = 0 THEN ${array} WHEN ${value} IS NOT NULL THEN list_filter(${array}, lambda hive_y: hive_y IS DISTINCT FROM ${value}${orNaN("hive_y", elementOf(array))}) END`;
    },
  }),
  scalar("array_slice", {
    signature: "array_slice(array<T>, int start, int length)",
    doc: "positions start at 0; returns an empty array if the slice ends beyond the array; fails for negative numbers",
    takes: ["array", "primitive", "primitive"],
    returns: ([array]) => array.type,
    emit: ([array, start, length], call) => {
      if (start.type.kind !== "int" || length.type.kind !== "int")
        throw call.invalid("expects int as arguments 2 and 3");
      return macro("hive_list_slice", array, start, length);
    },
  }),
  scalar("array_join", {
    signature: "array_join(array<T>, string delimiter[, string null])",
    doc: "skips NULL elements unless a replacement is given; returns NULL for an empty array",
    takes: ["array", "text, number or date", "text, number or date"],
    optional: 1,
    returns: types.string,
    emit: (values, call) => {
      const [array, between, missing] = values;
      refuseNestedElements(array, call);
      if (between.constant === null) throw call.invalid("needs a delimiter");
      if (between.constant === undefined) throw call.refused("has a delimiter that is not a literal");
      const element = typed(raw("hive_y"), elementOf(array));
      // Hive prints decimals without trailing zeros here.
      const text =
        element.type.kind === "decimal" ? macro("hive_short_decimal", element) : printedText(element, element.type);
      const shown = values.length > 2 ? sql`coalesce(${text}, ${missing})` : text;
      return macro("hive_list_join", sql`list_transform(${array}, lambda hive_y: ${shown})`, between);
    },
  }),
  ...setFunctions,
];

/** Sorts structs by fields; the sort is stable. */
function sortedBy(array: Typed, fields: readonly string[], descending: boolean): Part {
  const order = descending ? "'DESC NULLS LAST'" : "'ASC NULLS FIRST'";
  const keys = fields.map((field) => sql`struct_extract(hive_y, ${quoteLiteral(field)}), ${order}`);
  const keyed = sql`list_transform(${array}, lambda hive_y, hive_i: struct_pack(k := create_sort_key(${join(keys)}), i := hive_i, v := hive_y))`;
  return sql`list_transform(list_sort(${keyed}), lambda hive_y: hive_y.v)`;
}
