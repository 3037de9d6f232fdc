/** Functions of arrays, and those of maps and structs with them. */
import { join, macro, raw, sql } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import {
  arrayOf,
  duckType,
  type HiveType,
  isNested,
  isVoid,
  quoteLiteral,
  sameType,
  typeName,
  types,
} from "../tree/types";
import { common, mapFunctions, structFunctions } from "./maps";
import { type CallSite, scalar, type ScalarFunction } from "./define";

type ArrayType = Extract<HiveType, { kind: "array" }>;

const elementOf = ({ type }: Typed) => (type as ArrayType).element;

/** Refuses nested elements, which Hive compares by their Java objects and not by value. */
const refuseNestedElements = (array: Typed, call: CallSite) => {
  const element = elementOf(array);
  if (isNested(element)) throw call.refused(`has an argument of type ${typeName(array.type)}`);
};

const requireElementType = (array: Typed, type: HiveType, call: CallSite) => {
  const element = elementOf(array);
  if (!sameType(element, type))
    throw call.invalid(`expects ${typeName(element)} as argument 2 for ${typeName(array.type)}, got ${typeName(type)}`);
};

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
    doc: "sorts ascending, NULL first; structs by their fields",
    takes: ["array"],
    returns: ([array]) => array.type,
    emit: ([array], call) => {
      const element = elementOf(array);
      if (!isNested(element)) return sql`list_sort(${array}, 'ASC', 'NULLS FIRST')`;
      if (element.kind !== "struct" || element.fields.some((field) => isNested(field.type))) {
        throw call.refused(`has an argument of type ${typeName(array.type)}`);
      }
      const keys = element.fields.map(
        ({ name }) => sql`struct_extract(hive_y, ${quoteLiteral(name)}), 'ASC NULLS FIRST'`,
      );
      const keyed = sql`list_transform(${array}, lambda hive_y, hive_i: struct_pack(k := create_sort_key(${join(keys)}), i := hive_i, v := hive_y))`;
      return sql`list_transform(list_sort(${keyed}), lambda hive_y: hive_y.v)`;
    },
  }),
  ...(["array_min", "array_max"] as const).map((name) =>
    scalar(name, {
      signature: `${name}(array<T>)`,
      takes: ["array"],
      returns: ([array]) => elementOf(array),
      emit: ([array], call) => {
        refuseNestedElements(array, call);
        return sql`list_${name === "array_min" ? "min" : "max"}(${array})`;
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
      return macro("hive_list_distinct", array);
    },
  }),
];
