/**
 * Ranges: BETWEEN, and comparisons that say the same. Hive's optimizer makes BETWEEN of `x >= a AND x <= b`, and NOT
 * BETWEEN of `x < a OR x > b`. Its BETWEEN is NULL wherever it does not know whether x reaches the lower bound, its NOT
 * BETWEEN wherever it does not know how x stands to either bound.
 */
import { type Fragment, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import { strict } from "./null-tests";
import { types } from "../bind/types";

const inverse: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };

/** Whether an operator is one of those that ranges are made of. */
export const isOrdering = (operator: string) => operator in inverse;

/** NOT of a condition; of a comparison it is the opposite one. */
export function negated(value: SqlExpression): SqlExpression {
  const { comparison } = value;
  const operator = comparison && inverse[comparison.operator];
  if (!comparison || !operator) return strict(typed(sql`(NOT ${value})`, types.boolean), [value], false);
  const { left, right } = comparison;
  const result = typed(sql`(${left} ${operator} ${right})`, types.boolean);
  return { ...strict(result, [left, right], false), comparison: { operator, left, right } };
}

/** The operands of AND or OR, where two that are the bounds of one range are joined. */
export function withRanges(operator: "and" | "or", operands: readonly SqlExpression[]): readonly Fragment[] {
  const rest: SqlExpression[] = [...operands];
  const joined: Fragment[] = [];
  for (const lower of operands.filter(({ comparison }) => comparison)) {
    const upper = rest.includes(lower) ? rest.find((other) => isRange(operator, lower, other)) : undefined;
    if (!upper) continue;
    rest.splice(rest.indexOf(lower), 1);
    rest.splice(rest.indexOf(upper), 1);
    joined.push(rangeOf(operator, lower, upper));
  }
  return [...joined, ...rest];
}

/**
 * Two comparisons of one value joined as Hive's BETWEEN joins them, or NOT BETWEEN for OR.
 * @param lower the one with the lower bound.
 */
export function rangeOf(operator: "and" | "or", lower: SqlExpression, upper: SqlExpression): Fragment {
  const both = sql`(${lower} ${operator.toUpperCase()} ${upper})`;
  if (!lower.comparison || !upper.comparison) return both;
  const [low, value] = ends(lower.comparison, operator);
  const [, high] = ends(upper.comparison, operator);
  const [readsLow, readsValue, readsHigh] = [low, value, high].map((each) => readsColumns(each));
  // What reads no column is computed beforehand, and NULL is then plain AND's and OR's.
  const isComputed = low.constant === null || high.constant === null || (!readsValue && !(readsLow && readsHigh));
  if (isComputed || !(readsLow || (operator === "or" && readsHigh))) return both;
  const known = operator === "or" ? sql`${lower} IS NOT NULL AND ${upper} IS NOT NULL` : sql`${lower} IS NOT NULL`;
  return sql`CASE WHEN ${known} THEN ${both}${[low, value, high].some(isConditional) ? sql` WHEN ${both} IS NOT NULL THEN ${unsure}` : ""} END`;
}

/** Whether Hive's optimizer may move the comparison into a CASE, by what stands in its branches; it then finds no range. */
const isConditional = ({ sql: text }: SqlExpression) => /\bCASE\b|\bcoalesce\(/.test(text);

const unsure = "error('HiveQL: a range one of whose bounds is NULL and another CASE, IF or COALESCE')";

/** Whether the greater value of one comparison is the lesser of another, for AND; and the other way round for OR. */
function isRange(operator: "and" | "or", lower: SqlExpression, upper: SqlExpression): boolean {
  if (lower === upper || !fits(operator, lower) || !fits(operator, upper)) return false;
  const [, value] = ends(lower.comparison as Comparison, operator);
  const [other] = ends(upper.comparison as Comparison, operator);
  return value.sql === other.sql;
}

type Comparison = NonNullable<SqlExpression["comparison"]>;

const fits = (operator: "and" | "or", { comparison }: SqlExpression) =>
  (operator === "and" ? ["<=", ">="] : ["<", ">"]).includes(comparison?.operator ?? "");

/** `[a, b]` of `a <= b` and `b >= a` for AND, of `a > b` and `b < a` for OR. */
function ends({ operator: sign, left, right }: Comparison, operator: "and" | "or"): readonly [SqlExpression, SqlExpression] {
  const isForward = sign.startsWith(operator === "and" ? "<" : ">");
  return isForward ? [left, right] : [right, left];
}
