/**
 * Unsatisfiable conditions, such as `k = 1 AND k = 2`. When the optimizer of Hive 4.0.1 recognizes one below GROUPING
 * SETS, CUBE or ROLLUP, it reads no rows and drops the grand total row that an empty input has otherwise.
 * Example: `SELECT k, count(*) FROM t WHERE k = 1 AND k = 2 GROUP BY k WITH ROLLUP` answers no row and not `NULL, 0`.
 * This file decides whether conditions may be unsatisfiable; `grand-total.ts` adds the check to the query.
 */
import type { ColumnBound, Limit } from "../tree/row-facts";
import { keyOf, same } from "../tree/same";
import { type Expression, subexpressions } from "../syntax";
import { expression, type Scope } from "../bind/scope";
import { isColumn, readsColumns } from "../tree/facts";
import type { Constant, Typed } from "../tree/nodes";
import { canBeGroupKey } from "../functions/kinds-of-calls";
import { coercedLiteral } from "../bind/literal-coercion";

/** The bound of a relation without rows: it allows no value. */
export const unsatisfiable: ColumnBound = { column: "", values: [] };

/** A bound with unknown content: Hive evaluates the condition when another bound leaves the column one value. */
const unknownBound = (column: string): ColumnBound => ({ column });

/** Returns the bounds that a condition sets for single columns. */
export function columnBounds(node: Expression, scope: Scope): readonly ColumnBound[] {
  const translate = (inner: Expression) => expression(inner, scope);
  const other = () => columnsIn(node, scope).map(unknownBound);
  switch (node.kind) {
    case "logical": {
      const each = node.operands.map((operand) => columnBounds(operand, scope));
      return node.operator === "and" ? each.flat() : (valuesOfOr(each) ?? other());
    }
    case "binary":
      return canBeGroupKey(node)
        ? (comparison(node.operator, translate(node.left), translate(node.right)) ?? other())
        : [];
    case "between":
      if (!canBeGroupKey(node)) return other();
      if (node.not) {
        const below = comparison("<", translate(node.operand), translate(node.low)) ?? [];
        const above = comparison(">", translate(node.operand), translate(node.high)) ?? [];
        return valuesOfOr([below, above]) ?? other();
      }
      return [
        ...(comparison(">=", translate(node.operand), translate(node.low)) ?? other()),
        ...(comparison("<=", translate(node.operand), translate(node.high)) ?? []),
      ];
    case "in":
      if (node.not && node.operand.kind !== "row" && canBeGroupKey(node)) {
        const never = node.items.map((item) => comparison("<>", translate(node.operand), translate(item)) ?? []);
        return never.some((bounds) => bounds.length > 0) ? never.flat() : other();
      }
      return node.not || !canBeGroupKey(node) || node.operand.kind === "row"
        ? other()
        : (valuesOfOr(node.items.map((item) => comparison("=", translate(node.operand), translate(item)) ?? [])) ??
            other());
    case "is": {
      const operand = canBeGroupKey(node.operand) ? translate(node.operand) : undefined;
      if (node.what !== "null" || !operand || !isColumn(operand)) return other();
      return node.not ? [] : [{ column: keyOf(operand), isNull: true }];
    }
    default:
      return other();
  }
}

/** Returns the bounds of a comparison between a column and a constant; undefined for other comparisons. */
function comparison(operator: string, left: Typed, right: Typed): readonly ColumnBound[] | undefined {
  if (isColumn(left) && same(left, right) && /^(?:<>|<|>)$/.test(operator))
    return [{ column: keyOf(left), values: [] }];
  if (isColumn(right) && !readsColumns(left)) return comparison(mirrored[operator] ?? operator, right, left);
  if (!isColumn(left) || readsColumns(right)) return isColumn(left) && isColumn(right) ? [] : undefined;
  const column = keyOf(left);
  const value = literalValue(coercedLiteral(right, left.type) ?? right);
  switch (operator) {
    case "=":
      return [{ column, values: [value] }];
    case "<":
    case "<=":
      return [{ column, high: { value, isOpen: operator === "<" } }];
    case ">":
    case ">=":
      return [{ column, low: { value, isOpen: operator === ">" } }];
    default:
      return undefined;
  }
}

