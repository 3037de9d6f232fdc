/** Finds the tables that a query reads, each with the conditions that its rows must meet. */
import {
  conjuncts,
  type CommonTable,
  type Expression,
  type Query,
  type QueryBody,
  queryIn,
  type QueryTerm,
  type Relation,
  type Select,
  subexpressions,
} from "../syntax";
import type { Views } from "../tree/views";
import { pushable } from "./push";

/** The node of a table in FROM. */
export type TableNode = Extract<Relation, { kind: "table" }>;

/** The conditions of one place that reads a table; a row that does not meet all of them cannot change the answer. */
export type Conditions = readonly Expression[];

/**
 * Returns the conditions of each table in FROM, also in its views, once for each time that it is read. Conditions are taken from WHERE and ON, also through joins and simple subqueries; they may name columns of
 * other tables too.
 */
export function tableReads(query: Query, viewAt: Views): ReadonlyMap<TableNode, readonly Conditions[]> {
  const found: Found = { reads: new Map(), viewAt, uses: new Map() };
  inQuery(query, new Map(), [], found);
  return found.reads;
}

interface Found {
  readonly reads: Map<TableNode, Conditions[]>;
  readonly viewAt: Views;
  /** How often each table of WITH was visited. */
  readonly uses: Map<CommonTable, number>;
}

/** The tables of WITH by name, each with those that its own query can use. */
type CommonTables = ReadonlyMap<string, { readonly table: CommonTable; readonly names: CommonTables }>;

/** Places of a table of WITH whose conditions are told apart. */
const maxUses = 8;

function inQuery(query: Query, outer: CommonTables, conditions: Conditions, found: Found): void {
  const names = new Map(outer);
  for (const table of query.with) names.set(table.name, { table, names });
  inBody(query.body, names, conditions, found);
}

function inBody(body: QueryBody, names: CommonTables, conditions: Conditions, found: Found): void {
  const keys = [...(body.orderBy ?? []), ...(body.sortBy ?? [])].map(({ expression }) => expression);
  for (const key of [...keys, ...(body.distributeBy ?? []), ...(body.clusterBy ?? [])]) inExpression(key, names, found);
  inTerm(body.first, names, body.rest.length === 0 ? conditions : [], found);
  for (const { term } of body.rest) inTerm(term, names, [], found);
}

function inTerm(term: QueryTerm, names: CommonTables, conditions: Conditions, found: Found): void {
  switch (term.kind) {
    case "select":
      return inSelect(term, names, conditions, found);
    case "values":
      for (const item of term.rows.flat()) inExpression(item, names, found);
      return;
    case "body":
      return inBody(term.body, names, conditions, found);
  }
}

function inSelect(select: Select, names: CommonTables, outer: Conditions, found: Found): void {
  for (const node of expressionsOf(select)) inExpression(node, names, found);
  if (!select.from) return;
  const conditions = [...conjuncts(select.where), ...outer];
  inRelation(select.from, names, hasUsing(select.from) ? conditions.filter(isQualified) : conditions, found);
}

const expressionsOf = ({ items, where, groupBy, having, windows, qualify }: Select): readonly Expression[] => [
  ...items.flatMap((item) => (item.kind === "expression" ? [item.expression] : [])),
  ...[where, having, qualify].filter((each) => each !== undefined),
  ...(groupBy?.keys ?? []),
  ...windows.flatMap(({ window }) => [...window.partitionBy, ...window.orderBy.map(({ expression }) => expression)]),
];

function inExpression(node: Expression, names: CommonTables, found: Found): void {
  const query = queryIn(node);
  if (query) inBody(query, names, [], found);
  for (const child of subexpressions(node)) inExpression(child, names, found);
}

function inRelation(relation: Relation, names: CommonTables, conditions: Conditions, found: Found): void {
  switch (relation.kind) {
    case "table": {
      const common = relation.database === undefined ? names.get(relation.table) : undefined;
      if (common) return inCommonTable(common, relation, conditions, found);
      const view = found.viewAt(relation);
      if (view) {
        const { alias = relation.table } = relation;
        return inQuery(view, new Map(), pushable(conditions, { query: view, alias }), found);
      }
      // A sample is taken of all rows.
      const own = relation.sample ? [] : conditions;
      found.reads.set(relation, [...(found.reads.get(relation) ?? []), own]);
      return;
    }
    case "subquery":
      return inQuery(relation.query, names, pushable(conditions, relation), found);
    case "values":
      for (const item of relation.values.rows.flat()) inExpression(item, names, found);
      return;
    case "join": {
      if (relation.on) inExpression(relation.on, names, found);
      const on = conjuncts(relation.on);
      const { where, join } = { where: keepsWhere[relation.join], join: keepsOn[relation.join] };
      inRelation(relation.left, names, [...(where.left ? conditions : []), ...(join.left ? on : [])], found);
      inRelation(relation.right, names, [...(where.right ? conditions : []), ...(join.right ? on : [])], found);
      return;
    }
    case "lateral":
      inExpression(relation.call, names, found);
      return inRelation(relation.input, names, conditions, found);
    case "table function":
      return inRelation(relation.input, names, [], found);
  }
}

/** Visits a table of WITH for one of its places: the rows that it needs are those of any place. */
function inCommonTable(
  { table, names }: { readonly table: CommonTable; readonly names: CommonTables },
  { alias = table.name }: TableNode,
  conditions: Conditions,
  found: Found,
): void {
  const uses = (found.uses.get(table) ?? 0) + 1;
  found.uses.set(table, uses);
  if (uses > maxUses) return;
  // A table that reads itself is refused by the translation.
  const others = new Map(names);
  others.delete(table.name);
  const { query } = table;
  const canPush = uses < maxUses && table.columns === undefined;
  inQuery(query, others, canPush ? pushable(conditions, { query, alias }) : [], found);
}

type Sides = Readonly<Record<"left" | "right", boolean>>;
type JoinKinds = Extract<Relation, { kind: "join" }>["join"];

const [none, left, right, both] = [
  { left: false, right: false },
  { left: true, right: false },
  { left: false, right: true },
  { left: true, right: true },
] as const satisfies readonly Sides[];

/** The sides of which a row that does not meet WHERE can be left out: not those that the join fills with NULLs. */
const keepsWhere: Readonly<Record<JoinKinds, Sides>> = {
  inner: both,
  cross: both,
  comma: both,
  left,
  right,
  full: none,
  "left semi": left,
  "left anti": left,
};

/** The sides of which a row that does not meet ON can be left out: not those whose rows the join keeps in any case. */
const keepsOn: Readonly<Record<JoinKinds, Sides>> = {
  inner: both,
  cross: both,
  comma: both,
  left: right,
  right: left,
  full: none,
  "left semi": both,
  "left anti": right,
};

/** Returns true when a join of a FROM clause has USING, whose columns have no relation. */
function hasUsing(relation: Relation): boolean {
  switch (relation.kind) {
    case "join":
      return relation.using !== undefined || hasUsing(relation.left) || hasUsing(relation.right);
    case "lateral":
    case "table function":
      return hasUsing(relation.input);
    default:
      return false;
  }
}

/** Returns true when every column of a condition names its relation. */
const isQualified = (node: Expression): boolean =>
  node.kind === "field" && node.base.kind === "name"
    ? true
    : node.kind !== "name" && subexpressions(node).every(isQualified);
