/** Order of subqueries in one condition. */
import { type Expression, subexpressions, unsupported } from "../syntax";
import { expression, type Scope } from "../bind/scope";
import { relationsOf } from "../tree/facts";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "subquery-order",
  hive: "4.0.1",
  title: "Order of subqueries in one condition",
  why: "Hive 4.0.1 joins them from left to right. An uncorrelated IN that follows a correlated subquery then compares its operand with a column of the wrong subquery.",
  example: "`WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.a = p.id) AND p.id IN (SELECT n FROM v)` answers wrong rows.",
  refuses: "The translation refuses this order; the IN written first is accepted.",
};

/** @throws HiveQLError when Hive compares the operand of an IN with a column of another subquery. */
export function refuseSubqueryOrder(node: Expression, scope: Scope): void {
  let followsCorrelated = false;
  if (!scope.context.plan.isOptimized) refuseUnoptimizedSubqueries(node, scope);
  for (const part of conjunctsOf(node, false)) {
    if (part.kind === "in" && followsCorrelated && !isCorrelated(part.node, scope))
      throw unsupported(
        part.node.position,
        "IN of a subquery",
        "follows a correlated subquery, and Hive 4 compares it with a column of that subquery: write the IN first",
      );
    if (part.kind === "other")
      followsCorrelated ||= subqueriesIn(part.node).some((query) => isCorrelated(query, scope));
  }
}

/** Without its optimizer Hive answers only IN and EXISTS as SQL does, and NOT IN when it is uncorrelated. */
function refuseUnoptimizedSubqueries(node: Expression, scope: Scope): void {
  for (const part of conjunctsOf(node, false)) {
    if (part.kind !== "other" || part.node.kind === "exists") continue;
    const [query] = subqueriesIn(part.node);
    const isPlain = part.node.kind === "in query" && query && !isCorrelated(query, scope);
    if (query && !isPlain)
      throw unsupported(
        query.position,
        "subquery",
        "is wrong in Hive when it plans the statement without its optimizer, for example for an alias in HAVING: replace the alias by its expression",
      );
  }
}

type Subquery = Extract<Expression, { kind: "in query" | "quantified" | "exists" | "scalar query" }>;

/** An operand of the condition's AND: an IN or EXISTS that must be true, or any other condition. */
type Part =
  | { readonly kind: "in" | "exists"; readonly node: Subquery }
  | { readonly kind: "other"; readonly node: Expression };

/** Returns the operands that must all be true, in the order in which they are written. */
function conjunctsOf(node: Expression, isNegated: boolean): Part[] {
  if (node.kind === "unary" && node.operator === "not") return conjunctsOf(node.operand, !isNegated);
  if (node.kind === "logical" && node.operator === (isNegated ? "or" : "and"))
    return node.operands.flatMap((operand) => conjunctsOf(operand, isNegated));
  if (node.kind === "exists" && !isNegated) return [{ kind: "exists", node }];
  if (node.kind === "in query" && node.not === isNegated) return [{ kind: "in", node }];
  if (node.kind === "quantified" && node.not === isNegated && isEquality(node)) return [{ kind: "in", node }];
  return [{ kind: "other", node }];
}

const isEquality = ({ operator, quantifier }: Extract<Expression, { kind: "quantified" }>) =>
  operator === "=" && quantifier === "any";

function subqueriesIn(node: Expression): Subquery[] {
  const own = isSubquery(node) ? [node] : [];
  return [...own, ...subexpressions(node).flatMap(subqueriesIn)];
}

const isSubquery = (node: Expression): node is Subquery =>
  node.kind === "in query" || node.kind === "quantified" || node.kind === "exists" || node.kind === "scalar query";

/** Returns true when a subquery reads columns of the query that contains it. */
function isCorrelated({ query, position }: Subquery, scope: Scope): boolean {
  const { sources, grouping } = scope;
  const around = new Set(sources.flatMap(({ columns }) => columns.flatMap(({ value }) => relationsOf(value))));
  if (grouping) around.add(grouping.alias);
  return relationsOf(expression({ kind: "exists", query, position }, scope)).some((name) => around.has(name));
}
