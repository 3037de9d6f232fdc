/** GROUP BY and the aggregates of one SELECT. */
import { type Expression, isName, type OrderItem, type Select, semantic } from "../../syntax";
import { hasAggregate } from "../../functions/kinds-of-calls";
import type { Typed } from "../../tree/nodes";
import type { GroupsOf } from "../../tree/queries";
import { keyOf } from "../../tree/same";
import { expression, Grouping, type Scope } from "../scope";
import { groupKeys, setMembers } from "./grouping-sets";

/**
 * Returns the groups of a select list; undefined when rows are not grouped.
 * @param base scope of the keys.
 */
export function selectGroups(select: Select, ordering: readonly OrderItem[], base: Scope): Grouping | undefined {
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
  const nodes = (groupBy?.keys ?? []).map((key) => keyNode(key, select, base));
  const keys = nodes.map((node) => expression(node, base));
  const named = new Set(keys.filter((_key, index) => isName(nodes[index]!)).map(keyOf));
  const sets = groupBy && setMembers(groupBy, base);
  const number = nodes.find((node) => node.kind === "number");
  return new Grouping(base.context.uniqueName("g"), base, keys, named, {
    sets,
    number: number?.kind === "number" ? number.text : undefined,
  });
}

/** Resolves a GROUP BY key that is a position in the select list, if the settings allow positions. */
function keyNode(key: Expression, { items }: Select, { context }: Scope): Expression {
  if (key.kind !== "number" || !context.settings.groupByPosition) return key;
  const item = items[Number(key.text) - 1];
  if (item?.kind !== "expression")
    throw semantic(key.position, `GROUP BY ${key.text}`, "is not the position of an expression in the select list");
  return item.expression;
}

/** Returns the groups with all columns that are read, after the clauses over them are bound. */
export function groupsOf(grouping: Grouping, { groupBy }: Select): GroupsOf<Typed> {
  const by = groupBy && groupKeys(groupBy, grouping.keys, grouping.base);
  return { alias: grouping.alias, columns: grouping.outputs(), ...(by ? { by } : {}) };
}
