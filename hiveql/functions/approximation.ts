/** percentile_approx, as Hive computes it with a bin for each distinct value: independent of the order of rows. */
import { macro, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { arrayOf, isApproximate, isInteger, isNumber, typeName, types } from "../tree/types";
import { atFractions } from "./statistical";
import { aggregate, type AggregateFunction, type AggregateSite, type CallSite } from "./define";

export const approximatingFunctions: readonly AggregateFunction[] = [
  aggregate("percentile_approx", {
    signature: "percentile_approx(number, double p or array<double> p[, int bins])",
    doc: "interpolates between values, as Hive does with a bin for each distinct value; `p` is above 0 and below 1; the number of bins changes nothing",
    takes: ["primitive", "any", "constant"],
    optional: 1,
    returns: (values) => (values[1].type.kind === "array" ? arrayOf(types.double) : types.double),
    emit: (values, call) => {
      const [value, fraction, bins] = values;
      if (values.length > 2) checkBins(bins, call);
      const list = valuesOf(value, call);
      const element = fraction.type.kind === "array" ? fraction.type.element : fraction.type;
      if (!isApproximate(element) && element.kind !== "decimal")
        throw call.invalid(`expects doubles or decimals as argument 2, got ${typeName(fraction.type)}`);
      return atFractions(list, fraction, call, (p) => macro("hive_percentile_approx", "hive_l", p), { isOpen: true });
    },
  }),
];

/** Returns the values of a group as doubles, in the order of the rows. */
function valuesOf(value: Typed, call: AggregateSite): Part {
  if (value.type.kind === "timestamp") throw call.refused("has timestamp arguments");
  if (!isNumber(value.type)) throw call.invalid(`expects numbers, got ${typeName(value.type)}`);
  const double = call.convert(value, types.double);
  const held = isApproximate(value.type) ? macro("hive_finite_value", double) : double;
  return sql`list(${held}) FILTER (WHERE ${value} IS NOT NULL)${call.over}`;
}

function checkBins(bins: Typed, call: CallSite): void {
  if (!isInteger(bins.type)) throw call.invalid(`expects an integer number of bins, got ${typeName(bins.type)}`);
  if (Number(bins.constant ?? 0) < 1) throw call.invalid("expects at least 1 bin");
}
