/** Joins: their conditions, USING, and what is known of their rows. */
import type { Equality, RowFacts } from "../../tree/row-facts";
import { columnsOf, relationsOf } from "../../tree/facts";
import { keyOf } from "../../tree/same";
import { type Expression, type JoinKind, type Relation, semantic } from "../../syntax";
import { compare, filterCondition } from "../operators";
import {
  type EnclosingScope,
  expression,
  type JoinKeys,
  type Scope,
  scopeOf,
  type Source,
  type SourceColumn,
  type TranslatedFrom,
  type TranslationContext,
} from "../scope";
import { refuseDroppedFilters } from "../../rules/lateral-view-pushdown";
import { sql } from "../../tree/fragment";
import type { Part } from "../../tree/nodes";
import { addCondition, emptyFacts, mergeFacts } from "../../rules/constant-propagation";
import { checkTypeSafety } from "../type-safety";

const joinWords: Readonly<Record<Exclude<JoinKind, "left anti">, string>> = {
  inner: "JOIN",
  cross: "CROSS JOIN",
  comma: "CROSS JOIN",
  left: "LEFT JOIN",
  right: "RIGHT JOIN",
  full: "FULL JOIN",
  "left semi": "SEMI JOIN",
};

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
export function translateJoin(
  relation: Join,
  left: TranslatedFrom,
  right: TranslatedFrom,
  enclosing: EnclosingScope,
): TranslatedFrom {
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
  const nested = isJoin(relation.right) ? sql`(${right.from})` : right.from;
  const scope = { ...scopeOf(both, enclosing, "ON"), joinKeys: joinKeysOf(relation, left, right) };
  const on = relation.using
    ? usingCondition(relation, left, right, enclosing.context)
    : relation.on && filterCondition(relation.on, scope);
  if (relation.on && join === "left semi") refuseWideSemiJoinOr(relation.on, scope, right);
  if (relation.on && join !== "full") refuseDroppedFilters(relation.on, scope, pushdownTargets(join, left, right));
  const facts = joinedFacts(relation, left, right, scope);
  if (!on && join !== "inner" && join !== "cross" && join !== "comma") {
    return { from: sql`${left.from} ${joinWords[join]} ${nested} ON TRUE`, sources, facts };
  }
  const word = on && (join === "cross" || join === "comma") ? "JOIN" : joinWords[join];
  if (!on) return { from: sql`${left.from} CROSS JOIN ${nested}`, sources, facts };
  return {
    from: sql`${left.from} ${word} ${nested} ON ${on}`,
    sources: relation.using ? usingSources(relation, left, right) : sources,
    facts,
  };
}

/** Returns what may be a key of the join: the equalities of ON that stand alone or between ANDs. */
function joinKeysOf({ on }: Join, left: TranslatedFrom, right: TranslatedFrom): JoinKeys {
  const relations = ({ sources }: TranslatedFrom) =>
    new Set(sources.flatMap(({ columns }) => columns.flatMap(({ value }) => relationsOf(value))));
  return { equalities: new Set(on ? equalitiesOf(on) : []), left: relations(left), right: relations(right) };
}

function equalitiesOf(node: Expression): Expression[] {
  if (node.kind === "logical" && node.operator === "and") return node.operands.flatMap(equalitiesOf);
  return node.kind === "binary" && (node.operator === "=" || node.operator === "<=>") ? [node] : [];
}

/** Refuses an OR in ON of LEFT SEMI JOIN that reads more than two columns of the right side: Hive 4.0.1 fails on it. */
function refuseWideSemiJoinOr(node: Expression, scope: Scope, right: TranslatedFrom) {
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

/** Returns the columns of the side of an outer join to which Hive pushes conditions of ON down. */
function pushdownTargets(join: JoinKind, left: TranslatedFrom, right: TranslatedFrom): ReadonlySet<string> | undefined {
  if (join !== "left" && join !== "right") return undefined;
  const { sources } = join === "left" ? right : left;
  return new Set(sources.flatMap(({ columns }) => columns.map(({ value }) => keyOf(value))));
}

/** Returns the facts about the rows of a join, without those about a side that an outer join may fill with NULLs. */
function joinedFacts(relation: Join, left: TranslatedFrom, right: TranslatedFrom, scope: Scope): RowFacts {
  switch (relation.join) {
    case "left":
      return left.facts;
    case "right":
      return right.facts;
    case "full":
      return emptyFacts;
    case "left semi":
      return addCondition(left.facts, relation.on, scope);
    default: {
      const facts = addCondition(mergeFacts(left.facts, right.facts), relation.on, scope);
      const usingEqualities = (relation.using ?? []).map((name): Equality => [
        columnFor(relation, left, name).value,
        columnFor(relation, right, name).value,
      ]);
      return { ...facts, equalities: () => [...facts.equalities(), ...usingEqualities] };
    }
  }
}

const isJoin = (relation: Relation) => relation.kind === "join" || relation.kind === "lateral";

type Join = Extract<Relation, { kind: "join" }>;

/** Returns the column of a name in USING. When an earlier USING has merged two columns, Hive takes the last one. */
function columnFor(join: Join, from: TranslatedFrom, name: string): SourceColumn {
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
  left: TranslatedFrom,
  right: TranslatedFrom,
  { settings }: TranslationContext,
): Part {
  return (join.using ?? [])
    .map((name) => {
      const [first, second] = [columnFor(join, left, name).value, columnFor(join, right, name).value];
      checkTypeSafety(first, second, "USING", join.position, settings);
      return compare("=", first, second, join.position, "USING");
    })
    .reduce<Part | undefined>((all, one) => (all ? sql`${all} AND ${one}` : one), undefined) as Part;
}

/**
 * Returns the relations of a join with USING: `*` has the named columns once and first; `t.c` finds those of both
 * sides.
 */
function usingSources(join: Join, left: TranslatedFrom, right: TranslatedFrom): readonly Source[] {
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
