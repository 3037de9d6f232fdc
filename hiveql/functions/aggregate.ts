/** Basic aggregates: count, sum, avg, min, max, collect_list and collect_set. */
import { asDecimal, limitedDecimal } from "../tree/coercion";
import { join, macro, sql } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import {
  arrayOf,
  decimal,
  duckType,
  isInteger,
  isNested,
  isText,
  maxPrecision,
  hasMap,
  quoteLiteral,
  typeName,
  types,
} from "../tree/types";
import { decimalAverage, decimalSum, longSum } from "../sql/decimal-sums";
import { aggregate, type CallSite, grouping } from "./define";

const sumType = ([value]: readonly Typed[], call: CallSite) => {
  if (!value) throw call.invalid("expects one argument");
  if (isInteger(value.type)) return types.bigint;
  if (value.type.kind === "decimal")
    return decimal(Math.min(value.type.precision + 10, maxPrecision), value.type.scale);
  return types.double;
};

/** Returns the type of avg: for decimals Hive adds four fraction digits. */
const averageType = ([value]: readonly Typed[]) => {
  const exact = value?.type.kind === "decimal" ? value.type : undefined;
  if (!exact) return types.double;
  const whole = exact.precision - exact.scale;
  const scale = Math.min(exact.scale + 4, maxPrecision - whole);
  return limitedDecimal(whole + scale, scale);
};

const first = (values: readonly Typed[], call: CallSite): Typed => {
  const [value] = values;
  if (!value) throw call.invalid("expects an argument");
  return value;
};

export const aggregateFunctions = [
  aggregate("count", {
    acceptsStar: true,
    signature: "count(*), count([DISTINCT] expr), count(DISTINCT expr, expr…)",
    doc: "counts rows in which no argument is NULL",
    takes: ["any"],
    optional: 1,
    variadic: true,
    distinct: true,
    returns: types.bigint,
    emit: (values, { distinct, over, invalid }) => {
      const [value, ...rest] = values;
      if (rest.length > 0 && distinct === "") throw invalid("accepts several arguments only with DISTINCT");
      if (!value) return sql`count(*)${over}`;
      if (rest.length === 0) return sql`count(${distinct}${value})${over}`;
      const known = values.map((part) => sql`${part} IS NOT NULL`).reduce((left, right) => sql`${left} AND ${right}`);
      return sql`count(${distinct}CASE WHEN ${known} THEN row(${join(values)}) END)${over}`;
    },
  }),
  aggregate("sum", {
    signature: "sum([DISTINCT] number)",
    doc: "returns bigint for integers and wraps on overflow; sums strings as double, with 0 for strings that are no numbers",
    takes: ["primitive"],
    distinct: true,
    returns: sumType,
    emit: (values, call, type) => {
      const value = first(values, call);
      if (type.kind === "bigint") return macro("hive_wrap_bigint", sql`sum(${call.distinct}${value})${call.over}`);
      if (type.kind === "double") {
        const sum = sql`sum(${call.distinct}${numeric(value, call)})${call.over}`;
        return isText(value.type)
          ? sql`coalesce(${sum}, CASE WHEN count(${value})${call.over} > 0 THEN CAST(0 AS DOUBLE) END)`
          : sum;
      }
      return decimalSum(value, call, type);
    },
  }),
  aggregate("avg", {
    signature: "avg([DISTINCT] number)",
    doc: "returns double; for decimals a decimal with four more fraction digits",
    takes: ["primitive"],
    distinct: true,
    returns: averageType,
    emit: (values, call, type) => {
      const value = first(values, call);
      if (type.kind !== "decimal") {
        return sql`avg(${call.distinct}CAST(${numeric(value, call)} AS DOUBLE))${call.over}`;
      }
      // The sum of a group is NULL when it does not fit; a window's sum has more digits.
      const sum = call.isWindow ? longSum(value, value.type, call) : decimalSum(value, call, sumType(values, call));
      const count = sql`count(${call.distinct}${value})${call.over}`;
      return sql`${decimalAverage(sum, sumType(values, call), count, type)}::${duckType(type)}`;
    },
  }),
  ...(["min", "max"] as const).map((name) =>
    aggregate(name, {
      signature: `${name}(primitive | struct)`,
      takes: ["any"],
      distinct: true,
      returns: (values) => values[0].type,
      emit: ([value], call) => {
        const { kind } = value.type;
        if (kind === "array" || hasMap(value.type))
          throw call.invalid(`cannot compare values of type ${typeName(value.type)}`);
        // A NULL field is the smallest for max and the largest for min; DuckDB does that for min only.
        if (value.type.kind === "struct" && name === "max") {
          if (value.type.fields.some((field) => isNested(field.type)))
            throw call.refused("has a struct with nested fields as argument");
          const parts = value.type.fields.map((field) => sql`struct_extract(${value}, ${quoteLiteral(field.name)})`);
          const key = sql`row(${join(parts.map((part) => sql`${part} IS NOT NULL, ${part}`))})`;
          return sql`arg_max(${value}, ${key})${call.over}`;
        }
        return sql`${name}(${value})${call.over}`;
      },
    }),
  ),
  aggregate("collect_list", {
    signature: "collect_list(expr), collect_list(DISTINCT expr)",
    doc: "skips NULL; the order of elements is undefined, as in Hive",
    distinct: true,
    takes: ["any"],
    returns: (values, call) => arrayOf(first(values, call).type),
    emit: (values, call) => {
      const all = sql`list_filter(list(${first(values, call)})${call.over}, lambda hive_x: hive_x IS NOT NULL)`;
      return sql`coalesce(${call.distinct === "" ? all : macro("hive_list_distinct", all)}, [])`;
    },
  }),
  aggregate("collect_set", {
    signature: "collect_set(expr)",
    doc: "skips NULL and duplicates; the order of elements is undefined, as in Hive",
    takes: ["any"],
    returns: (values, call) => arrayOf(first(values, call).type),
    emit: (values, call) => {
      const value = first(values, call);
      const all = sql`list_filter(list(${value})${call.over}, lambda hive_x: hive_x IS NOT NULL)`;
      return sql`coalesce(${macro("hive_list_distinct", all)}, [])`;
    },
  }),
];

/** Returns the number that an aggregate computes with: double for text. */
export function numeric(value: Typed, call: CallSite): Typed {
  if (isText(value.type)) return call.convert(value, types.double);
  if (asDecimal(value.type) ?? (value.type.kind === "float" || value.type.kind === "double")) return value;
  throw call.invalid(`expects numbers, got ${typeName(value.type)}`);
}

/** Functions of the keys of grouping sets. */
export const groupingFunctions = [
  grouping("grouping", {
    signature: "grouping(key, …)",
    doc: "a bit for each key, 1 when it is aggregated away; the last key has the lowest bit; not in ORDER BY, as in Hive",
    takes: ["any"],
    variadic: true,
  }),
];
