/** Aggregates of statistics. Text counts as the number that it is, and not at all where it is none. */
import { type Fragment, macro, raw, sql, typed, type SqlExpression } from "../emit/fragment";
import { asShortDecimal } from "../quirks/short-decimals";
import { arrayOf, isApproximate, isInteger, isNumber, isVoid, typeName, types } from "../bind/types";
import { aggregateFunctions, readNumber } from "./aggregate";
import { aggregate, type AggregateFunction, type AggregateSite, type CallSite, type Values } from "./define";

/** A number as double. */
const numberOf = (value: SqlExpression, call: CallSite): Fragment => {
  if (isNumber(value.type)) return call.convert(value, types.double);
  if (value.type.kind === "timestamp") throw call.refused("of timestamps is not supported by the embedded engine");
  throw call.invalid(`takes numbers and not ${typeName(value.type)}`);
};

/**
 * Hive's optimizer computes variances of groups from sums of squares, with what that loses, and with DISTINCT from
 * distinct squares; those of windows, and those that it does not plan, are computed one row after another.
 */
const variance = (
  value: Fragment,
  { distinct, over, isWindow, isOptimized }: AggregateSite,
  sample: boolean,
): Fragment => {
  if (isWindow || !isOptimized) return sql`${sample ? "var_samp" : "var_pop"}(${distinct}${value})${over}`;
  return macro(
    sample ? "hive_sample_variance" : "hive_variance",
    sql`sum(${distinct}${value} * ${value})`,
    sql`sum(${distinct}${value})`,
    sql`count(${distinct}${value})`,
  );
};

const variances = (
  [
    ["variance var_pop", false, false],
    ["var_samp", true, false],
    ["stddev std stddev_pop", false, true],
    ["stddev_samp", true, true],
  ] as const
).map(([names, sample, root]) =>
  aggregate(names, {
    signature: `${names.split(" ")[0] ?? ""}([DISTINCT] number)`,
    doc: `is ${sample ? "of a sample: NULL for one row" : "of the population: 0 for one row"}; rounding is that of Hive's optimizer, which computes from sums of squares`,
    takes: ["primitive"],
    distinct: true,
    returns: types.double,
    emit: ([value], call) => {
      const isPlanned = !call.isWindow && call.isOptimized;
      const short = isPlanned ? asShortDecimal(value, types.double) : value;
      const number = value.type.kind === "string" ? readNumber(value, call) : numberOf(short, call);
      if (call.isWindow && call.distinct !== "")
        throw call.refused("with DISTINCT and OVER is not supported by the embedded engine");
      const result = variance(number, call, sample);
      return root ? sql`hive_pow(${result}, 0.5)` : result;
    },
  }),
);

/** What a pair of numbers adds up to; rows where one of them is NULL do not count. */
interface Pair {
  readonly count: Fragment;
  readonly sxx: Fragment;
  readonly syy: Fragment;
  readonly sxy: Fragment;
  readonly averageX: Fragment;
  readonly averageY: Fragment;
}

/**
 * Declares a function of pairs (y, x).
 * @param isSwapped whether Hive rounds as if they were pairs (x, y).
 */
const ofPairs = (name: string, doc: string, emit: (pair: Pair) => Fragment, isSwapped = false): AggregateFunction =>
  aggregate(name, {
    signature: `${name}(number y, number x)`,
    doc,
    takes: ["primitive", "primitive"],
    returns: types.double,
    emit: ([y, x], call) => {
      const [first, second] = isSwapped ? [x, y] : [y, x];
      const pair = sql`${numberOf(first, call)}, ${numberOf(second, call)}`;
      const of = (part: string) => sql`${part}(${pair})${call.over}`;
      return emit({
        count: of("regr_count"),
        sxx: of("regr_sxx"),
        syy: of("regr_syy"),
        sxy: of("regr_sxy"),
        averageX: of("regr_avgx"),
        averageY: of("regr_avgy"),
      });
    },
  });

