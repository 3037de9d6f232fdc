/**
 * Hive's histograms, and percentiles from them. With at least one bin for each distinct value the result is exact and independent of row
 * order. With fewer bins it is Hive's estimate for rows that one task reads in this order.
 */
import { macro, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { arrayOf, isApproximate, isInteger, isNumber, typeName, types } from "../tree/types";
import { atFractions } from "./statistical";
import { aggregate, type AggregateFunction, type AggregateSite, type CallSite } from "./define";

const binsByDefault = 10_000;

export const approximatingFunctions: readonly AggregateFunction[] = [
  aggregate("percentile_approx", {
    signature: "percentile_approx(number, double p or array<double> p[, int bins])",
    doc: "interpolates between values; uses 10000 bins by default; with more distinct values than bins it estimates as Hive does when one task reads all rows",
    takes: ["primitive", "any", "constant"],
    optional: 1,
    returns: (values) => (values[1].type.kind === "array" ? arrayOf(types.double) : types.double),
    emit: (values, call) => {
      const [value, fraction, bins] = values;
      const count = String(values.length > 2 ? binsOf(bins, 1, call) : binsByDefault);
      const list = valuesOf(value, call);
      const element = fraction.type.kind === "array" ? fraction.type.element : fraction.type;
      if (!isApproximate(element) && element.kind !== "decimal")
        throw call.invalid(`expects doubles or decimals as argument 2, got ${typeName(fraction.type)}`);
      return atFractions(list, fraction, call, (p) => macro("hive_percentile_approx", "hive_l", p, count), {
        isOpen: true,
      });
    },
  }),
];

/** Returns the values of a group as doubles, in the order of the rows. */
function valuesOf(value: Typed, call: AggregateSite): Part {
  if (value.type.kind === "timestamp") throw call.refused("has timestamp arguments");
  if (!isNumber(value.type)) throw call.invalid(`expects numbers, got ${typeName(value.type)}`);
  const double = call.convert(value, types.double);
  const held = isApproximate(value.type) ? macro("hive_histogram_value", double) : double;
  return sql`list(${held}) FILTER (WHERE ${value} IS NOT NULL)${call.over}`;
}

function binsOf(bins: Typed, least: number, call: CallSite): number {
  if (!isInteger(bins.type)) throw call.invalid(`expects an integer number of bins, got ${typeName(bins.type)}`);
  const count = Number(bins.constant ?? 0);
  if (count < least) throw call.invalid(`expects at least ${least} bins`);
  return count;
}
