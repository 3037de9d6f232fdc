/** FROM: tables, subqueries, joins, lateral views. */
import type { Equality, RowFacts } from "../../tree/row-facts";
import { columnsOf, relationsOf } from "../../tree/facts";
import { keyOf } from "../../tree/same";
import { columnOf } from "../../tree/typed";
import {
  type Expression,
  HiveQLError,
  type JoinKind,
  type Query,
  type Relation,
  semantic,
  unsupported,
} from "../../syntax";
import { compare, filterCondition } from "../operators";
import { translateCte } from "./cte";
import {
  type EnclosingScope,
  expression,
  type OutputColumn,
  type Scope,
  scopeOf,
  type Source,
  type SourceColumn,
  type TranslatedFrom,
  type TranslationContext,
} from "../scope";
import { recordViewOrigins, refuseDroppedFilters } from "../../rules/lateral-view-pushdown";
import { raw, sql } from "../../tree/fragment";
import type { Part } from "../../tree/nodes";
import { lateralSource } from "./lateral-view";
import { mergeFacts, emptyFacts, addCondition } from "../../rules/constant-propagation";
import { applyTableSample } from "./table-sample";
import { checkTypeSafety } from "../type-safety";
import { parseType } from "../../tree/types";

export function translateRelation(relation: Relation, enclosing: EnclosingScope): TranslatedFrom {
  switch (relation.kind) {
    case "table":
      return translateTable(relation, enclosing);
    case "subquery": {
      const query = enclosing.context.binder.query(relation.query, enclosing);
      return namedSource(sql`(${query.sql})`, query.columns, relation.alias, enclosing.context);
    }
    case "values": {
      const values = enclosing.context.binder.values(relation.values, enclosing);
      const names = relation.columns;
      if (names.length > 0 && names.length !== values.columns.length) {
        throw semantic(
          relation.position,
          "TABLE(VALUES …)",
          `has ${values.columns.length} columns and ${names.length} names`,
        );
      }
      const columns = values.columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
      return namedSource(sql`(${values.sql})`, columns, relation.alias, enclosing.context);
    }
    case "join":
      return translateJoin(relation, enclosing);
    case "lateral":
      return lateralView(relation, enclosing);
    case "table function":
      return tableFunction(relation, enclosing);
  }
}

function namedSource(
  from: Part,
  columns: readonly OutputColumn[],
  alias: string | undefined,
  context: TranslationContext,
): TranslatedFrom {
  const name = context.uniqueName("t");
  const found: SourceColumn[] = columns.map((column) => ({
    name: column.name,
    value: { ...columnOf(name, column.alias, column.type), ...column.facts },
  }));
  for (const [index, { value }] of found.entries()) {
    const { viewOrigins } = columns[index] as OutputColumn;
    if (viewOrigins && viewOrigins.size > 0) context.viewOrigins.set(keyOf(value), viewOrigins);
  }
  const constants = () =>
    new Map(
      found.flatMap(({ value }, index) =>
        [columns[index]?.knownConstant?.()].flatMap((constant) =>
          constant ? [[keyOf(value), constant] as const] : [],
        ),
      ),
    );
  const bounds = () =>
    found.flatMap(({ value }, index) =>
      (columns[index]?.bounds?.() ?? []).map((bound) => ({ ...bound, column: keyOf(value) })),
    );
  return {
    from: sql`${from} AS ${name}`,
    name,
    sources: [{ ...(alias === undefined ? {} : { alias }), columns: found }],
    facts: { ...emptyFacts, constants, bounds },
  };
}

function translateTable(relation: Extract<Relation, { kind: "table" }>, enclosing: EnclosingScope): TranslatedFrom {
  const { context, cteScope } = enclosing;
  const alias = relation.alias ?? relation.table;
  const entry = relation.database === undefined ? cteScope.tables.get(relation.table) : undefined;
  if (entry) {
    if (relation.sample) throw unsupported(relation.sample.position, "TABLESAMPLE of a WITH table");
    const { name, columns } = translateCte(entry, context, relation.position);
    return namedSource(raw(name), columns, alias, context);
  }
  const view = context.viewAt(relation);
  if (view) return translateView(relation, view, context);
  const database = relation.database ?? "default";
  const table = context.catalog(database, relation.table, relation);
  if (!table) throw semantic(relation.position, `table ${database}.${relation.table}`, "does not exist");
  context.tables.add(`${database}.${relation.table}`);
  const columns = table.columns.map(({ name, type }) => {
    const parsed = parseType(type);
    if (!parsed) throw unsupported(relation.position, `column ${relation.table}.${name} of type ${type}`);
    return { name: name.toLowerCase(), alias: name, type: parsed };
  });
  const source = namedSource(raw(table.relation), columns, alias, context);
  return relation.sample
    ? applyTableSample(source, relation.sample, scopeOf(source.sources, enclosing, "TABLESAMPLE"))
    : source;
}

