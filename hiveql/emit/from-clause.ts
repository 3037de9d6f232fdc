/** FROM: tables, subqueries, joins, lateral views. */
import { type Expression, type JoinKind, type Relation, semantic, unsupported } from "../syntax";
import { compare } from "../bind/operators";
import { translateCte } from "../bind/cte";
import type { CteScope, Environment, OutputColumn, Shared, Source, SourceColumn } from "../bind/scope";
import { expression, filterCondition } from "../bind/expression";
import { markView, refuseDroppedFilters } from "../rules/lateral-view-pushdown";
import { type Fragment, raw, relationsOf, sql, typed } from "./fragment";
import { lateralSource } from "./lateral-view";
import { bothFacts, type Equality, type Facts, noFacts, withCondition } from "../rules/constant-propagation";
import { sampled } from "./table-sample";
import { translateQuery, translateValues } from "./query";
import { checkTypeSafety } from "../bind/type-safety";
import { parseType, quoteName } from "../bind/types";

/** What stands in FROM: its SQL, and the relations whose columns may be named, in the order of `SELECT *`. */
export interface From {
  readonly from: Fragment;
  readonly sources: readonly Source[];
  readonly facts: Facts;
}

/** What a FROM needs of its surroundings. */
export interface FromScope {
  readonly shared: Shared;
  readonly common: CteScope;
  readonly parent?: Environment;
}

export function translateRelation(relation: Relation, scope: FromScope): From {
  switch (relation.kind) {
    case "table":
      return translateTable(relation, scope);
    case "subquery": {
      const query = translateQuery(relation.query, scope.shared, scope.common, scope.parent);
      return namedSource(raw(`(${query.sql})`), query.columns, relation.alias, scope.shared);
    }
    case "values": {
      const values = translateValues(relation.values, scope.shared, scope.common);
      const names = relation.columns;
      if (names.length > 0 && names.length !== values.columns.length) {
        throw semantic(
          relation.position,
          "TABLE(VALUES …)",
          `has ${values.columns.length} columns and ${names.length} names`,
        );
      }
      const columns = values.columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
      return namedSource(raw(`(${values.sql})`), columns, relation.alias, scope.shared);
    }
    case "join":
      return translateJoin(relation, scope);
    case "lateral":
      return lateralView(relation, scope);
    case "table function":
      return tableFunction(relation, scope);
  }
}

/** The names of a FROM, for expressions that stand in it. */
export function environmentOf(sources: readonly Source[], scope: FromScope, place: string): Environment {
  return {
    shared: scope.shared,
    common: scope.common,
    sources,
    ...(scope.parent ? { parent: scope.parent } : {}),
    windows: new Map(),
    place,
    allowsWindows: false,
    memo: new WeakMap(),
  };
}

function namedSource(
  from: Fragment,
  columns: readonly OutputColumn[],
  alias: string | undefined,
  shared: Shared,
): From {
  const name = shared.unique("t");
  const found: SourceColumn[] = columns.map((column) => ({
    name: column.name,
    value: {
      ...typed(raw(`${name}.${quoteName(column.alias)}`), column.type),
      ...(column.vanishes ? { vanishes: true } : {}),
      ...(column.isLongConstant ? { isLongConstant: true } : {}),
      ...(column.isBare ? { isBare: column.isBare } : {}),
      ...(column.isMade ? { isMade: true } : {}),
      ...(column.declared ? { declared: column.declared } : {}),
      ...(column.textOf ? { textOf: column.textOf } : {}),
    },
  }));
  for (const [index, { value }] of found.entries()) {
    const { marks } = columns[index] as OutputColumn;
    if (marks && marks.size > 0) shared.marks.set(value.sql, marks);
  }
  const pins = () =>
    new Map(
      found.flatMap(({ value }, index) =>
        [columns[index]?.pinned?.()].flatMap((pin) => (pin ? [[value.sql, pin] as const] : [])),
      ),
    );
  const bounds = () =>
    found.flatMap(({ value }, index) =>
      (columns[index]?.bounds?.() ?? []).map((bound) => ({ ...bound, column: value.sql })),
    );
  return {
    from: sql`${from} AS ${name}`,
    sources: [{ ...(alias === undefined ? {} : { alias }), columns: found }],
    facts: { ...noFacts, pins, bounds },
  };
}