const pairs = [
  ofPairs(
    "covar_pop",
    "is 0 for one pair",
    ({ count, sxy }) => sql`CASE WHEN ${count} > 0 THEN ${sxy} / ${count} END`,
    true,
  ),
  ofPairs(
    "covar_samp",
    "is NULL for one pair",
    ({ count, sxy }) => sql`CASE WHEN ${count} > 1 THEN ${sxy} / (${count} - 1) END`,
    true,
  ),
  ofPairs(
    "corr",
    "is NULL where one side does not vary",
    ({ sxx, syy, sxy }) => sql`CASE WHEN ${sxx} <> 0 AND ${syy} <> 0 THEN ${sxy} / sqrt(${sxx}) / sqrt(${syy}) END`,
  ),
  ofPairs("regr_sxx", "", ({ sxx }) => sxx),
  ofPairs("regr_syy", "", ({ syy }) => syy),
  ofPairs("regr_sxy", "", ({ sxy }) => sxy),
  ofPairs(
    "regr_slope",
    "is NULL for one pair and where x does not vary",
    ({ count, sxx, sxy }) => sql`CASE WHEN ${count} > 1 AND ${sxx} <> 0 THEN ${sxy} / ${sxx} END`,
  ),
  ofPairs(
    "regr_intercept",
    "is NULL where x does not vary",
    ({ sxx, sxy, averageX, averageY }) =>
      sql`CASE WHEN ${sxx} <> 0 THEN ${averageY} - ${sxy} / ${sxx} * ${averageX} END`,
  ),
  ofPairs(
    "regr_r2",
    "is NULL where x does not vary, 1 where y does not",
    ({ count, sxx, syy, sxy }) =>
      sql`CASE WHEN ${count} > 1 AND ${sxx} <> 0 THEN CASE WHEN ${syy} = 0 THEN 1 ELSE ${sxy} * ${sxy} / ${sxx} / ${syy} END END`,
  ),
];

const regressionAverages = (["regr_avgx", "regr_avgy"] as const).map((name) => {
  const own = name === "regr_avgx" ? 1 : 0;
  const only = (values: Values): Values => [values[own], ...values] as never;
  return aggregate(name, {
    signature: `${name}(number y, number x)`,
    doc: "is typed as avg is; adds up doubles where that is double",
    takes: ["primitive", "primitive"],
    returns: (values, call) => typeOfAverage(only(values), call),
    emit: (values, call, type) => {
      const doubles = [numberOf(values[0], call), numberOf(values[1], call)];
      const value = type.kind === "decimal" ? values[own] : typed(doubles[own] as Fragment, types.double);
      const counted = typed(sql`CASE WHEN ${values[1 - own] as SqlExpression} IS NOT NULL THEN ${value} END`, value.type);
      // The optimizer leaves it alone, as it does averages over windows.
      return average.emit([counted] as never, { ...call, isWindow: true }, type);
    },
  });
});

const average = aggregateFunctions.find(({ names }) => names.includes("avg")) as AggregateFunction;
const typeOfAverage = (values: Values, call: CallSite) =>
  typeof average.returns === "function" ? average.returns(values, call) : average.returns;

