/** How Hive 4.0.1 runs a statement. */
import {
  type CommonTable,
  type Expression,
  type Query,
  type QueryBody,
  type QueryTerm,
  queryIn,
  type Relation,
  type Select,
  subexpressions,
} from "../syntax";
import { hasAggregate } from "../functions/kinds-of-calls";
import type { Settings } from "../settings";
import type { Plan, Views } from "../tree/plan";
import type { Pass } from "../tree/rewrite";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "plan",
  hive: "4.0.1",
  title: "How Hive 4.0.1 runs a statement",
  why: "It plans a whole statement without its optimizer when HAVING uses an alias of the select list that is not the name of a key, and with LATERAL VIEW OUTER, TABLESAMPLE, DISTRIBUTE BY, CLUSTER BY, `count(DISTINCT a, b)`, noop and `hive.cbo.enable=false`: then BETWEEN follows the SQL standard, `coalesce(a / b, 0)` is 0 when b is 0, variances are computed row by row, and CAST of a string reads its text. It runs a job for groups, ORDER BY, joins, windows, set operators and subqueries in expressions, and otherwise fetches the rows of a table.",
  example:
    "`SELECT id FROM t WHERE k NOT BETWEEN 5 AND n` drops a row with `k` 1 and `n` NULL, and with DISTRIBUTE BY keeps it.",
  rewrites:
    "The translation reads the plan from the syntax tree once, before anything is bound, and applies the rules of the optimizer only to statements that it plans.",
};

/** Computes the aggregates that Hive's optimizer computes in a form of their own. */
export const plannedAggregates: Pass = {
  before: (value) => {
    const { node } = value;
    if (node.kind !== "aggregate" || !node.planned) return value;
    const { planned, ...plain } = node;
    return { ...value, node: { ...plain, sql: planned } };
  },
};

/** Returns how Hive runs a statement. */
export function planOf(query: Query, settings: Settings, viewAt: Views): Plan {
  const found: Findings = { settings, viewAt, isUnoptimized: false, hasJob: false, hasFinalLimit: false };
  inQuery(query, new Map(), true, found);
  return {
    isOptimized: settings.usesOptimizer && !found.isUnoptimized,
    runsJob: found.hasJob,
  };
}

interface Findings {
  readonly settings: Settings;
  readonly viewAt: Views;
  isUnoptimized: boolean;
  hasJob: boolean;
  hasFinalLimit: boolean;
}

/** The tables of WITH by name; a table that no query uses is never planned. */
type Tables = ReadonlyMap<string, { readonly table: CommonTable; readonly tables: Tables }>;

function inQuery(query: Query, outer: Tables, isOutermost: boolean, found: Findings) {
  const tables = new Map(outer);
  for (const table of query.with) tables.set(table.name, { table, tables });
  inBody(query.body, tables, isOutermost, found);
}

function inBody(body: QueryBody, tables: Tables, isOutermost: boolean, found: Findings) {
  if (body.limit && isOutermost) found.hasFinalLimit = true;
  // Hive merges two adjacent LIMITs, so that a LIMIT below the final one may not run a job of its own.
  else if (body.limit && !found.hasFinalLimit) found.hasJob = true;
  if (body.distributeBy || body.clusterBy) found.isUnoptimized = true;
  const keys = visibleSortKeys(body, isOutermost);
  for (const key of keys) inExpression(key, tables, found);
  if (body.rest.length > 0) found.hasJob = true;
  if (body.first.kind === "select" && body.rest.length === 0) {
    const isGrouped = body.first.groupBy !== undefined || [...selected(body.first), ...keys].some(hasAggregate);
    if (isGrouped || body.first.distinct || keys.length > 0) found.hasJob = true;
  }
  const isAlone = body.rest.length === 0 && keys.length === 0 && !body.limit;
  inTerm(body.first, tables, isAlone && isOutermost, found);
  for (const { term } of body.rest) inTerm(term, tables, false, found);
}

/** Returns the sort keys. A subquery without LIMIT is not sorted: Hive drops its order. */
function visibleSortKeys(body: QueryBody, isOutermost: boolean): readonly Expression[] {
  if (!isOutermost && !body.limit) return [];
  if (body.orderBy) return body.orderBy.map(({ expression }) => expression);
  return (body.sortBy?.map(({ expression }) => expression) ?? body.clusterBy ?? []).filter(
    ({ kind }) => kind !== "number",
  );
}

