/** Functions that find the place of a value: in a list, in a range, in time. */
import { asDecimal, comparisonType } from "../bind/coercion";
import { type Fragment, isColumn, macro, raw, sql, type SqlExpression } from "../emit/fragment";
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
} from "../bind/types";
import { type CallSite, scalar } from "./define";

export const lookupFunctions = [
  scalar("index", {
    signature: "index(array<T>, int n), index(map<K,V>, K key)",
    doc: "counts from 0, as array[n] and map[key] do; what is not there is NULL",
    takes: ["any", "any"],
    returns: ([base], call) => {
      if (base.type.kind === "array") return base.type.element;
      if (base.type.kind === "map") return base.type.value;
      throw call.invalid(`takes an array or a map and not ${typeName(base.type)}`);
    },
    emit: ([base, key], call) => {
      if (base.type.kind === "array") {
        if (!isInteger(key.type))
          throw call.refused(`by ${typeName(key.type)} is not supported by the embedded engine`);
        return sql`${base}[CASE WHEN ${key} >= 0 THEN CAST(${key} AS BIGINT) + 1 END]`;
      }
      if (base.type.kind !== "map" || !sameType(base.type.key, key.type) || isColumn(key))
        throw call.refused("by a column, or by a key of another type, is not supported by the embedded engine");
      return sql`${base}[${key}]`;
    },
  }),
  scalar("field", {
    signature: "field(T value, T v1, T v2, …)",
    doc: "is the first place of an equal value of the same type, and 0 where there is none; NULL equals nothing",
    takes: ["primitive", "primitive"],
    variadic: true,
    returns: types.int,
    emit: ([value, ...others], call) => {
      if (value.type.kind === "char") throw call.refused("of char is not supported by the embedded engine");
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
    doc: "is 0 before the range and one more than the buckets behind it; whole numbers wrap as their type does",
    takes: ["primitive", "primitive", "primitive", "primitive"],
    returns: types.int,
    emit: ([value, from, to, count], call) => {
      for (const each of [value, from, to, count])
        if (!isNumber(each.type) && !isVoid(each.type))
          throw call.invalid(`takes numbers and not ${typeName(each.type)}`);
      if ([value, from, to, count].some((each) => isVoid(each.type))) return raw("CAST(NULL AS INTEGER)");
      if (!isInteger(count.type))
        throw call.refused(`with ${typeName(count.type)} buckets is not supported by the embedded engine`);
      const type = comparisonType(value.type, comparisonType(from.type, to.type) ?? value.type) ?? value.type;
      const [x, low, high] = [value, from, to].map((each) => call.convert(each, type)) as [SqlExpression, SqlExpression, SqlExpression];
      const buckets = macro("hive_wrap_int", sql`CAST(${count} AS BIGINT)`);
      return bucketOf(type, x, low, high, buckets, call);
    },
  }),
  scalar("tumbling_window", {
    signature: "tumbling_window(timestamp, interval[, timestamp origin])",
    doc: "is the beginning of the window that the time is in, in whole milliseconds; windows are whole seconds long",
    takes: ["primitive", "primitive", "primitive"],
    optional: 1,
    returns: types.timestamp,
    emit: (values, call) => {
      const [time, length, origin] = values;
      for (const each of values.length > 2 ? [time, origin] : [time])
        if (!isDateOrTime(each.type)) throw call.invalid(`takes timestamps and not ${typeName(each.type)}`);
      if (length.type.kind !== "interval_day_time")
        throw call.invalid(`takes an interval of days to seconds and not ${typeName(length.type)}`);
      const start = values.length > 2 ? call.convert(origin, types.timestamp) : raw("TIMESTAMP '1970-01-01'");
      return macro("hive_tumbling_window", call.convert(time, types.timestamp), length, start);
    },
  }),
];

/** Hive computes in the numbers' own type: whole numbers wrap, floating point rounds, decimals are exact. */
function bucketOf(type: HiveType, x: SqlExpression, low: SqlExpression, high: SqlExpression, count: Fragment, call: CallSite): Fragment {
  if (isApproximate(type))
    return macro("hive_width_bucket_real", x, low, high, count, sql`CAST(${count} AS ${duckType(type)})`);
  const digits = asDecimal(type);
  if (type.kind === "decimal") {
    if (!digits || digits.precision > 28)
      throw call.refused(`of ${typeName(type)} is not supported by the embedded engine`);
    const [a, b, c] = [x, low, high].map((each) => sql`CAST(replace(CAST(${each} AS VARCHAR), '.', '') AS HUGEINT)`);
    return macro("hive_width_bucket_exact", a ?? x, b ?? low, c ?? high, sql`CAST(${count} AS HUGEINT)`);
  }
  const wide = (each: SqlExpression) => sql`CAST(${each} AS HUGEINT)`;
  const name = type.kind === "bigint" ? "hive_width_bucket_bigint" : "hive_width_bucket_int";
  return macro(name, wide(x), wide(low), wide(high), sql`CAST(${count} AS HUGEINT)`);
}