/** Translates a view as a subquery that sees nothing of the statement. */
function translateView(
  relation: Extract<Relation, { kind: "table" }>,
  view: Query,
  context: TranslationContext,
): TranslatedFrom {
  const { database = "default", table, alias = table, position, sample } = relation;
  if (sample) throw unsupported(sample.position, "TABLESAMPLE of a view");
  try {
    const query = context.binder.query(view, { context, cteScope: { tables: new Map() } });
    return namedSource(sql`(${query.sql})`, query.columns, alias, context);
  } catch (error) {
    if (!(error instanceof HiveQLError)) throw error;
    throw new HiveQLError(position, error.problem, `view ${database}.${table}`, `its query at ${error.message}`);
  }
}

/** Table functions of Hive's own tests that return their input unchanged. */
const identityFunctions: ReadonlySet<string> = new Set([
  "noop",
  "noopwithmap",
  "noopstreaming",
  "noopwithmapstreaming",
]);

function tableFunction(
  relation: Extract<Relation, { kind: "table function" }>,
  enclosing: EnclosingScope,
): TranslatedFrom {
  if (!identityFunctions.has(relation.name) || relation.arguments > 0) {
    throw unsupported(relation.position, `table function ${relation.name}`);
  }
  const input = translateRelation(relation.input, enclosing);
  if (relation.alias === undefined) return input;
  const columns = input.sources.flatMap((source) => source.columns);
  return { ...input, sources: [{ alias: relation.alias, columns }] };
}

const joinWords: Readonly<Record<Exclude<JoinKind, "left anti">, string>> = {
  inner: "JOIN",
  cross: "CROSS JOIN",
  comma: "CROSS JOIN",
  left: "LEFT JOIN",
  right: "RIGHT JOIN",
  full: "FULL JOIN",
  "left semi": "SEMI JOIN",
};

function translateJoin(relation: Extract<Relation, { kind: "join" }>, enclosing: EnclosingScope): TranslatedFrom {
  const { join } = relation;
  if (join === "left anti")
    throw semantic(relation.position, "LEFT ANTI JOIN", "is not a join of Hive: write WHERE NOT EXISTS (…)");
  if (relation.left.kind === "lateral" || relation.right.kind === "lateral")
    throw semantic(
      relation.position,
      "JOIN",
      "cannot have a LATERAL VIEW as an operand: join a subquery that contains the view",
    );
  const left = translateRelation(relation.left, enclosing);
  const right = translateRelation(relation.right, enclosing);
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
  const scope = scopeOf(both, enclosing, "ON");
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

function lateralView(relation: Extract<Relation, { kind: "lateral" }>, enclosing: EnclosingScope): TranslatedFrom {
  const input = translateRelation(relation.input, enclosing);
  const scope = scopeOf(input.sources, enclosing, "LATERAL VIEW");
  const view = lateralSource(relation.call, relation.columns, scope);
  const from = relation.outer
    ? sql`${input.from} LEFT JOIN LATERAL ${view.from} ON TRUE`
    : sql`${input.from} CROSS JOIN LATERAL ${view.from}`;
  const sources = [...input.sources, { alias: relation.alias, columns: view.columns }];
  const read = input.sources.flatMap(({ columns }) => columns.map(({ value }) => value));
  recordViewOrigins(
    enclosing.context,
    read,
    view.columns.map(({ value }) => value),
    relation.outer,
  );
  const ignored = read.flatMap((value) => relationsOf(value));
  return { from, sources, facts: { ...emptyFacts, ignoredRelations: new Set(ignored) } };
}
