/**
 * Hive's percentiles from a histogram. With at least one bin for each distinct value the result is exact and independent of row
 * order. With fewer bins it is Hive's estimate for rows that one task reads in this order.
 */
import { macro, raw, sql } from "../tree/fragment";
import { readsColumns } from "../tree/facts";
import type { Part, Typed } from "../tree/nodes";
import { arrayOf, isApproximate, isInteger, isNumber, typeName, types } from "../tree/types";
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
      const count = String(values.length > 2 ? binsOf(bins, call) : binsByDefault);
      const list = valuesOf(value, call);
      const at = (p: Part) => macro("hive_percentile_approx", "hive_l", p, count);
      const result =
        fraction.type.kind === "array"
          ? sql`CASE WHEN len(hive_l) > 0 THEN list_transform(${fractionsOf(fraction, call)}, lambda hive_q: ${at(raw("hive_q"))}) END`
          : at(fractionOf(fraction, call));
      return sql`list_transform([${list}], lambda hive_l: ${result})[1]`;
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

function binsOf(bins: Typed, call: CallSite): number {
  if (!isInteger(bins.type)) throw call.invalid(`expects an integer number of bins, got ${typeName(bins.type)}`);
  const count = Number(bins.constant ?? 0);
  if (count < 1) throw call.invalid("expects at least 1 bin");
  return count;
}

function fractionOf(fraction: Typed, call: CallSite): Part {
  if (!isApproximate(fraction.type) && fraction.type.kind !== "decimal")
    throw call.invalid(`expects a double or decimal as argument 2, got ${typeName(fraction.type)}`);
  if (typeof fraction.constant !== "number") throw call.refused("has an argument 2 that is not a numeric literal");
  if (fraction.constant <= 0 || fraction.constant >= 1)
    throw call.invalid("expects a number between 0 and 1 as argument 2");
  return call.convert(fraction, types.double);
}

/** Returns an array of fractions, which must be constant; the query fails when one is not between 0 and 1. */
function fractionsOf(fractions: Typed, call: CallSite): Part {
  const element = fractions.type.kind === "array" ? fractions.type.element : types.void;
  if (!isApproximate(element) && element.kind !== "decimal")
    throw call.invalid(
      `expects an array of doubles or decimals as argument 2, got elements of type ${typeName(element)}`,
    );
  if (readsColumns(fractions)) throw call.refused("has an argument 2 that reads columns");
  return call.convert(fractions, arrayOf(types.double));
}
