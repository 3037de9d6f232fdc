/** Joins: their conditions, USING, and what is known of their rows. */
import { columnsOf, contains, relationsOf } from "../../tree/facts";
import { keyOf } from "../../tree/same";
import { type Expression, type JoinKind, type Relation, semantic, unsupported } from "../../syntax";
import { compare } from "../comparison";
import { condition } from "../condition";
import type { BoundFrom, Source, SourceColumn } from "../relations";
import { type EnclosingScope, expression, type JoinKeys, type Scope, scopeOf, type TranslationContext } from "../scope";
import type { Relation as RelationTree, Typed } from "../../tree/nodes";
import { operation } from "../../tree/typed";
import { types } from "../../tree/types";
import { type InnerJoin, isInner, joinOfSubquery } from "./subquery-joins";
import { checkTypeSafety } from "../type-safety";

/** Checks what can be seen before the sides are translated. */
export function checkJoin(relation: Join): void {
  if (relation.join === "left anti")
    throw semantic(relation.position, "LEFT ANTI JOIN", "is not a join of Hive: write WHERE NOT EXISTS (…)");
  if (relation.left.kind === "lateral" || relation.right.kind === "lateral")
    throw semantic(
      relation.position,
      "JOIN",
      "cannot have a LATERAL VIEW as an operand: join a subquery that contains the view",
    );
}

/** Joins two translated relations. */
export function bindJoin(relation: Join, left: BoundFrom, right: BoundFrom, enclosing: EnclosingScope): BoundFrom {
  const join = relation.join as Exclude<JoinKind, "left anti">;
  for (const { alias } of right.sources) {
    if (alias !== undefined && left.sources.some((source) => source.alias === alias)) {
      throw semantic(relation.position, `alias ${alias}`, "is used for two relations: give each its own alias");
    }
  }
  if (relation.using && join === "left semi")
    throw semantic(relation.position, "USING", "is not allowed in LEFT SEMI JOIN: write ON");
  const both = [...left.sources, ...right.sources].map(withoutUsingOrder);
  const sources = join === "left semi" ? left.sources.map(withoutUsingOrder) : both;
  const scope = { ...scopeOf(both, enclosing, "ON"), joinKeys: joinKeysOf(relation, left, right) };
  const on = relation.using
    ? usingCondition(relation, left, right, enclosing.context)
    : relation.on && condition(relation.on, scope);
  if (relation.on && join === "left semi") refuseWideSemiJoinOr(relation.on, scope, right);
  if (relation.on && on && contains(on, "query") && !isInner(join)) refuseSubquery(relation.on, scope, join);
  const tree: RelationTree = {
    kind: "join",
    join,
    left: left.relation,
    right: right.relation,
    ...(on ? { on } : {}),
  };
  const joined = { relation: tree, sources: relation.using ? usingSources(relation, left, right) : sources };
  return enclosing.isSubquery ? joinOfSubquery(relation, joined, on, enclosing) : joined;
}

/** Returns what may be a key of the join: the equalities of ON that stand alone or between ANDs. */
function joinKeysOf({ on }: Join, left: BoundFrom, right: BoundFrom): JoinKeys {
  const relations = ({ sources }: BoundFrom) =>
    new Set(sources.flatMap(({ columns }) => columns.flatMap(({ value }) => relationsOf(value))));
  return { equalities: new Set(on ? equalitiesOf(on) : []), left: relations(left), right: relations(right) };
}

function equalitiesOf(node: Expression): Expression[] {
  if (node.kind === "logical" && node.operator === "and") return node.operands.flatMap(equalitiesOf);
  return node.kind === "binary" && (node.operator === "=" || node.operator === "<=>") ? [node] : [];
}

/**
 * Refuses a subquery in ON that DuckDB cannot run. In LEFT SEMI JOIN it must read one of the sides, and only it; in an
 * outer join the side that can be NULL, and only it.
 */
