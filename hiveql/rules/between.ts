/** BETWEEN and equivalent comparisons. */
import { contains, readsColumns } from "../tree/facts";
import type { Pass } from "../tree/rewrite";
import { same } from "../tree/same";
import type { OperatorNode, Typed } from "../tree/nodes";
import { isImpossibleDate } from "../tree/cast";
import { nullOf, operation } from "../tree/typed";
import { type HiveType, isDateOrTime, isText, types } from "../tree/types";
import { castBy } from "../quirks/decimal-conversion";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "between",
  hive: "4.0.1",
  title: "BETWEEN and equivalent comparisons",
  why: "The optimizer of Hive 4.0.1 compares a value with both bounds of BETWEEN in one type, where two comparisons have two when one bound is a text and the other is not. It rewrites `x >= a AND x <= b` to BETWEEN, and `x < a OR x > b` to NOT BETWEEN. BETWEEN is NULL when the lower comparison is NULL, and NOT BETWEEN is NULL when either comparison is, whatever the other one says.",
  example:
    "`day BETWEEN date_sub('2026-01-08', 7) AND '2026-01-08'` of a string `day` compares dates, so it is true for `2026-01-08 10:00:00`. `30 BETWEEN NULL AND 3` with bounds from columns answers NULL in Hive, and false in SQL.",
  rewrites: "The translation compares in the same type, with the same three-valued logic.",
};

const inverse: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };

/** Returns the comparison by `<`, `<=`, `>` or `>=` that a value is; undefined for others. */
function orderingOf({ node }: Typed): Comparison | undefined {
  return node.kind === "comparison" && node.operator in inverse ? node : undefined;
}

type Comparison = Extract<OperatorNode, { kind: "comparison" }>;

/** Makes the inverse comparison of NOT of a comparison, and merges the two bounds of one range. */
export const ranges: Pass = {
  after: (value, isFilter) => {
    const { node } = value;
    if (node.kind === "not") return { ...value, node: inverted(node) };
    if (node.kind !== "and" && node.kind !== "or") return value;
    const [lower, upper] = node.written === "between" ? inOneType(node.operands as [Typed, Typed]) : [];
    if (node.kind === "and" && isFilter)
      return lower && upper ? { ...value, node: { ...node, operands: [lower, upper] } } : value;
    if (lower && upper) return { ...value, node: range(node.kind, lower, upper).node };
    return { ...value, node: { ...node, operands: mergedRanges(node.kind, node.operands) } };
  },
};

/**
 * Returns the comparisons of BETWEEN with all values in the type in which Hive compares them, when one comparison is
 * between texts and the other one is not.
 */
function inOneType(bounds: readonly [Typed, Typed]): readonly [Typed, Typed] {
  const comparisons = bounds.map(orderingOf);
  const [first, second] = comparisons.map((comparison) => comparison?.operands[0].type);
  if (!first || !second || isText(first) === isText(second)) return bounds;
  const type = isText(first) ? second : first;
  return bounds.map((bound, index) => {
    const comparison = comparisons[index];
    if (!comparison || !isText(comparison.operands[0].type)) return bound;
    const [left, right] = comparison.operands;
    return { ...bound, node: { ...comparison, operands: [converted(left, type), converted(right, type)] } };
  }) as [Typed, Typed];
}

/** Converts a text to the type that BETWEEN compares in; NULL when it is no value of that type. */
const converted = (text: Typed, type: HiveType): Typed =>
  (isDateOrTime(type) && isImpossibleDate(text) ? undefined : castBy("operator", text, type)) ?? nullOf(type);

function inverted(node: Extract<OperatorNode, { kind: "not" | "is null" | "complement" }>): OperatorNode {
  const comparison = orderingOf(node.operands[0]);
  const operator = comparison && inverse[comparison.operator];
  return operator === undefined ? node : ({ ...comparison, operator } as OperatorNode);
}

/** Returns the operands of AND or OR, in which the two bounds of one range are merged into one operand. */
function mergedRanges(operator: "and" | "or", operands: readonly Typed[]): readonly Typed[] {
  const rest: Typed[] = [...operands];
  const joined: Typed[] = [];
  for (const lower of operands.filter(orderingOf)) {
    const upper = rest.includes(lower) ? rest.find((other) => isRangePair(operator, lower, other)) : undefined;
    if (!upper) continue;
    rest.splice(rest.indexOf(lower), 1);
    rest.splice(rest.indexOf(upper), 1);
    joined.push(range(operator, lower, upper));
  }
  return joined.length === 0 ? operands : [...joined, ...rest];
}

/**
 * Combines two comparisons of one value as Hive's BETWEEN does, or NOT BETWEEN for OR.
 * @param lower the comparison with the lower bound.
 */
function range(operator: "and" | "or", lower: Typed, upper: Typed): Typed {
  const both = operation({ kind: operator, operands: [lower, upper] }, types.boolean);
  const [first, second] = [orderingOf(lower), orderingOf(upper)];
  if (!first || !second) return both;
  const [low, value] = ends(first, operator);
  const [, high] = ends(second, operator);
  const [readsLow, readsValue, readsHigh] = [low, value, high].map((each) => readsColumns(each));
  // Hive folds operands without columns, and then AND and OR treat NULL as in SQL.
  const isComputed = low.constant === null || high.constant === null || (!readsValue && !(readsLow && readsHigh));
  if (isComputed || !(readsLow || (operator === "or" && readsHigh))) return both;
  const failure = [low, value, high].some(isConditional) ? { failure: uncertainRange } : {};
  return operation({ kind: "range", operator, operands: [lower, upper], ...failure }, types.boolean);
}

/** Returns true when Hive's optimizer can move the comparison into the branches of a CASE and then finds no range. */
const isConditional = (value: Typed) => contains(value, "case");

const uncertainRange =
  "HiveQL: BETWEEN or an equivalent range with a NULL bound and another operand made by CASE, IF or COALESCE: test the bounds for NULL first";

/** Returns true when two comparisons are the lower and the upper bound of one value. */
function isRangePair(operator: "and" | "or", lower: Typed, upper: Typed): boolean {
  const [first, second] = [orderingOf(lower), orderingOf(upper)];
  if (lower === upper || !first || !second || ![first, second].every((bound) => isRangeBound(operator, bound)))
    return false;
  const [, value] = ends(first, operator);
  const [other] = ends(second, operator);
  return same(value, other);
}

const isRangeBound = (operator: "and" | "or", comparison: Comparison) =>
  (operator === "and" ? ["<=", ">="] : ["<", ">"]).includes(comparison.operator);

/** Returns `[a, b]` for `a <= b` and `b >= a` with AND, and for `a > b` and `b < a` with OR. */
function ends({ operator: sign, operands }: Comparison, operator: "and" | "or"): readonly [Typed, Typed] {
  const [left, right] = operands;
  const isForward = operator === "and" ? sign === "<" || sign === "<=" : sign === ">" || sign === ">=";
  return isForward ? [left, right] : [right, left];
}
