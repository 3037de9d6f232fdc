/** The queries of a statement, and the values that its columns stand for. */
import { childrenOf } from "./children";
import { contains, identity } from "./facts";
import type { Column, Part, Query, Relation, Select, Typed } from "./nodes";

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

function collect(query: Query, found: Query[]): void {
  switch (query.kind) {
    case "select": {
      collectFrom(query.from, found);
      const { where, groups, having, precomputed, columns, qualify, orderBy } = query;
      const conditions = [where, having, qualify].filter((value) => value !== undefined);
      const listed = [...columns, ...orderBy, ...(groups?.columns ?? [])].map(({ value }) => value);
      collectIn([...conditions, ...listed, ...(precomputed?.values ?? [])], found);
      break;
    }
    case "set operation":
      for (const side of query.sides) collect(side.query, found);
      break;
    case "values":
      collectIn(query.rows.flat(), found);
      break;
    case "sorted":
      collect(query.query, found);
      collectIn(
        query.orderBy.map(({ value }) => value),
        found,
      );
      break;
  }
  found.push(query);
}

function collectFrom(relation: Relation, found: Query[]): void {
  switch (relation.kind) {
    case "query":
      return collect(relation.query, found);
    case "join":
      collectFrom(relation.left, found);
      collectFrom(relation.right, found);
      return collectIn(relation.on ? [relation.on] : [], found);
    case "lateral view":
      collectFrom(relation.input, found);
      return collectIn([relation.rows], found);
    case "rows":
      return collectFrom(relation.input, found);
    case "table":
    case "common table":
    case "one row":
  }
}

function collectIn(parts: readonly Part[], found: Query[]): void {
  for (const part of parts) {
    if (!contains(part, "query")) continue;
    if ("node" in part && part.node.kind === "query") {
      const { subquery } = part.node;
      collect(subquery.query, found);
      if ("operand" in subquery) collectIn([subquery.operand], found);
    } else collectIn(childrenOf(part), found);
  }
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
