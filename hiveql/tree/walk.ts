/** The queries of a statement. */
import { childrenOf, isData, isTyped } from "./children";
import { contains } from "./facts";
import type { Query, Typed } from "./nodes";

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

/** Returns the values of a statement, in its order; each stands before its operands. */
export function valuesOf(statement: Statement): readonly Typed[] {
  const found: Typed[] = [];
  const seen = new Set<object>();
  const visit = (data: object): void => {
    if (seen.has(data)) return;
    seen.add(data);
    if (isTyped(data)) found.push(data);
    for (const [name, value] of Object.entries(data)) if (isData(name, value)) visit(value);
  };
  visit(statement);
  return found;
}

const queryKinds: ReadonlySet<unknown> = new Set<Query["kind"]>(["select", "set operation", "values", "sorted"]);

const isQuery = (data: object): data is Query => "kind" in data && queryKinds.has(data.kind);

/** Adds the queries in a query, value or other data of the tree. */
function collect(data: object, found: Query[]): void {
  if (isTyped(data)) {
    if (!contains(data, "query")) return;
    if (data.node.kind === "query") collect(data.node.subquery, found);
    else for (const child of childrenOf(data)) collect(child, found);
    return;
  }
  for (const [name, value] of Object.entries(data)) if (isData(name, value)) collect(value, found);
  if (isQuery(data) && !found.includes(data)) found.push(data);
}