function translateTable(relation: Extract<Relation, { kind: "table" }>, scope: FromScope): From {
  const { shared, common } = scope;
  const alias = relation.alias ?? relation.table;
  const entry = relation.database === undefined ? common.tables.get(relation.table) : undefined;
  if (entry) {
    if (relation.sample) throw unsupported(relation.sample.position, "TABLESAMPLE of what WITH names");
    const { name, columns } = translateCte(entry, shared, relation.position);
    return namedSource(raw(name), columns, alias, shared);
  }
  const database = relation.database ?? "default";
  const table = shared.catalog(database, relation.table);
  if (!table) throw semantic(relation.position, `table ${database}.${relation.table}`, "does not exist");
  shared.tables.add(`${database}.${relation.table}`);
  const columns = table.columns.map(({ name, type }) => {
    const parsed = parseType(type);
    if (!parsed) throw unsupported(relation.position, `column ${relation.table}.${name} of type ${type}`);
    return { name: name.toLowerCase(), alias: name, type: parsed };
  });
  const source = namedSource(raw(table.relation), columns, alias, shared);
  return relation.sample
    ? sampled(source, relation.sample, environmentOf(source.sources, scope, "TABLESAMPLE"))
    : source;
}

/** The identity functions of Hive's own tests: they hand their input on, whatever its partitioning. */
const identities: ReadonlySet<string> = new Set(["noop", "noopwithmap", "noopstreaming", "noopwithmapstreaming"]);

