/** GROUP BY and the aggregates of one SELECT. */
import { type Expression, type OrderItem, type Select, semantic } from "../../syntax";
import { hasAggregate } from "../../functions/kinds-of-calls";
import { constantKeys, refuseUncertainConstantKeys } from "../../rules/constant-propagation";
import { droppedGrandTotal, refuseDroppedGrandTotal } from "../../rules/grand-total";
import type { Typed } from "../../tree/nodes";
import type { GroupsOf } from "../../tree/queries";
import type { KnownConstants, RowFacts } from "../../tree/row-facts";
import { expression, Grouping, type Scope } from "../scope";
import { groupKeys, setMembers } from "./grouping-sets";

/**
 * Returns the groups of a select list; undefined when rows are not grouped.
 * @param base scope of the keys.
 * @param constants computes the known constants of the rows.
 */
export function selectGroups(
  select: Select,
  ordering: readonly OrderItem[],
  base: Scope,
  constants: () => KnownConstants,
): Grouping | undefined {
  const { groupBy, having, items } = select;
  const selected = items.flatMap((item) => (item.kind === "expression" ? [item.expression] : []));
  const later = [...(having ? [having] : []), ...ordering.map((item) => item.expression)];
  const isGrouped = groupBy !== undefined || [...selected, ...later].some(hasAggregate);
  if (having && !groupBy && !hasAggregate(having))
    throw semantic(
      having.position,
      "HAVING",
      isGrouped ? "needs GROUP BY or an aggregate in HAVING" : "needs GROUP BY or an aggregate",
    );
  if (!isGrouped) return undefined;
  const keys = (groupBy?.keys ?? []).map((key) => expression(keyNode(key, select, base), base));
  const members = groupBy && setMembers(groupBy, base);
  const sets = members && { ...members, constants: constantKeys(keys, constants()) };
  if (sets) refuseUncertainConstantKeys(keys, sets.constants, select, base);
  return new Grouping(base.context.uniqueName("g"), base, keys, sets);
}

/** Resolves a GROUP BY key that is a position in the select list, if the settings allow positions. */
function keyNode(key: Expression, { items }: Select, { context }: Scope): Expression {
  if (key.kind !== "number" || !context.settings.groupByPosition) return key;
  const item = items[Number(key.text) - 1];
  if (item?.kind !== "expression")
    throw semantic(key.position, `GROUP BY ${key.text}`, "is not the position of an expression in the select list");
  return item.expression;
}

/**
 * Returns the groups with all columns that are read, after the clauses over them are bound.
 * @param base scope of WHERE.
 */
export function groupsOf(grouping: Grouping, select: Select, facts: RowFacts, base: Scope): GroupsOf<Typed> {
  const { sets, keys, alias } = grouping;
  if (sets && select.where) refuseDroppedGrandTotal(select.where, base);
  const by = select.groupBy && groupKeys(select.groupBy, keys, grouping.base);
  const failureOfNoRows = sets && droppedGrandTotal(facts, select.where, base);
  return {
    alias,
    columns: grouping.outputs(),
    ...(by ? { by } : {}),
    ...(failureOfNoRows === undefined ? {} : { failureOfNoRows }),
  };
}
