/**
 * Subqueries in an order that Hive 4.0.1 joins wrongly. It joins the subqueries of a condition one after another; IN of
 * one that is not correlated, behind one that is, then compares with a column of that one.
 */
import { type Expression, unsupported } from "../syntax";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { relationsOf } from "../emit/fragment";
import { childrenOf } from "../bind/grouping";

/** @throws HiveQLError where Hive compares the operand of an IN with a column of another subquery. */
export function refuseMisjoined(node: Expression, environment: Environment): void {
  let isBehind = false;
  if (!environment.shared.plan.isOptimized) refuseUnplanned(node, environment);
  for (const part of partsOf(node, false)) {
    if (part.kind === "in" && isBehind && !isCorrelated(part.node, environment))
      throw unsupported(
        part.node.position,
        "IN of a subquery",
        "stands behind a correlated subquery, with a column of which Hive 4 compares it: write the IN first",
      );
    if (part.kind === "other") isBehind ||= queriesIn(part.node).some((query) => isCorrelated(query, environment));
  }
}

/** Without its optimizer Hive answers IN and EXISTS alone as SQL does, and NOT IN where it is not correlated. */
function refuseUnplanned(node: Expression, environment: Environment): void {
  for (const part of partsOf(node, false)) {
    if (part.kind !== "other" || part.node.kind === "exists") continue;
    const [query] = queriesIn(part.node);
    const isPlain = part.node.kind === "in query" && query && !isCorrelated(query, environment);
    if (query && !isPlain)
      throw unsupported(
        query.position,
        "subquery",
        "stands beside what Hive plans without its optimizer, such as an alias in HAVING: write what the alias names",
      );
  }
}

type Subquery = Extract<Expression, { kind: "in query" | "quantified" | "exists" | "scalar query" }>;

/** A part of a condition: an IN or EXISTS that must be true, which keeps the columns as they are, or anything else. */
type Part =
  | { readonly kind: "in" | "exists"; readonly node: Subquery }
  | { readonly kind: "other"; readonly node: Expression };

/** What must all be true, in the order in which it is written. */
function partsOf(node: Expression, isNegated: boolean): Part[] {
  if (node.kind === "unary" && node.operator === "not") return partsOf(node.operand, !isNegated);
  if (node.kind === "logical" && node.operator === (isNegated ? "or" : "and"))
    return node.operands.flatMap((operand) => partsOf(operand, isNegated));
  if (node.kind === "exists" && !isNegated) return [{ kind: "exists", node }];
  if (node.kind === "in query" && node.not === isNegated) return [{ kind: "in", node }];
  if (node.kind === "quantified" && node.not === isNegated && isEquality(node)) return [{ kind: "in", node }];
  return [{ kind: "other", node }];
}

const isEquality = ({ operator, quantifier }: Extract<Expression, { kind: "quantified" }>) =>
  operator === "=" && quantifier === "any";

function queriesIn(node: Expression): Subquery[] {
  const own = isSubquery(node) ? [node] : [];
  return [...own, ...childrenOf(node).flatMap(queriesIn)];
}

const isSubquery = (node: Expression): node is Subquery =>
  node.kind === "in query" || node.kind === "quantified" || node.kind === "exists" || node.kind === "scalar query";

/** Whether a subquery reads the rows that it stands beside. */
function isCorrelated({ query, position }: Subquery, environment: Environment): boolean {
  const { sources, grouping } = environment;
  const around = new Set(sources.flatMap(({ columns }) => columns.flatMap(({ value }) => relationsOf(value))));
  if (grouping) around.add(grouping.alias);
  return relationsOf(expression({ kind: "exists", query, position }, environment)).some((name) => around.has(name));
}
