/** The queries of a statement, and the values that its columns stand for. */
import { childrenOf, isData, isPart } from "./children";
import { contains, identity } from "./facts";
import type { Column, Query, Relation, Select, Typed } from "./nodes";

/** A bound statement. */
export interface Statement {
  readonly query: Query;
  /** The tables of WITH, in the order in which they are defined. */
  readonly tables: readonly { readonly name: string; readonly query: Query }[];
}

/** Returns all queries of a statement; a query stands after those that it reads. */
export function queriesOf({ query, tables }: Statement): readonly Query[] {
  const found: Query[] = [];
  for (const each of [...tables.map((table) => table.query), query]) collect(each, found);
  return found;
}

const queryKinds: ReadonlySet<unknown> = new Set<Query["kind"]>(["select", "set operation", "values", "sorted"]);

const isQuery = (data: object): data is Query => "kind" in data && queryKinds.has(data.kind);

/** Adds the queries in a query, value or other data of the tree. */
function collect(data: object, found: Query[]): void {
  if (isPart(data)) {
    if (!contains(data, "query")) return;
    if ("node" in data && data.node.kind === "query") collect(data.node.subquery, found);
    else for (const child of childrenOf(data)) collect(child, found);
    return;
  }
  for (const [name, value] of Object.entries(data)) if (isData(name, value)) collect(value, found);
  if (isQuery(data) && !found.includes(data)) found.push(data);
}

/** The value of a column of a subquery, a table of WITH, a lateral view's input or groups. */
export interface Definition {
  readonly value: Typed;
  /** The query that computes it; undefined for columns that only pass through. */
  readonly select?: Select;
}

/** Definitions by the identity of the column. */
export type Definitions = ReadonlyMap<string, Definition>;

/** Returns the definitions of all columns of a statement. */
export function definitionsOf(statement: Statement): Definitions {
  const found = new Map<string, Definition>();
  const define = (relation: string, name: string, definition: Definition) =>
    void found.set(identity({ relation, name }), definition);
  const defineOutputs = (alias: string, query: Query | undefined) => {
    if (query?.kind !== "select") return;
    for (const column of query.columns) define(alias, column.alias, { value: column.value, select: query });
  };
  const inRelation = (relation: Relation): void => {
    switch (relation.kind) {
      case "query":
        return defineOutputs(relation.alias, relation.query);
      case "common table":
        return defineOutputs(relation.alias, statement.tables.find(({ name }) => name === relation.name)?.query);
      case "join":
        inRelation(relation.left);
        return inRelation(relation.right);
      case "lateral view":
        inRelation(relation.input);
        for (const { value, alias } of relation.kept) define(relation.alias, alias, { value });
        return;
      case "rows":
        return inRelation(relation.input);
      case "table":
      case "one row":
    }
  };
  for (const query of queriesOf(statement)) {
    if (query.kind !== "select") continue;
    inRelation(query.from);
    for (const { value, alias } of query.groups?.columns ?? [])
      define(query.groups?.alias ?? "", alias, { value, select: query });
  }
  return found;
}

/** Returns what a column stands for; undefined for columns of tables and the like. */
export const definitionOf = (column: Column, definitions: Definitions): Definition | undefined =>
  definitions.get(identity(column));

/** Returns the relations whose columns can be named outside of a relation. */
export const aliasesOf = (relation: Relation): readonly string[] => {
  if (relation.kind === "join") return [...aliasesOf(relation.left), ...aliasesOf(relation.right)];
  return "alias" in relation ? [relation.alias] : [];
};