const mirrored: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** Returns the value of a literal; the text of a date or timestamp literal. */
const literalValue = ({ constant, node }: Typed): Constant | undefined =>
  constant ?? (node.kind === "literal" ? node.text : undefined);

/** Combines the branches of OR when all are equalities of one column. */
function valuesOfOr(branches: readonly (readonly ColumnBound[])[]): readonly ColumnBound[] | undefined {
  const all = branches.map(([only, second]) => (second ? undefined : only));
  const column = all[0]?.column;
  if (column === undefined || all.some((bound) => bound?.column !== column || !bound.values)) return undefined;
  return [{ column, values: all.flatMap((bound) => bound?.values ?? []) }];
}

/** Conditions that Hive evaluates for a column with one possible value: not calls, LIKE and CASE. */
const evaluatedKinds: ReadonlySet<Expression["kind"]> = new Set(["logical", "unary", "binary", "between", "in", "is"]);

function columnsIn(node: Expression, scope: Scope): readonly string[] {
  if (evaluatedKinds.has(node.kind)) return subexpressions(node).flatMap((part) => columnsIn(part, scope));
  const value = node.kind === "name" || node.kind === "field" ? expression(node, scope) : undefined;
  return value && isColumn(value) ? [keyOf(value)] : [];
}

/**
 * Returns true when the bounds may leave no value for some column.
 * @param equal pairs of columns that are equal in all rows.
 */
export function mayBeUnsatisfiable(
  bounds: readonly ColumnBound[],
  equal: readonly (readonly [Typed, Typed])[],
): boolean {
  const groups = new Map<string, string>();
  const groupOf = (column: string): string => {
    const next = groups.get(column);
    return next === undefined ? column : groupOf(next);
  };
  for (const [left, right] of equal) {
    if (!isColumn(left) || !isColumn(right) || groupOf(keyOf(left)) === groupOf(keyOf(right))) continue;
    groups.set(groupOf(keyOf(left)), groupOf(keyOf(right)));
  }
  const columns = new Set(bounds.map((bound) => groupOf(bound.column)));
  return [...columns].some((column) => allowNoValue(bounds.filter((bound) => groupOf(bound.column) === column)));
}

function allowNoValue(bounds: readonly ColumnBound[]): boolean {
  const lists = bounds.flatMap(({ values }) => (values ? [values] : []));
  if (lists.some((values) => values.length === 0)) return true;
  if (bounds.length < 2) return false;
  if (bounds.some(({ isNull }) => isNull)) return bounds.some(({ isNull }) => !isNull);
  const lows = bounds.flatMap(({ low }) => (low ? [low] : []));
  const highs = bounds.flatMap(({ high }) => (high ? [high] : []));
  const [first, ...others] = lists;
  if (!first) return lows.some((low) => highs.some((high) => !isNonEmptyRange(low, high)));
  const hasUnknownBound = bounds.some(({ values, low, high }) => !values && !low && !high);
  const isAllowed = (value: Constant | undefined) =>
    others.every((values) => values.some((other) => other !== undefined && compareConstants(value, other) === 0)) &&
    lows.every((low) => isNonEmptyRange(low, { value, isOpen: false })) &&
    highs.every((high) => isNonEmptyRange({ value, isOpen: false }, high));
  return hasUnknownBound || !first.some(isAllowed);
}

/** Returns true when a value can be between two limits; false when a limit is unknown. */
function isNonEmptyRange(low: Limit, high: Limit): boolean {
  const compared = compareConstants(low.value, high.value);
  return compared !== undefined && (compared < 0 || (compared === 0 && !low.isOpen && !high.isOpen));
}

/** Compares two constants: negative, 0 or positive; undefined for unknown values and for different types. */
function compareConstants(left: Constant | undefined, right: Constant | undefined): number | undefined {
  if (left === undefined || right === undefined || left === null || right === null) return undefined;
  if (typeof left !== typeof right) return undefined;
  return left < right ? -1 : Number(left > right);
}
