/** Conditions of correlated subqueries. */
import type { SubqueryUse } from "../tree/queries";
import { columnsOf, relationsOf } from "../tree/facts";
import { keyOf } from "../tree/same";
import { type Expression, isName, semantic, unsupported } from "../syntax";
import { expression, type Scope } from "../bind/scope";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "correlated-conditions",
  hive: "4.0.1",
  title: "Conditions of correlated subqueries",
  why: "Hive 4.0.1 joins the outer query to the subquery by equality of the outer columns that the condition reads. A NULL in such a column finds no row, even when the condition is true for NULL.",
  example:
    "`SELECT id FROM p WHERE EXISTS (SELECT 1 FROM v WHERE v.x = p.x OR p.y IS NULL)` misses rows with `y` NULL.",
  refuses:
    "The translation accepts comparisons, LIKE, IN and BETWEEN as correlated conditions, also several with AND, and refuses all others.",
};

/**
 * Checks a condition of a correlated subquery.
 * @throws HiveQLError when the condition can be true although an outer column that it reads is NULL.
 */
export function checkCorrelatedCondition(node: Expression, scope: Scope, use: SubqueryUse): void {
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) checkCorrelatedCondition(operand, scope, use);
    return;
  }
  const { outer, reads } = outerColumns(node, scope);
  if (outer.size === 0) return;
  const isOfField = isComparison(node) && [node.left, node.right].some((each) => isStructField(each, scope));
  const isAlone = !reads && (isOfField || ((use === "not exists" || use === "not in") && !isName(node)));
  if (isAlone && isOfField)
    throw semantic(
      node.position,
      "correlated condition",
      "compares a field of a struct of the outer query with no column of the subquery: move the condition to the outer query",
    );
  if (isAlone || !isFalseForNull(node, scope, use))
    throw unsupported(
      node.position,
      "correlated condition",
      isAlone
        ? "reads only columns of the outer query, so Hive filters the outer query by it: move the condition to the outer query"
        : "is no comparison of a column of the outer query, or can be true when that column is NULL, and Hive misses such rows: rewrite the subquery as a join",
    );
}

/** Returns true when the condition cannot be true if any outer column that it reads is NULL. */
function isFalseForNull(node: Expression, scope: Scope, use: SubqueryUse): boolean {
  switch (node.kind) {
    case "name":
    case "field":
    case "like":
      return true;
    case "unary":
      return (
        node.operator === "not" &&
        (isName(node.operand) || (isComparison(node.operand) && node.operand.operator !== "<=>"))
      );
    case "binary":
      return node.operator === "<=>" ? use !== "value" && use !== "not in" : isComparison(node);
    case "between":
      return !node.not || outerColumns(node, scope).outer.size < 2;
    case "in":
      return node.not || outerColumns(node, scope).outer.size < 2;
    default:
      return false;
  }
}

/** Returns true for a field of a struct, such as `o.address.city`. */
const isStructField = (node: Expression, scope: Scope) => {
  const value = node.kind === "field" ? expression(node, scope).node : undefined;
  return value?.kind === "field";
};

const comparisons: ReadonlySet<string> = new Set(["=", "<>", "<", "<=", ">", ">=", "<=>"]);

const isComparison = (node: Expression): node is Extract<Expression, { kind: "binary" }> =>
  node.kind === "binary" && comparisons.has(node.operator);

/** Returns the outer columns that a condition reads, and whether it reads columns of the subquery too. */
function outerColumns(node: Expression, scope: Scope) {
  const value = expression(node, scope);
  const own = new Set(scope.sources.flatMap(({ columns }) => columns.flatMap((column) => relationsOf(column.value))));
  const around = new Set<string>();
  for (let parent = scope.parent; parent; parent = parent.parent)
    for (const { columns } of parent.sources) for (const column of columns) around.add(keyOf(column.value));
  const names = [...columnsOf(value).keys()];
  return {
    outer: new Set(names.filter((name) => around.has(name))),
    reads: relationsOf(value).some((name) => own.has(name)),
  };
}
