/** The joins of subqueries in expressions. DuckDB cannot run each of them inside of a correlated subquery. */
import { type JoinKind, type Relation, unsupported } from "../../syntax";
import { relationsOf, relationsOfQuery } from "../../tree/facts";
import type { Select, Typed } from "../../tree/nodes";
import type { BoundFrom } from "../relations";
import type { EnclosingScope, Scope } from "../scope";
import { renamed } from "./lateral-view";

/**
 * Returns a join of a subquery in a form that DuckDB runs: LEFT SEMI JOIN and FULL JOIN become a table of WITH, which
 * DuckDB puts back into the plan after it has resolved the correlation.
 * @throws HiveQLError when such a join, or ON of another outer join, reads a column of the outer query.
 */
export function joinOfSubquery(
  { join, position }: Extract<Relation, { kind: "join" }>,
  joined: BoundFrom,
  on: Typed | undefined,
  { context, parent }: EnclosingScope,
): BoundFrom {
  if (isInner(join)) return joined;
  const outer = outerRelations(parent);
  const name = `${join.toUpperCase()} JOIN`;
  const remedy = "compare it in WHERE of the subquery";
  const isOuter = (relation: string) => outer.has(relation);
  if (on && relationsOf(on).some(isOuter))
    throw unsupported(position, `ON of ${name}`, `reads a column of the outer query: ${remedy}`);
  if (join === "left" || join === "right") return joined;
  const alias = context.uniqueName("t");
  const { outputs, sources } = renamed(joined.sources, alias);
  const query: Select = { kind: "select", from: joined.relation, columns: outputs, isDistinct: false, orderBy: [] };
  if (relationsOfQuery(query).some(isOuter))
    throw unsupported(position, name, `joins a subquery that reads a column of the outer query: ${remedy}`);
  const table = context.uniqueName("w");
  context.ctes.push({ name: table, query });
  return { relation: { kind: "common table", name: table, alias }, sources };
}

/** The joins that DuckDB runs with any condition. */
export type InnerJoin = Extract<JoinKind, "inner" | "cross" | "comma">;

/** Returns true for a join that DuckDB runs with any condition. */
export const isInner = (join: JoinKind): join is InnerJoin => join === "inner" || join === "cross" || join === "comma";

/** Returns the aliases of the relations of the outer queries. */
function outerRelations(parent: Scope | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  for (let scope = parent; scope; scope = scope.parent) {
    const values = scope.sources.flatMap(({ columns }) => columns.map(({ value }) => value));
    for (const relation of values.flatMap(relationsOf)) found.add(relation);
    if (scope.grouping) found.add(scope.grouping.alias);
  }
  return found;
}
