/** Statistical aggregates. Text is read as a number; text that is no number is skipped. */
import { join, macro, raw, sql } from "../sql/fragment";
import { readsColumns } from "../tree/facts";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { arrayOf, isApproximate, isInteger, isNumber, isText, isVoid, typeName, types } from "../tree/types";
import { numeric } from "./aggregate";
import { aggregate, type AggregateFunction, type AggregateSite, type CallSite, type ArgumentValues } from "./define";

/** Converts a number to double. */
const numberOf = (value: Typed, call: CallSite): Part => {
  if (isNumber(value.type)) return call.convert(value, types.double);
  if (value.type.kind === "timestamp") throw call.refused("has timestamp arguments");
  throw call.invalid(`expects numbers, got ${typeName(value.type)}`);
};

/** Returns an aggregate of doubles; NaN when one of them is NaN or infinite, for which DuckDB fails. */
function finite(name: string, values: readonly [Typed, Part][], call: AggregateSite): Part {
  const numbers = values.map(([, number]) => number);
  const plain = sql`${name}(${call.distinct}${join(numbers)})`;
  if (!values.some(([{ type }]) => isApproximate(type) || isText(type))) return sql`${plain}${call.over}`;
  // 0 times a number is NULL for NULL, and NaN for what is not finite.
  const isFinite = sql`isfinite(${join(
    numbers.map((number) => sql`${number} * 0`),
    " + ",
  )})`;
  const all = sql`bool_and(${isFinite})${call.over}`;
  return sql`CASE WHEN ${all} IS FALSE THEN CAST('NaN' AS DOUBLE) ELSE ${plain} FILTER (WHERE ${isFinite})${call.over} END`;
}

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
    doc: `${sample ? "sample statistic: returns NULL for one row" : "population statistic: returns 0 for one row"}`,
    takes: ["primitive"],
    distinct: true,
    returns: types.double,
    emit: ([value], call) => {
      const number = value.type.kind === "string" ? numeric(value, call) : numberOf(value, call);
      if (call.isWindow && call.distinct !== "") throw call.refused("has DISTINCT and OVER");
      const result = finite(sample ? "var_samp" : "var_pop", [[value, number]], call);
      return root ? sql`sqrt(${result})` : result;
    },
  }),
);

/** DuckDB's sums over pairs of numbers; pairs with a NULL are skipped. */
interface Pair {
  readonly count: Part;
  readonly sxx: Part;
  readonly syy: Part;
  readonly sxy: Part;
}

/**
 * Declares an aggregate of pairs (y, x).
 * @param isSwapped true when Hive rounds as for pairs (x, y).
 */
const pairAggregate = (name: string, doc: string, emit: (pair: Pair) => Part, isSwapped = false): AggregateFunction =>
  aggregate(name, {
    signature: `${name}(number y, number x)`,
    doc,
    takes: ["primitive", "primitive"],
    returns: types.double,
    emit: ([y, x], call) => {
      const [first, second] = isSwapped ? [x, y] : [y, x];
      const pair = [first, second].map((value): [Typed, Part] => [value, numberOf(value, call)]);
      const of = (part: string) => finite(part, pair, call);
      return emit({
        count: of("regr_count"),
        sxx: of("regr_sxx"),
        syy: of("regr_syy"),
        sxy: of("regr_sxy"),
      });
    },
  });

const pairs = [
  pairAggregate(
    "covar_pop",
    "returns 0 for one pair",
    ({ count, sxy }) => sql`CASE WHEN ${count} > 0 THEN ${sxy} / ${count} END`,
    true,
  ),
  pairAggregate(
    "covar_samp",
    "returns NULL for one pair",
    ({ count, sxy }) => sql`CASE WHEN ${count} > 1 THEN ${sxy} / (${count} - 1) END`,
    true,
  ),
  pairAggregate(
    "corr",
    "returns NULL if either argument is constant",
    ({ sxx, syy, sxy }) => sql`CASE WHEN ${sxx} <> 0 AND ${syy} <> 0 THEN ${sxy} / sqrt(${sxx}) / sqrt(${syy}) END`,
  ),
];

