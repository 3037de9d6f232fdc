/** GROUPING SETS, CUBE and ROLLUP, and the functions that tell their rows apart. */
import {
  type Call,
  type Expression,
  type GroupBy,
  type Position,
  semantic,
  unsupported,
} from "../syntax";
import type { Environment } from "./scope";
import { expression } from "./expression";
import { type Fragment, join, relationsOf, sql, typed, type SqlExpression } from "../emit/fragment";
import type { Grouping } from "./grouping";
import { types } from "./types";

/** What stands after GROUP BY. */
export function groupByList(
  groupBy: GroupBy | undefined,
  keys: readonly SqlExpression[],
  base: Environment,
): Fragment | undefined {
  if (!groupBy) return undefined;
  if (groupBy.sets === undefined) return join(keys);
  for (const [index, key] of keys.entries()) {
    // Hive computes it beforehand, and then takes it for none of the keys.
    const node = groupBy.keys[index];
    if (key.constant === undefined && (relationsOf(key).length === 0 || (node && choosesOne(node, base))))
      throw unsupported(
        groupBy.keys[index]?.position ?? groupBy.position,
        "GROUP BY with grouping sets",
        "has a key that reads no column",
      );
    // Hive counts each as a key of its own, and reads one of them or the other by how it is written.
    if (keys.findIndex((each) => each.sql === key.sql) < index)
      throw unsupported(
        groupBy.keys[index]?.position ?? groupBy.position,
        "GROUP BY with grouping sets",
        "has a key twice: write it once",
      );
  }
  if (groupBy.sets === "rollup") return sql`ROLLUP (${join(keys)})`;
  if (groupBy.sets === "cube") {
    if (keys.length > 10) throw semantic(groupBy.position, "CUBE", "has more than 10 keys");
    return sql`CUBE (${join(keys)})`;
  }
  if (groupBy.sets.every((set) => set.length === 0))
    throw semantic(groupBy.position, "GROUPING SETS", "has the empty set alone: leave GROUP BY out");
  const sets = groupBy.sets.map((set) => {
    const members = set.map((member) => {
      const value = expression(member, base);
      if (!keys.some((key) => key.sql === value.sql))
        throw semantic(member.position, "GROUPING SETS", "names what is not in GROUP BY");
      return value;
    });
    return [...new Map(members.map((value) => [value.sql, value])).values()];
  });
  // Hive computes a set once, however often and in whichever order it is written.
  const once = new Map(sets.map((set) => [JSON.stringify(set.map((value) => value.sql).toSorted()), set]));
  return sql`GROUPING SETS (${join([...once.values()].map((set) => sql`(${join(set)})`))})`;
}

/** Whether all that CASE or IF chooses from is one value. */
function choosesOne(node: Expression, base: Environment): boolean {
  const chosen =
    node.kind === "case"
      ? [...node.branches.map(({ then }) => then), ...(node.otherwise ? [node.otherwise] : [])]
      : node.kind === "call" && node.name === "if"
        ? node.arguments.slice(1)
        : [];
  const values = chosen.map((each) => expression(each, base).sql);
  return new Set(values).size === 1 && (node.kind !== "case" || node.otherwise !== undefined);
}

/** `grouping(a, b)`: one bit for each argument, 1 where it is aggregated away; the last is the lowest. */
export function groupingCall(node: Call, environment: Environment): SqlExpression {
  const { grouping } = environment;
  if (!grouping?.sets) throw semantic(node.position, "function grouping", "needs GROUPING SETS, CUBE or ROLLUP");
  refuseWhole(grouping, node.position, "function grouping");
  const members = node.arguments.map((argument: Expression) => {
    const value = expression(argument, grouping.base);
    if (!grouping.key(value)) throw semantic(argument.position, "function grouping", "takes what is in GROUP BY");
    return value;
  });
  if (members.length === 0) throw semantic(node.position, "function grouping", "needs an argument");
  if (environment.aliases?.first === true)
    throw semantic(
      node.position,
      "function grouping",
      "stands in ORDER BY by the alias of a column only, or as grouping__id",
    );
  return grouping.computed(bits(members, grouping));
}

/** One bit for each key; a key that stands in no set is always aggregated away. */
function bits(keys: readonly SqlExpression[], grouping: Grouping): SqlExpression {
  const parts = keys.map((key, index) => {
    const weight = 2 ** (keys.length - 1 - index);
    return grouping.isMember(key) ? sql`GROUPING(${key}) * ${weight}` : sql`${weight}`;
  });
  return typed(sql`CAST(${join(parts, " + ")} AS BIGINT)`, types.bigint);
}

/** The keys that stand in some grouping set, and whether there is but one set, of all keys. */
export function setMembers(groupBy: GroupBy, base: Environment) {
  if (groupBy.sets === undefined) return undefined;
  const textsOf = (list: readonly Expression[]) => new Set(list.map((member) => expression(member, base).sql));
  if (typeof groupBy.sets === "string") return { members: textsOf(groupBy.keys), isWhole: false };
  const all = textsOf(groupBy.keys);
  const isWhole = groupBy.sets.every((set) => textsOf(set).size === all.size);
  return { members: textsOf(groupBy.sets.flat()), isWhole };
}

function refuseWhole(grouping: Grouping, position: Position, construct: string) {
  if (grouping.sets?.isWhole === true)
    throw unsupported(
      position,
      construct,
      "is 0 in one set of all keys, where Hive 4 plans without its optimizer: write 0, and GROUP BY alone",
    );
}

/** `grouping__id`, the same bits over all keys. */
export function groupingId(environment: Environment, position: Position): SqlExpression | undefined {
  const { grouping } = environment;
  if (!grouping?.sets) return undefined;
  refuseWhole(grouping, position, "grouping__id");
  return grouping.computed(bits(grouping.keys, grouping));
}
