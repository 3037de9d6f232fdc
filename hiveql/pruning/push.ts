/** Moves conditions on the columns of a subquery to the rows that the subquery reads. */
import { type Expression, type Query, type Select, subexpressions } from "../syntax";
import { mapColumns, weaken } from "./weaken";

/**
 * Returns the conditions of a query that hold for the rows of its subquery too, in the names of the subquery. None pass
 * a LIMIT, a window, a set operator or an aggregate.
 */
export function pushable(
  conditions: readonly Expression[],
  { query, alias }: { readonly query: Query; readonly alias: string },
): Expression[] {
  const select = simpleSelect(query);
  if (!select) return [];
  const inner = (node: Expression): Expression | undefined => {
    if (node.kind === "name") return columnOf(select, node.name, node);
    const ownField = node.kind === "field" && node.base.kind === "name" && node.base.name === alias;
    return ownField ? columnOf(select, node.name, node) : undefined;
  };
  return conditions.flatMap((condition) => {
    const weaker = weaken(condition, (node) => inner(node) !== undefined);
    return weaker ? [mapColumns(weaker, (node) => inner(node)!)] : [];
  });
}

/** Returns the SELECT of a query whose rows pass or fail a condition on plain columns one by one. */
function simpleSelect({ body }: Query): Select | undefined {
  const { first, rest, limit } = body;
  if (rest.length > 0 || limit || first.kind !== "select" || first.qualify || first.groupBy?.sets) return undefined;
  const hasWindow = first.items.some((item) => item.kind === "expression" && containsWindow(item.expression));
  return hasWindow || !first.from ? undefined : first;
}

const containsWindow = (node: Expression): boolean =>
  (node.kind === "call" && node.window !== undefined) || subexpressions(node).some(containsWindow);

/** Returns the column that an output column of a SELECT shows; undefined when it is not a plain column or group key. */
function columnOf({ items, from, groupBy }: Select, name: string, written: Expression): Expression | undefined {
  const named = items.flatMap((item) => {
    if (item.kind === "all") return [];
    const { expression, aliases } = item;
    const isColumn = expression.kind === "name" || expression.kind === "field";
    return (aliases[0] ?? (isColumn ? expression.name : undefined)) === name ? [expression] : [];
  });
  const [column, second] = named;
  if (column === undefined) {
    const isAll = items.some((item) => item.kind === "all") && from?.kind !== "join" && from?.kind !== "lateral";
    return isAll && !groupBy ? { kind: "name", position: written.position, name, quoted: true } : undefined;
  }
  if (second || !isPlainColumn(column)) return undefined;
  if (groupBy && !groupBy.keys.some((key) => isPlainColumn(key) && sameColumn(key, column))) return undefined;
  return column;
}

type ColumnNode = Extract<Expression, { kind: "name" | "field" }>;

const isPlainColumn = (node: Expression): node is ColumnNode =>
  node.kind === "name" || (node.kind === "field" && node.base.kind === "name");

const sameColumn = (a: ColumnNode, b: ColumnNode) =>
  a.kind === b.kind && a.name === b.name && (a.kind === "name" || ("base" in b && sameBase(a.base, b.base)));

const sameBase = (a: Expression, b: Expression) => a.kind === "name" && b.kind === "name" && a.name === b.name;
