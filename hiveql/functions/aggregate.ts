/** Aggregates: count, sum, avg, min, max, collecting. */
import { asDecimal, limitedDecimal } from "../bind/coercion";
import { type Fragment, join, macro, sql, type SqlExpression } from "../emit/fragment";
import {
  arrayOf,
  decimal,
  duckType,
  type HiveType,
  isApproximate,
  isInteger,
  isNested,
  isText,
  maxPrecision,
  hasMap,
  quoteString,
  typeName,
  types,
} from "../bind/types";
import { stageBoundary } from "../rules/stage-boundary";
import { castOf } from "../rules/text-casts";
import { ofDistinct, ofFewNaNs } from "../quirks/zeros";
import { aggregate, type AggregateSite, type CallSite } from "./define";

const sumType = ([value]: readonly SqlExpression[], call: CallSite) => {
  if (!value) throw call.invalid("takes one argument");
  if (isInteger(value.type)) return types.bigint;
  if (value.type.kind === "decimal")
    return decimal(Math.min(value.type.precision + 10, maxPrecision), value.type.scale);
  return types.double;
};

/** A sum of decimals, and NULL where it does not fit: DuckDB's go on to 1.7e38, and only their text shows the digits. */
const fitting = (sum: Fragment, type: HiveType): Fragment => {
  const isLong = type.kind === "decimal" && type.precision === maxPrecision;
  return sql`TRY_CAST(${isLong ? sql`CAST(${sum} AS VARCHAR)` : sum} AS ${duckType(type)})`;
};

/** Hive keeps four more digits for the mean of decimals. */
const averageType = ([value]: readonly SqlExpression[]) => {
  const exact = value?.type.kind === "decimal" ? value.type : undefined;
  if (!exact) return types.double;
  const whole = exact.precision - exact.scale;
  const scale = Math.min(exact.scale + 4, maxPrecision - whole);
  return limitedDecimal(whole + scale, scale);
};

const first = (values: readonly SqlExpression[], call: CallSite): SqlExpression => {
  const [value] = values;
  if (!value) throw call.invalid("takes an argument");
  return value;
};

/** What is collected, as Hive hands it on. */
const element = (values: readonly SqlExpression[], call: CallSite): SqlExpression => {
  const value = first(values, call);
  return { ...value, ...stageBoundary(value, value.type) };
};