/** Exact percentiles, computed from the sorted values. */
const percentiles = (
  [
    ["percentile", "hive_percentile"],
    ["percentile_cont", "hive_percentile"],
    ["percentile_disc", "hive_percentile_disc"],
  ] as const
).map(([name, computation]) => {
  const anyNumber = name !== "percentile";
  const discrete =
    name === "percentile_disc" ? "; between two values the upper one, where the SQL standard takes the lower one" : "";
  return aggregate(name, {
    signature: `${name}(${anyNumber ? "number" : "bigint"}, double p or array<double> p)${anyNumber ? `, ${name}(p) WITHIN GROUP (ORDER BY number)` : ""}`,
    doc: anyNumber
      ? `returns double, or an array of doubles for an array of \`p\`; a single \`p\` must be a decimal literal${discrete}`
      : "interpolates and returns double; accepts integers only",
    takes: ["any", "any"],
    optional: 1,
    distinct: true,
    ordered: anyNumber,
    returns: (values) =>
      (values.length > 1 ? values[1] : values[0]).type.kind === "array" ? arrayOf(types.double) : types.double,
    emit: (values, call) => {
      const { value, fraction, isDescending } = sortedArgument(values, call);
      if (!isVoid(value.type) && (anyNumber ? !isNumber(value.type) : !isInteger(value.type))) {
        throw call.invalid(
          anyNumber || !isNumber(value.type)
            ? `expects ${anyNumber ? "numbers" : "integers"}, got ${typeName(value.type)}`
            : `expects integers, got ${typeName(value.type)}: write percentile_cont(x, p)`,
        );
      }
      if (anyNumber && call.isWindow) throw call.invalid("does not accept OVER");
      if (call.isWindow && call.distinct !== "") throw call.refused("has DISTINCT and OVER");
      const held =
        isInteger(value.type) || isVoid(value.type) ? sql`CAST(${value} AS BIGINT)` : call.convert(value, types.double);
      const list = sql`list(${call.distinct}${held}) FILTER (WHERE ${value} IS NOT NULL)${call.over}`;
      const ascending = sql`list_sort(${list})`;
      const sorted = isDescending ? sql`list_reverse(${ascending})` : ascending;
      if (anyNumber && fraction.type.kind !== "array" && fraction.type.kind !== "decimal")
        throw call.invalid(`expects a decimal such as 0.5 as argument 2, got ${typeName(fraction.type)}`);
      return atFractions(sorted, fraction, call, (p) => macro(computation, "hive_l", p), { isOpen: false });
    },
  });
});

/** Returns the sorted value and the fraction: from two arguments, or from the argument and WITHIN GROUP. */
function sortedArgument(values: ArgumentValues, call: AggregateSite) {
  const [key, another] = call.ordered;
  if (!key) {
    if (values.length < 2) throw call.invalid("needs the value to sort, as first argument or in WITHIN GROUP");
    return { value: values[0], fraction: values[1], isDescending: false };
  }
  if (another || values.length > 1) throw call.invalid("expects one argument and one key in WITHIN GROUP");
  return { value: key.value, fraction: values[0], isDescending: key.isDescending };
}

export const statisticalFunctions: readonly AggregateFunction[] = [...variances, ...pairs, ...percentiles];

/**
 * Returns a percentile of the list `hive_l`, or an array of them for an array of fractions, which must be constant.
 * @param isOpen true when 0 and 1 are no fractions.
 */
export function atFractions(
  list: Part,
  fraction: Typed,
  call: CallSite,
  at: (fraction: Part) => Part,
  { isOpen }: { readonly isOpen: boolean },
): Part {
  const { constant } = fraction;
  if (fraction.type.kind === "array") {
    if (readsColumns(fraction)) throw call.refused("has an argument 2 that reads columns");
    const each = call.convert(fraction, arrayOf(types.double));
    const all = sql`list_transform(${each}, lambda hive_q: ${at(raw("hive_q"))})`;
    return sql`list_transform([${list}], lambda hive_l: CASE WHEN len(hive_l) > 0 THEN ${all} END)[1]`;
  }
  const value = constant === undefined || constant === null ? Number.NaN : Number(constant);
  if (Number.isNaN(value)) throw call.refused("has an argument 2 that is not a numeric literal");
  if (value < 0 || value > 1 || (isOpen && (value === 0 || value === 1)))
    throw call
      .invalid(
        `expects a number ${isOpen ? "above 0 and below 1 (min and max are exact)" : "from 0 to 1"} as argument 2, not ${value}`,
      )
      .blame([]);
  return sql`list_transform([${list}], lambda hive_l: ${at(call.convert(fraction, types.double))})[1]`;
}