/** Percentiles of whole numbers, and of any numbers: exact, from the sorted values. */
const percentiles = (
  [
    ["percentile", "hive_percentile"],
    ["percentile_cont", "hive_percentile"],
    ["percentile_disc", "hive_percentile_disc"],
  ] as const
).map(([name, computation]) => {
  const anyNumber = name !== "percentile";
  return aggregate(name, {
    signature: `${name}(${anyNumber ? "number" : "bigint"}, double p or array<double> p)${anyNumber ? `, ${name}(p) WITHIN GROUP (ORDER BY number)` : ""}`,
    doc: anyNumber
      ? "gives a double; p is a decimal literal"
      : "interpolates, and gives a double; takes whole numbers only",
    takes: ["any", "any"],
    optional: 1,
    distinct: true,
    ordered: anyNumber,
    returns: (values) =>
      (values.length > 1 ? values[1] : values[0]).type.kind === "array" ? arrayOf(types.double) : types.double,
    emit: (values, call) => {
      const { value, share, isDescending } = ofOrder(values, call);
      if (!isVoid(value.type) && (anyNumber ? !isNumber(value.type) : !isInteger(value.type))) {
        throw call.invalid(`takes ${anyNumber ? "numbers" : "whole numbers"} and not ${typeName(value.type)}`);
      }
      if (anyNumber && call.isWindow) throw call.invalid("cannot have OVER");
      if (call.isWindow && call.distinct !== "")
        throw call.refused("with DISTINCT and OVER is not supported by the embedded engine");
      const held =
        isInteger(value.type) || isVoid(value.type) ? sql`CAST(${value} AS BIGINT)` : call.convert(value, types.double);
      const list = sql`list(${call.distinct}${held}) FILTER (WHERE ${value} IS NOT NULL)${call.over}`;
      const all = isApproximate(value.type) && call.distinct === "" ? macro("hive_first_zeros", list) : list;
      const ascending = sql`list_sort(${all})`;
      const sorted = isDescending ? sql`list_reverse(${ascending})` : ascending;
      const at = (p: Fragment) => macro(computation, "hive_l", p);
      const result =
        share.type.kind === "array"
          ? sql`CASE WHEN len(hive_l) > 0 THEN list_transform(${sharesOf(share, call)}, lambda hive_q: ${at(raw("hive_q"))}) END`
          : at(shareOf(share, anyNumber, call));
      return sql`list_transform([${sorted}], lambda hive_l: ${result})[1]`;
    },
  });
});

/** What is sorted and which share of it is asked for: two arguments, or the share alone before WITHIN GROUP. */
function ofOrder(values: Values, call: AggregateSite) {
  const [key, another] = call.ordered;
  if (!key) {
    if (values.length < 2) throw call.invalid("needs what is to be sorted, as its first argument or in WITHIN GROUP");
    return { value: values[0], share: values[1], isDescending: false };
  }
  if (another || values.length > 1) throw call.invalid("takes one argument, and one key in WITHIN GROUP");
  return { value: key.value, share: values[0], isDescending: key.direction.startsWith("DESC") };
}

export const statisticalFunctions: readonly AggregateFunction[] = [
  ...variances,
  ...pairs,
  aggregate("regr_count", {
    signature: "regr_count(number y, number x)",
    doc: "counts pairs without NULL",
    takes: ["primitive", "primitive"],
    returns: types.bigint,
    emit: ([y, x], call) => {
      numberOf(y, call);
      numberOf(x, call);
      return sql`count(CASE WHEN ${y} IS NOT NULL AND ${x} IS NOT NULL THEN 1 END)${call.over}`;
    },
  }),
  ...regressionAverages,
  ...percentiles,
];

function shareOf(share: SqlExpression, mustBeDecimal: boolean, call: CallSite): Fragment {
  if (mustBeDecimal && share.type.kind !== "decimal")
    throw call.invalid(`takes a decimal such as 0.5 as argument 2 and not ${typeName(share.type)}`);
  const value = share.constant === undefined ? Number.NaN : Number(share.constant);
  if (share.constant === undefined || share.constant === null || Number.isNaN(value)) {
    throw call.refused("takes a number as argument 2 that is a literal in the embedded engine");
  }
  if (value < 0 || value > 1) throw call.invalid("takes numbers from 0 to 1 as argument 2");
  return call.convert(share, types.double);
}

/** Shares in an array, which must not depend on the row. */
function sharesOf(shares: SqlExpression, call: CallSite): Fragment {
  if (shares.sql.includes('"')) throw call.refused("takes literals as argument 2 in the embedded engine");
  return call.convert(shares, arrayOf(types.double));
}
