/** BETWEEN and equivalent comparisons. */
import { contains, readsColumns } from "../tree/facts";
import { same } from "../tree/same";
import { sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import { withTestedOperands } from "./null-tests";
import { types } from "../tree/types";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "between",
  hive: "4.0.1",
  title: "BETWEEN and equivalent comparisons",
  why: "The optimizer of Hive 4.0.1 rewrites `x >= a AND x <= b` to BETWEEN, and `x < a OR x > b` to NOT BETWEEN. BETWEEN is NULL when the lower comparison is NULL, and NOT BETWEEN is NULL when either comparison is, whatever the other one says.",
  example: "`30 BETWEEN NULL AND 3` with bounds from columns answers NULL in Hive, and false in SQL.",
  rewrites: "The translation emits the same three-valued logic.",
};

const inverse: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };

/** Returns true for `<`, `<=`, `>` and `>=`. */
export const isOrdering = (operator: string) => operator in inverse;

/** Returns NOT of a condition; NOT of a comparison is the inverse comparison. */
export function negated(value: Typed): Typed {
  const { comparison } = value;
  const operator = comparison && inverse[comparison.operator];
  if (!comparison || !operator) return withTestedOperands(typed(sql`(NOT ${value})`, types.boolean), [value], false);
  const { left, right } = comparison;
  const result = typed(sql`(${left} ${operator} ${right})`, types.boolean);
  return { ...withTestedOperands(result, [left, right], false), comparison: { operator, left, right } };
}

/** Returns the operands of AND or OR, in which the two bounds of one range are merged into one operand. */
export function mergeRanges(operator: "and" | "or", operands: readonly Typed[]): readonly Part[] {
  const rest: Typed[] = [...operands];
  const joined: Part[] = [];
  for (const lower of operands.filter(({ comparison }) => comparison)) {
    const upper = rest.includes(lower) ? rest.find((other) => isRangePair(operator, lower, other)) : undefined;
    if (!upper) continue;
    rest.splice(rest.indexOf(lower), 1);
    rest.splice(rest.indexOf(upper), 1);
    joined.push(betweenRange(operator, lower, upper));
  }
  return [...joined, ...rest];
}

/**
 * Combines two comparisons of one value as Hive's BETWEEN does, or NOT BETWEEN for OR.
 * @param lower the comparison with the lower bound.
 */
export function betweenRange(operator: "and" | "or", lower: Typed, upper: Typed): Part {
  const both = sql`(${lower} ${operator.toUpperCase()} ${upper})`;
  if (!lower.comparison || !upper.comparison) return both;
  const [low, value] = ends(lower.comparison, operator);
  const [, high] = ends(upper.comparison, operator);
  const [readsLow, readsValue, readsHigh] = [low, value, high].map((each) => readsColumns(each));
  // Hive folds operands without columns, and then AND and OR treat NULL as in SQL.
  const isComputed = low.constant === null || high.constant === null || (!readsValue && !(readsLow && readsHigh));
  if (isComputed || !(readsLow || (operator === "or" && readsHigh))) return both;
  const known = operator === "or" ? sql`${lower} IS NOT NULL AND ${upper} IS NOT NULL` : sql`${lower} IS NOT NULL`;
  return sql`CASE WHEN ${known} THEN ${both}${[low, value, high].some(isConditional) ? sql` WHEN ${both} IS NOT NULL THEN ${uncertainRange}` : ""} END`;
}

/** Returns true when Hive's optimizer can move the comparison into the branches of a CASE and then finds no range. */
const isConditional = (value: Typed) => contains(value, "case");

const uncertainRange =
  "error('HiveQL: BETWEEN or an equivalent range with a NULL bound and another operand made by CASE, IF or COALESCE: test the bounds for NULL first')";

/** Returns true when two comparisons are the lower and the upper bound of one value. */
function isRangePair(operator: "and" | "or", lower: Typed, upper: Typed): boolean {
  if (lower === upper || !isRangeBound(operator, lower) || !isRangeBound(operator, upper)) return false;
  const [, value] = ends(lower.comparison as Comparison, operator);
  const [other] = ends(upper.comparison as Comparison, operator);
  return same(value, other);
}

type Comparison = NonNullable<Typed["comparison"]>;

const isRangeBound = (operator: "and" | "or", { comparison }: Typed) =>
  (operator === "and" ? ["<=", ">="] : ["<", ">"]).includes(comparison?.operator ?? "");

/** Returns `[a, b]` for `a <= b` and `b >= a` with AND, and for `a > b` and `b < a` with OR. */
function ends({ operator: sign, left, right }: Comparison, operator: "and" | "or"): readonly [Typed, Typed] {
  const isForward = sign.startsWith(operator === "and" ? "<" : ">");
  return isForward ? [left, right] : [right, left];
}