function inTerm(term: QueryTerm, tables: Tables, isOutermost: boolean, found: Findings) {
  switch (term.kind) {
    case "select":
      return inSelect(term, tables, found);
    case "values":
      for (const item of term.rows.flat()) inExpression(item, tables, found);
      return undefined;
    case "body":
      return inBody(term.body, tables, isOutermost, found);
  }
}

/** Returns the expressions that Hive computes over groups. */
const selected = ({ items, having }: Select): readonly Expression[] => [
  ...items.flatMap((item) => (item.kind === "expression" ? [item.expression] : [])),
  ...(having ? [having] : []),
];

function inSelect(select: Select, tables: Tables, found: Findings) {
  if (select.from) inRelation(select.from, tables, found);
  const clauses = [select.where, select.qualify, ...(select.groupBy?.keys ?? [])].filter((each) => each !== undefined);
  for (const expression of [...clauses, ...selected(select)]) inExpression(expression, tables, found);
  for (const { window } of select.windows) for (const key of window.partitionBy) inExpression(key, tables, found);
  if (select.groupBy || select.distinct || selected(select).some(hasAggregate)) found.hasJob = true;
  if (usesAliasInHaving(select, found.settings)) found.isUnoptimized = true;
}

function inRelation(relation: Relation, tables: Tables, found: Findings): void {
  switch (relation.kind) {
    case "table": {
      const common = relation.database === undefined ? tables.get(relation.table) : undefined;
      const view = common ? undefined : found.viewAt(relation);
      if (common) inQuery(common.table.query, withoutTable(common.tables, relation.table), false, found);
      if (view) inQuery(view, new Map(), false, found);
      if (relation.sample) found.isUnoptimized = true;
      return;
    }
    case "subquery":
      return inQuery(relation.query, tables, false, found);
    case "values":
      for (const item of relation.values.rows.flat()) inExpression(item, tables, found);
      return;
    case "join":
      found.hasJob = true;
      inRelation(relation.left, tables, found);
      inRelation(relation.right, tables, found);
      return relation.on && inExpression(relation.on, tables, found);
    case "lateral":
      if (relation.outer) found.isUnoptimized = true;
      inExpression(relation.call, tables, found);
      return inRelation(relation.input, tables, found);
    case "table function":
      found.isUnoptimized = true;
      return inRelation(relation.input, tables, found);
  }
}

/** Returns the tables that the query of a table of WITH can use, without the table itself: that one is refused. */
function withoutTable(tables: Tables, name: string): Tables {
  const others = new Map(tables);
  others.delete(name);
  return others;
}

function inExpression(node: Expression, tables: Tables, found: Findings) {
  if (node.kind === "call" && node.window) found.hasJob = true;
  if (node.kind === "call" && !node.window && node.distinct && node.arguments.length > 1 && hasAggregate(node))
    found.isUnoptimized = true;
  const query = queryIn(node);
  if (query) {
    found.hasJob = true;
    inBody(query, tables, false, found);
  }
  for (const child of subexpressions(node)) inExpression(child, tables, found);
}

/** Returns true when HAVING reads a column of the select list by its alias, and not a key of GROUP BY. */
function usesAliasInHaving({ items, groupBy, having }: Select, settings: Settings): boolean {
  if (!having) return false;
  const keys = (groupBy?.keys ?? []).flatMap((key) => {
    const item = key.kind === "number" && settings.groupByPosition ? items[Number(key.text) - 1] : undefined;
    return item?.kind === "expression" ? [key, item.expression] : [key];
  });
  const aliases = new Set(items.flatMap((item) => (item.kind === "expression" ? item.aliases : [])));
  const names = new Set(keys.flatMap((key) => (key.kind === "name" || key.kind === "field" ? [key.name] : [])));
  const written = new Set(keys.map(textOf));
  const reads = (node: Expression): boolean => {
    if (written.has(textOf(node)) || (node.kind === "call" && !node.window && hasAggregateName(node))) return false;
    if (node.kind === "name") return aliases.has(node.name) && !names.has(node.name);
    return subexpressions(node).some(reads);
  };
  return reads(having);
}

/** Returns true when a call is an aggregate itself. */
const hasAggregateName = (node: Extract<Expression, { kind: "call" }>) => hasAggregate({ ...node, arguments: [] });

/** Returns a text that two expressions share when they are written in the same way, at any position. */
const textOf = (node: Expression) =>
  JSON.stringify(node, (key, value: unknown) => (key === "position" ? undefined : value));
