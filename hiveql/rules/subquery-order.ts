/** Order of subqueries in one condition. */
import { unsupported } from "../syntax";
import type { Quirk } from "../quirks/quirk";
import { childrenOf } from "../tree/children";
import { contains, positionOf, relationsOf } from "../tree/facts";
import { isTyped } from "../tree/fragment";
import type { Part, Select, Subquery, Typed } from "../tree/nodes";
import type { Plan } from "../tree/plan";
import { aliasesOf } from "../tree/walk";

export const rule: Quirk = {
  id: "subquery-order",
  hive: "4.0.1",
  title: "Order of subqueries in one condition",
  why: "Hive 4.0.1 joins them from left to right. An uncorrelated IN that follows a correlated subquery then compares its operand with a column of the wrong subquery. Without its optimizer, Hive answers only IN and EXISTS as SQL does, and NOT IN when it is uncorrelated.",
  example: "`WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.a = p.id) AND p.id IN (SELECT n FROM v)` answers wrong rows.",
  refuses: "The translation refuses this order, and accepts the IN written first.",
};

/** @throws HiveQLError for subqueries in WHERE or HAVING of which Hive answers wrong rows. */
export function refuseSubqueryOrder({ from, where, groups, having }: Select, { isOptimized }: Plan): void {
  const around = new Set([...aliasesOf(from), ...(groups ? [groups.alias] : [])]);
  const isCorrelated = (value: Typed) => relationsOf(withoutOperand(value)).some((name) => around.has(name));
  for (const condition of [where, having]) {
    if (!condition || !contains(condition, "query")) continue;
    const conjuncts = conjunctsOf(condition);
    if (!isOptimized) for (const each of conjuncts) refuseUnoptimized(each, isCorrelated);
    let followsCorrelated = false;
    for (const each of conjuncts) {
      if (isTrueIn(each) && followsCorrelated && !isCorrelated(each))
        throw unsupported(
          positionOf(each),
          "IN of a subquery",
          "follows a correlated subquery, and Hive 4 compares it with a column of that subquery: write the IN first",
        );
      followsCorrelated ||=
        !isTrueIn(each) && subqueryOf(each)?.kind !== "exists" && queriesIn(each).some(isCorrelated);
    }
  }
}

function refuseUnoptimized(condition: Typed, isCorrelated: (query: Typed) => boolean): void {
  const plain = withoutNot(condition);
  if (isTrueIn(condition) || subqueryOf(plain)?.kind === "exists") return;
  const [query] = queriesIn(plain);
  if (query && (subqueryOf(plain)?.kind !== "in" || isCorrelated(query)))
    throw unsupported(
      positionOf(query),
      "subquery",
      "is wrong in Hive when it plans the statement without its optimizer, for example for an alias in HAVING: replace the alias by its expression",
    );
}

/** Returns EXISTS of a subquery, which reads what the subquery reads. */
function withoutOperand(value: Typed): Typed {
  const subquery = subqueryOf(withoutNot(value));
  return subquery ? { ...value, node: { kind: "query", subquery: { kind: "exists", query: subquery.query } } } : value;
}

/** Returns the operands that must all be true, in the order in which they are written. */
const conjunctsOf = (value: Typed): readonly Typed[] =>
  value.node.kind === "and" && value.node.written !== "between" && value.node.written !== "rows"
    ? value.node.operands.flatMap(conjunctsOf)
    : [value];

const withoutNot = (value: Typed) => (value.node.kind === "not" ? value.node.operands[0] : value);

const subqueryOf = ({ node }: Typed): Subquery | undefined => (node.kind === "query" ? node.subquery : undefined);

/** Returns true for IN or `= ANY` of a subquery that must be true. */
function isTrueIn(value: Typed): boolean {
  const subquery = subqueryOf(withoutNot(value));
  const isIn = subquery?.kind === "in" || (subquery?.kind === "any" && subquery.operator === "=");
  return isIn && subquery.not === (value.node.kind === "not");
}

/** Returns the subqueries in a value, and not those inside of them. */
function queriesIn(part: Part): readonly Typed[] {
  if (!contains(part, "query")) return [];
  const subquery = isTyped(part) ? subqueryOf(part) : undefined;
  if (!subquery) return childrenOf(part).flatMap(queriesIn);
  return [part as Typed, ...("operand" in subquery ? queriesIn(subquery.operand) : [])];
}
