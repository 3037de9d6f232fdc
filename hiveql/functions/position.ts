/** Lookup and bucket functions: index, field, width_bucket and tumbling_window. */
import { asDecimal, comparisonType } from "../tree/coercion";
import { isColumn } from "../tree/facts";
import { macro, raw, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import {
  duckType,
  type HiveType,
  isApproximate,
  isDateOrTime,
  isInteger,
  isNumber,
  isVoid,
  sameType,
  typeName,
  types,
} from "../tree/types";
import { type CallSite, scalar } from "./define";

export const positionFunctions = [
  scalar("index", {
    signature: "index(array<T>, int n), index(map<K,V>, K key)",
    doc: "the same as `array[n]` and `map[key]`; positions start at 0; returns NULL if there is no such element",
    takes: ["any", "any"],
    returns: ([base], call) => {
      if (base.type.kind === "array") return base.type.element;
      if (base.type.kind === "map") return base.type.value;
      throw call.invalid(`expects an array or a map, got ${typeName(base.type)}`);
    },
    emit: ([base, key], call) => {
      if (base.type.kind === "array") {
        if (!isInteger(key.type)) throw call.refused(`has an array index of type ${typeName(key.type)}`);
        return sql`${base}[CASE WHEN ${key} >= 0 THEN CAST(${key} AS BIGINT) + 1 END]`;
      }
      if (base.type.kind !== "map" || !sameType(base.type.key, key.type) || isColumn(key))
        throw call.refused("has a map key that is a column or has another type than the keys of the map");
      return sql`${base}[${key}]`;
    },
  }),
  scalar("field", {
    signature: "field(T value, T v1, T v2, …)",
    doc: "returns the position of the first equal value of the same type, and 0 if there is none; NULL equals nothing",
    takes: ["primitive", "primitive"],
    variadic: true,
    returns: types.int,
    emit: ([value, ...others], call) => {
      if (value.type.kind === "char") throw call.refused("has a char argument: cast it to string");
      const branches = others
        .map((other, index) => ({ other, place: index + 1 }))
        .filter(({ other }) => other.type.kind === value.type.kind && !isVoid(value.type))
        .map(({ other, place }) => sql` WHEN ${value} = ${other} THEN ${place}`);
      if (branches.length === 0) return raw("CAST(0 AS INTEGER)");
      return sql`CAST(CASE${branches.reduce((left, right) => sql`${left}${right}`)} ELSE 0 END AS INTEGER)`;
    },
  }),
  scalar("width_bucket", {
    signature: "width_bucket(number value, number from, number to, int buckets)",
    doc: "returns 0 before the range and `buckets` + 1 after it; integers wrap on overflow",
    takes: ["primitive", "primitive", "primitive", "primitive"],
    returns: types.int,
    emit: ([value, from, to, count], call) => {
      for (const each of [value, from, to, count])
        if (!isNumber(each.type) && !isVoid(each.type))
          throw call.invalid(`expects numbers, got ${typeName(each.type)}`);
      if ([value, from, to, count].some((each) => isVoid(each.type))) return raw("CAST(NULL AS INTEGER)");
      if (!isInteger(count.type)) throw call.refused(`has a number of buckets of type ${typeName(count.type)}`);
      const type = comparisonType(value.type, comparisonType(from.type, to.type) ?? value.type) ?? value.type;
      const [x, low, high] = [value, from, to].map((each) => call.convert(each, type)) as [Typed, Typed, Typed];
      const buckets = macro("hive_wrap_int", sql`CAST(${count} AS BIGINT)`);
      return bucketOf(type, x, low, high, buckets, call);
    },
  }),
  scalar("tumbling_window", {
    signature: "tumbling_window(timestamp, interval[, timestamp origin])",
    doc: "returns the start of the window that contains the timestamp, in whole milliseconds; the interval must be whole seconds",
    takes: ["primitive", "primitive", "primitive"],
    optional: 1,
    returns: types.timestamp,
    emit: (values, call) => {
      const [time, length, origin] = values;
      for (const each of values.length > 2 ? [time, origin] : [time])
        if (!isDateOrTime(each.type)) throw call.invalid(`expects timestamps, got ${typeName(each.type)}`);
      if (length.type.kind !== "interval_day_time")
        throw call.invalid(`expects an interval day to second, got ${typeName(length.type)}`);
      const start = values.length > 2 ? call.convert(origin, types.timestamp) : raw("TIMESTAMP '1970-01-01'");
      return macro("hive_tumbling_window", call.convert(time, types.timestamp), length, start);
    },
  }),
];

/** Computes the bucket in the type of the numbers: integers wrap, floating point rounds, decimals are exact. */
function bucketOf(type: HiveType, x: Typed, low: Typed, high: Typed, count: Part, call: CallSite): Part {
  if (isApproximate(type))
    return macro("hive_width_bucket_real", x, low, high, count, sql`CAST(${count} AS ${duckType(type)})`);
  const digits = asDecimal(type);
  if (type.kind === "decimal") {
    if (!digits || digits.precision > 28) throw call.refused(`has arguments of type ${typeName(type)}`);
    const [a, b, c] = [x, low, high].map((each) => sql`CAST(replace(CAST(${each} AS VARCHAR), '.', '') AS HUGEINT)`);
    return macro("hive_width_bucket_exact", a ?? x, b ?? low, c ?? high, sql`CAST(${count} AS HUGEINT)`);
  }
  const wide = (each: Typed) => sql`CAST(${each} AS HUGEINT)`;
  const name = type.kind === "bigint" ? "hive_width_bucket_bigint" : "hive_width_bucket_int";
  return macro(name, wide(x), wide(low), wide(high), sql`CAST(${count} AS HUGEINT)`);
}
