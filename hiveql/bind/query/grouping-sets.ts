/** GROUPING SETS, CUBE and ROLLUP, and the functions grouping and grouping__id. */
import { keyOf, same } from "../../tree/same";
import { readsColumns } from "../../tree/facts";
import { type Call, type Expression, type GroupBy, semantic, unsupported } from "../../syntax";
import { expression, type Grouping, type Scope } from "../scope";
import type { Typed } from "../../tree/nodes";
import type { GroupKeysOf } from "../../tree/queries";
import { operation } from "../../tree/typed";
import { types } from "../../tree/types";

/** Returns the keys of GROUP BY. */
export function groupKeys(groupBy: GroupBy, keys: readonly Typed[], base: Scope): GroupKeysOf<Typed> {
  if (groupBy.sets === undefined) return { kind: "keys", keys };
  checkSetKeys(groupBy, keys);
  if (groupBy.sets === "rollup") return { kind: "rollup", keys };
  if (groupBy.sets === "cube") {
    if (keys.length > 10) throw semantic(groupBy.position, "CUBE", "has more than 10 keys");
    return { kind: "cube", keys };
  }
  if (groupBy.sets.every((set) => set.length === 0))
    throw semantic(groupBy.position, "GROUPING SETS", "contains only the empty set: remove GROUP BY");
  const sets = groupBy.sets.map((set) => {
    const members = set.map((member) => {
      const value = expression(member, base);
      if (!keys.some((key) => same(key, value)))
        throw semantic(
          member.position,
          "GROUPING SETS",
          "contains an expression that is not in GROUP BY: add it to GROUP BY",
        );
      return value;
    });
    return [...new Map(members.map((value) => [keyOf(value), value])).values()];
  });
  // Hive computes equal sets once, regardless of the order of their members.
  const once = new Map(sets.map((set) => [JSON.stringify(set.map(keyOf).toSorted()), set]));
  return { kind: "sets", sets: [...once.values()] };
}

/** @throws HiveQLError for a key of grouping sets that reads no column, and for one that stands twice. */
function checkSetKeys({ keys: nodes, position }: GroupBy, keys: readonly Typed[]): void {
  const index = keys.findIndex(
    (key, at) => !readsColumns(key) || keys.slice(0, at).some((earlier) => same(earlier, key)),
  );
  if (index >= 0)
    throw unsupported(
      nodes[index]?.position ?? position,
      "GROUP BY with grouping sets",
      "has a key that reads no column, or stands twice: remove it",
    );
}

/**
 * Binds `grouping(a, b)`: a bit per argument, 1 when it is aggregated away; the last argument is the lowest bit.
 */
export function groupingCall(node: Call, scope: Scope): Typed {
  const { grouping } = scope;
  if (!grouping?.sets) throw semantic(node.position, "function grouping", "needs GROUPING SETS, CUBE or ROLLUP");
  const members = node.arguments.map((argument: Expression) => {
    const value = expression(argument, grouping.base);
    if (!grouping.key(value))
      throw semantic(argument.position, "function grouping", "needs an expression of GROUP BY as its argument");
    return value;
  });
  if (members.length === 0) throw semantic(node.position, "function grouping", "needs an argument");
  if (scope.aliases?.precedeColumns === true)
    throw semantic(
      node.position,
      "function grouping",
      "is not allowed in ORDER BY: select it with an alias and sort by the alias, or use grouping__id",
    );
  return grouping.computed(bits(members, grouping));
}

/** Returns a bit per key. A key that is in no grouping set is always aggregated away. */
function bits(keys: readonly Typed[], grouping: Grouping): Typed {
  const weighed = keys.map((key, index) => ({ key, weight: 2 ** (keys.length - 1 - index) }));
  const [members = [], others = []] = [true, false].map((isMember) =>
    weighed.filter(({ key }) => grouping.isMember(key) === isMember),
  );
  return operation(
    {
      kind: "grouping",
      operands: members.map(({ key }) => key),
      weights: members.map(({ weight }) => weight),
      others: others.reduce((sum, { weight }) => sum + weight, 0),
    },
    types.bigint,
  );
}

/** Returns the keys that are in some grouping set; undefined for a plain GROUP BY. */
export function setMembers(groupBy: GroupBy, base: Scope) {
  if (groupBy.sets === undefined) return undefined;
  const textsOf = (list: readonly Expression[]) => new Set(list.map((member) => keyOf(expression(member, base))));
  return { members: textsOf(typeof groupBy.sets === "string" ? groupBy.keys : groupBy.sets.flat()) };
}

/** Binds `grouping__id`, which is `grouping` of all keys; undefined without grouping sets. */
export function groupingId(scope: Scope): Typed | undefined {
  const { grouping } = scope;
  if (!grouping?.sets) return undefined;
  return grouping.computed(bits(grouping.keys, grouping));
}