function refuseSubquery(
  node: Expression,
  scope: Scope & { readonly joinKeys: JoinKeys },
  join: Exclude<JoinKind, InnerJoin | "left anti">,
): void {
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) refuseSubquery(operand, scope, join);
    return;
  }
  const value = expression(node, scope);
  if (!contains(value, "query")) return;
  const reads = (side: "left" | "right", part = value) =>
    relationsOf(part).some((alias) => scope.joinKeys[side].has(alias));
  const construct = `a subquery in ON of ${join.toUpperCase()} JOIN`;
  if (join === "left semi") {
    // The sides of a comparison are computed apart.
    const parts = value.node.kind === "comparison" ? value.node.operands : [value];
    const isPlain = parts.every((part) => !(reads("left", part) && reads("right", part)));
    if (isPlain && (reads("left") || reads("right"))) return;
    throw unsupported(
      node.position,
      construct,
      "must read columns of one of the two sides: write WHERE EXISTS (…) in place of the join",
    );
  }
  if (join !== "full") {
    const side = join === "left" ? "right" : "left";
    if (reads(side) && !reads(join)) return;
  }
  throw unsupported(
    node.position,
    construct,
    join === "full"
      ? "make it a column of a subquery in FROM, and compare that column in ON"
      : `may read the ${join === "left" ? "right" : "left"} side only, and must read it: make it a column of a subquery in FROM, and compare that column in ON`,
  );
}

/** Refuses an OR in ON of LEFT SEMI JOIN that reads more than two columns of the right side: Hive 4.0.1 fails on it. */
function refuseWideSemiJoinOr(node: Expression, scope: Scope, right: BoundFrom) {
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) refuseWideSemiJoinOr(operand, scope, right);
    return;
  }
  if (node.kind !== "logical") return;
  const columns = columnsOf(expression(node, scope));
  const read = right.sources.flatMap((source) => source.columns.filter(({ value }) => columns.has(keyOf(value))));
  if (read.length > 2)
    throw semantic(
      node.position,
      "OR in ON of LEFT SEMI JOIN",
      `reads ${read.length} columns of the right side, and Hive supports at most 2: write WHERE EXISTS (…)`,
    );
}

type Join = Extract<Relation, { kind: "join" }>;

/** Returns the column of a name in USING. When an earlier USING has merged two columns, Hive takes the last one. */
function columnFor(join: Join, from: BoundFrom, name: string): SourceColumn {
  const found = from.sources.flatMap((source) => source.columns).filter((candidate) => candidate.name === name);
  const column = found.at(-1);
  if (!column || found.filter(({ hidden }) => !hidden).length > 1)
    throw semantic(
      join.position,
      `column ${name}`,
      column ? "is ambiguous in USING" : "must exist on both sides of USING",
    );
  return column;
}

function usingCondition(
  join: Join,
  left: BoundFrom,
  right: BoundFrom,
  { settings }: TranslationContext,
): Typed | undefined {
  const equal = (join.using ?? []).map((name) => {
    const [first, second] = [columnFor(join, left, name).value, columnFor(join, right, name).value];
    checkTypeSafety(first, second, "USING", join.position, settings);
    return compare("=", first, second, join.position, "USING");
  });
  return equal.length > 1 ? operation({ kind: "and", operands: equal }, types.boolean) : equal[0];
}

/**
 * Returns the relations of a join with USING: `*` has the named columns once and first; `t.c` finds those of both
 * sides.
 */
function usingSources(join: Join, left: BoundFrom, right: BoundFrom): readonly Source[] {
  const names = join.using ?? [];
  const kept = names.map((name) => columnFor(join, join.join === "right" ? right : left, name));
  return [...left.sources, ...right.sources].map((source) => ({
    ...source,
    columns: source.columns.map((column) => {
      const { name, value, hidden } = column;
      const usingPosition = kept.indexOf(column);
      if (usingPosition !== -1) return { name, value, usingPosition };
      return hidden || names.includes(name) ? { name, value, hidden: true } : { name, value };
    }),
  }));
}

/**
 * Returns a relation in its own column order. A USING no longer moves columns to the front when another join follows.
 */
const withoutUsingOrder = (source: Source): Source => ({
  ...source,
  columns: source.columns.map(({ name, value, hidden }) => (hidden ? { name, value, hidden } : { name, value })),
});