function tableFunction(relation: Extract<Relation, { kind: "table function" }>, scope: FromScope): From {
  if (!identities.has(relation.name) || relation.arguments > 0) {
    throw unsupported(relation.position, `table function ${relation.name}`);
  }
  scope.shared.plan.isBeyond = true;
  const input = translateRelation(relation.input, scope);
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

function translateJoin(relation: Extract<Relation, { kind: "join" }>, scope: FromScope): From {
  const { join } = relation;
  scope.shared.job.isRun = true;
  if (join === "left anti")
    throw semantic(relation.position, "LEFT ANTI JOIN", "is none of Hive's joins; write WHERE NOT EXISTS (…)");
  if (relation.left.kind === "lateral" || relation.right.kind === "lateral")
    throw semantic(
      relation.position,
      "JOIN",
      "with a LATERAL VIEW is none of Hive's: join a subquery that has the view",
    );
  const left = translateRelation(relation.left, scope);
  const right = translateRelation(relation.right, scope);
  for (const { alias } of right.sources) {
    if (alias !== undefined && left.sources.some((source) => source.alias === alias)) {
      throw semantic(relation.position, `alias ${alias}`, "stands for two relations");
    }
  }
  if (relation.using && join === "left semi")
    throw semantic(relation.position, "USING", "belongs to no LEFT SEMI JOIN; write ON");
  const both = [...left.sources, ...right.sources].map(inPlace);
  const sources = join === "left semi" ? left.sources.map(inPlace) : both;
  const nested = isJoin(relation.right) ? sql`(${right.from})` : right.from;
  const environment = environmentOf(both, scope, "ON");
  const on = relation.using
    ? usingCondition(relation, left, right, scope.shared)
    : relation.on && filterCondition(relation.on, environment);
  if (relation.on && join === "left semi") refuseWideOr(relation.on, environment, right);
  if (relation.on && join !== "full") refuseDroppedFilters(relation.on, environment, movedTo(join, left, right));
  const facts = joinedFacts(relation, left, right, environment);
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

/** Refuses OR in ON of LEFT SEMI JOIN where Hive fails on it: it then loses columns of the right side. */
function refuseWideOr(node: Expression, environment: Environment, right: From) {
  if (node.kind === "logical" && node.operator === "and") {
    for (const operand of node.operands) refuseWideOr(operand, environment, right);
    return;
  }
  if (node.kind !== "logical") return;
  const { sql: text } = expression(node, environment);
  const read = right.sources.flatMap(({ columns }) => columns.filter(({ value }) => text.includes(value.sql)));
  if (read.length > 2)
    throw semantic(
      node.position,
      "OR in ON of LEFT SEMI JOIN",
      `reads ${read.length} columns of the right side, and Hive fails on more than 2: write WHERE EXISTS (…)`,
    );
}

/** The columns of the side of an outer join that Hive moves conditions of ON to. */
function movedTo(join: JoinKind, left: From, right: From): ReadonlySet<string> | undefined {
  if (join !== "left" && join !== "right") return undefined;
  const { sources } = join === "left" ? right : left;
  return new Set(sources.flatMap(({ columns }) => columns.map(({ value }) => value.sql)));
}

/** What is known of joined rows: nothing of a side that may be NULL. */
function joinedFacts(relation: Join, left: From, right: From, environment: Environment): Facts {
  switch (relation.join) {
    case "left":
      return left.facts;
    case "right":
      return right.facts;
    case "full":
      return noFacts;
    case "left semi":
      return withCondition(left.facts, relation.on, environment);
    default: {
      const facts = withCondition(bothFacts(left.facts, right.facts), relation.on, environment);
      const shared = (relation.using ?? []).map((name): Equality => [
        columnFor(relation, left, name).value,
        columnFor(relation, right, name).value,
      ]);
      return { ...facts, equalities: () => [...facts.equalities(), ...shared] };
    }
  }
}

const isJoin = (relation: Relation) => relation.kind === "join" || relation.kind === "lateral";

type Join = Extract<Relation, { kind: "join" }>;

/** The column of a name: where joins before have it of both sides in USING, the last one, as in Hive. */
function columnFor(join: Join, from: From, name: string): SourceColumn {
  const found = from.sources.flatMap((source) => source.columns).filter((candidate) => candidate.name === name);
  const column = found.at(-1);
  if (!column || found.filter(({ hidden }) => !hidden).length > 1)
    throw semantic(join.position, `column ${name}`, column ? "is ambiguous in USING" : "of USING does not exist");
  return column;
}

function usingCondition(join: Join, left: From, right: From, { settings }: Shared): Fragment {
  return (join.using ?? [])
    .map((name) => {
      const [first, second] = [columnFor(join, left, name).value, columnFor(join, right, name).value];
      checkTypeSafety(first, second, "USING", join.position, settings);
      return compare("=", first, second, join.position, "USING");
    })
    .reduce<Fragment | undefined>((all, one) => (all ? sql`${all} AND ${one}` : one), undefined) as Fragment;
}

/** `*` has the named columns once, before all others; both sides' can be asked for by their tables. */
function usingSources(join: Join, left: From, right: From): readonly Source[] {
  const names = join.using ?? [];
  const kept = names.map((name) => columnFor(join, join.join === "right" ? right : left, name));
  return [...left.sources, ...right.sources].map((source) => ({
    ...source,
    columns: source.columns.map((column) => {
      const { name, value, hidden } = column;
      const first = kept.indexOf(column);
      if (first !== -1) return { name, value, first };
      return hidden || names.includes(name) ? { name, value, hidden: true } : { name, value };
    }),
  }));
}

/** What USING had put first stands in its place again where another join follows. */
const inPlace = (source: Source): Source => ({
  ...source,
  columns: source.columns.map(({ name, value, hidden }) => (hidden ? { name, value, hidden } : { name, value })),
});

function lateralView(relation: Extract<Relation, { kind: "lateral" }>, scope: FromScope): From {
  const input = translateRelation(relation.input, scope);
  const environment = environmentOf(input.sources, scope, "LATERAL VIEW");
  const view = lateralSource(relation.call, relation.columns, environment);
  if (relation.outer) scope.shared.plan.isBeyond = true;
  const from = relation.outer
    ? sql`${input.from} LEFT JOIN LATERAL ${view.from} ON TRUE`
    : sql`${input.from} CROSS JOIN LATERAL ${view.from}`;
  const sources = [...input.sources, { alias: relation.alias, columns: view.columns }];
  const read = input.sources.flatMap(({ columns }) => columns.map(({ value }) => value));
  markView(
    scope.shared,
    read,
    view.columns.map(({ value }) => value),
    relation.outer,
  );
  const forgotten = read.flatMap((value) => relationsOf(value));
  return { from, sources, facts: { ...noFacts, forgotten: new Set(forgotten) } };
}