export const aggregateFunctions = [
  aggregate("count", {
    signature: "count(*), count([DISTINCT] expr), count(DISTINCT expr, expr…)",
    doc: "counts rows where no argument is NULL",
    takes: ["any"],
    optional: 1,
    variadic: true,
    distinct: true,
    returns: types.bigint,
    emit: (values, { distinct, over, invalid }) => {
      const [value, ...rest] = values;
      if (rest.length > 0 && distinct === "") throw invalid("takes several arguments only behind DISTINCT");
      if (!value) return sql`count(*)${over}`;
      const ofZeros = (count: Fragment) => (distinct === "" ? count : ofDistinct(count, values, over));
      if (rest.length === 0) return ofZeros(sql`count(${distinct}${value})${over}`);
      const known = values.map((part) => sql`${part} IS NOT NULL`).reduce((left, right) => sql`${left} AND ${right}`);
      const row = values.reduce((left, right, index) => (index === 0 ? right : sql`${left}, ${right}`), sql``);
      return ofZeros(ofFewNaNs(sql`count(${distinct}CASE WHEN ${known} THEN row(${row}) END)${over}`, values, over));
    },
  }),
  aggregate("sum", {
    signature: "sum([DISTINCT] number)",
    doc: "is bigint for whole numbers and wraps; strings are summed as double, those that are no number as 0",
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
      return fitting(sql`sum(${call.distinct}${value})${call.over}`, type);
    },
  }),
  aggregate("avg", {
    signature: "avg([DISTINCT] number)",
    doc: "is double, or a decimal of four more digits for decimals; of whole numbers it divides their sum, which wraps",
    takes: ["primitive"],
    distinct: true,
    returns: averageType,
    emit: (values, call, type) => {
      const value = first(values, call);
      // Hive's optimizer divides the sum, which wraps, by the count; over windows, and without it, doubles are added up.
      if (isInteger(value.type) && !call.isWindow && call.isOptimized) {
        const sum = macro("hive_wrap_bigint", sql`sum(${call.distinct}${value})`);
        return sql`(CAST(${sum} AS DOUBLE) / nullif(count(${call.distinct}${value}), 0))`;
      }
      if (type.kind !== "decimal") {
        const average = sql`avg(${call.distinct}${sql`CAST(${readNumber(value, call)} AS DOUBLE)`})${call.over}`;
        return call.distinct === "" ? average : ofDistinct(average, [value], call.over);
      }
      const sum = sql`sum(${call.distinct}${value})${call.over}`;
      // The optimizer's sum is one of SQL, which is NULL where it does not fit; windows hold more digits.
      const held = call.isWindow ? sum : fitting(sum, sumType(values, call));
      const quotient = call.isWindow || !call.isOptimized ? type : quotientType(value.type);
      const scale = quotient.kind === "decimal" ? quotient.scale : type.scale;
      return sql`hive_decimal_divide(CAST(${held} AS VARCHAR), CAST(count(${call.distinct}${value})${call.over} AS VARCHAR), ${scale}::INTEGER)::${duckType(quotient)}::${duckType(type)}`;
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
        if (kind === "array" || hasMap(value.type)) throw call.invalid(`cannot order ${typeName(value.type)}`);
        // NULL is never the answer while a struct has a field: the least for max, the greatest for min, as DuckDB has it.
        if (value.type.kind === "struct" && name === "max") {
          if (value.type.fields.some((field) => isNested(field.type)))
            throw call.refused("of nested structs is not supported by the embedded engine");
          const parts = value.type.fields.map((field) => sql`struct_extract(${value}, ${quoteString(field.name)})`);
          const key = sql`row(${join(parts.map((part) => sql`${part} IS NOT NULL, ${part}`))})`;
          return sql`arg_max(${value}, ${key})${call.over}`;
        }
        return sql`${name}(${value})${call.over}`;
      },
    }),
  ),
  aggregate("collect_list", {
    signature: "collect_list(expr)",
    doc: "leaves NULL out; the order of elements is open, as in Hive",
    takes: ["any"],
    returns: (values, call) => arrayOf(first(values, call).type),
    emit: (values, call) => {
      const value = element(values, call);
      return sql`coalesce(list_filter(list(${value})${call.over}, lambda hive_x: hive_x IS NOT NULL), [])`;
    },
  }),
  aggregate("collect_set", {
    signature: "collect_set(expr)",
    doc: "leaves NULL and repetitions out; elements stand in the order in which they were met",
    takes: ["any"],
    returns: (values, call) => arrayOf(first(values, call).type),
    emit: (values, call) => {
      const value = element(values, call);
      if (isNested(value.type)) throw call.refused("of complex values is not supported by the embedded engine");
      const all = sql`list_filter(list(${value})${call.over}, lambda hive_x: hive_x IS NOT NULL)`;
      // In Hive's set no NaN is another, and floats are told apart by their bits.
      if (value.type.kind === "float") return sql`coalesce(${macro("hive_float_distinct", all)}, [])`;
      const unlike = isApproximate(value.type) ? " OR isnan(hive_p[1])" : "";
      return sql`coalesce(list_transform(list_filter(list_zip(${all}, generate_series(1, len(${all}))), lambda hive_p: list_position(${all}, hive_p[1]) = hive_p[2]${unlike}), lambda hive_p: hive_p[1]), [])`;
    },
  }),
];

/** The type in which Hive's optimizer divides a sum of decimals by their count: it keeps all digits before the point. */
function quotientType(type: HiveType): HiveType {
  const { precision, scale } = asDecimal(type) ?? { precision: maxPrecision, scale: 0 };
  const whole = Math.min(maxPrecision, precision + 10) - scale;
  const fraction = Math.min(scale + 20, maxPrecision - whole);
  return decimal(whole + fraction, fraction);
}

/** What aggregates of numbers compute with: text as double. */
function numeric(value: SqlExpression, call: CallSite): SqlExpression {
  if (isText(value.type)) return call.convert(value, types.double);
  if (asDecimal(value.type) ?? (value.type.kind === "float" || value.type.kind === "double")) return value;
  throw call.invalid(`takes numbers and not ${typeName(value.type)}`);
}

/** A text as the number that Hive's optimizer, which casts it, reads; of what CAST made a text it reads the number. */
export function readNumber(value: SqlExpression, call: AggregateSite): SqlExpression {
  if (!isText(value.type) || call.isWindow || !call.isOptimized) return numeric(value, call);
  const read = castOf(value, types.double);
  if (!read) throw call.refused("of a text that may be cut off is not supported by the embedded engine");
  return read;
}
