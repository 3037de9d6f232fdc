/**
 * Hive's aggregates over histograms. While a histogram has a bin for each value it is exact, and the same in whichever
 * order rows come; where there are more values than bins the answer depends on that order, and the query is refused.
 */
import { type Fragment, macro, raw, sql, type SqlExpression } from "../emit/fragment";
import { arrayOf, isApproximate, isInteger, isNumber, structOf, typeName, types } from "../bind/types";
import { aggregate, type AggregateFunction, type AggregateSite, type CallSite } from "./define";

const histogram = arrayOf(
  structOf([
    { name: "x", type: types.double },
    { name: "y", type: types.double },
  ]),
);

const binsByDefault = 10_000;

export const approximatingFunctions: readonly AggregateFunction[] = [
  aggregate("percentile_approx", {
    signature: "percentile_approx(number, double p or array<double> p[, int bins])",
    doc: "interpolates between values, 10000 bins where none are named; a group of more values than bins fails, since Hive's answer then depends on the order of rows",
    takes: ["primitive", "any", "constant"],
    optional: 1,
    returns: (values) => (values[1].type.kind === "array" ? arrayOf(types.double) : types.double),
    emit: (values, call) => {
      const [value, share, bins] = values;
      const sorted = sortedValues(value, values.length > 2 ? binsOf(bins, 1, call) : binsByDefault, call);
      const at = (p: Fragment) => macro("hive_percentile_approx", "hive_l", p);
      const result =
        share.type.kind === "array"
          ? sql`CASE WHEN len(hive_l) > 0 THEN list_transform(${sharesOf(share, call)}, lambda hive_q: ${at(raw("hive_q"))}) END`
          : at(shareOf(share, call));
      return sql`list_transform([${sorted}], lambda hive_l: ${result})[1]`;
    },
  }),
  aggregate("histogram_numeric", {
    signature: "histogram_numeric(number, int bins)",
    doc: "a group of more values than bins fails, since Hive's answer then depends on the order of rows",
    takes: ["primitive", "constant"],
    returns: histogram,
    emit: ([value, bins], call) => {
      if (bins.type.kind !== "int") throw call.invalid(`takes int as argument 2 and not ${typeName(bins.type)}`);
      const sorted = sortedValues(value, binsOf(bins, 2, call), call);
      return sql`list_transform([${sorted}], lambda hive_l: ${macro("hive_histogram", "hive_l")})[1]`;
    },
  }),
];

/** The values of a group as doubles, sorted; the query fails where they do not fit into so many bins. */
function sortedValues(value: SqlExpression, bins: number, call: AggregateSite): Fragment {
  if (value.type.kind === "timestamp") throw call.refused("of timestamps is not supported by the embedded engine");
  if (!isNumber(value.type)) throw call.invalid(`takes numbers and not ${typeName(value.type)}`);
  const double = call.convert(value, types.double);
  const held = isApproximate(value.type) ? macro("hive_histogram_value", double) : double;
  const all = sql`list(${held}) FILTER (WHERE ${value} IS NOT NULL)${call.over}`;
  // A bin is of the zero that came first.
  const values = isApproximate(value.type) ? macro("hive_first_zeros", all) : all;
  return macro("hive_histogram_values", sql`list_sort(${values})`, String(bins));
}

function binsOf(bins: SqlExpression, least: number, call: CallSite): number {
  if (!isInteger(bins.type)) throw call.invalid(`takes a whole number of bins and not ${typeName(bins.type)}`);
  const count = Number(bins.constant ?? 0);
  if (count < least) throw call.invalid(`takes at least ${least} bins`);
  return count;
}

function shareOf(share: SqlExpression, call: CallSite): Fragment {
  if (!isApproximate(share.type) && share.type.kind !== "decimal")
    throw call.invalid(`takes a number with a fraction as argument 2 and not ${typeName(share.type)}`);
  if (typeof share.constant !== "number")
    throw call.refused("takes a number as argument 2 that is a literal in the embedded engine");
  if (share.constant <= 0 || share.constant >= 1) throw call.invalid("takes numbers between 0 and 1 as argument 2");
  return call.convert(share, types.double);
}

/** Shares in an array, which must not depend on the row; the query fails where one is not between 0 and 1. */
function sharesOf(shares: SqlExpression, call: CallSite): Fragment {
  const element = shares.type.kind === "array" ? shares.type.element : types.void;
  if (!isApproximate(element) && element.kind !== "decimal")
    throw call.invalid(`takes numbers with a fraction as argument 2 and not ${typeName(element)}`);
  if (shares.sql.includes('"')) throw call.refused("takes literals as argument 2 in the embedded engine");
  return call.convert(shares, arrayOf(types.double));
}
