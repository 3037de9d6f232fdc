/** How Hive runs a statement, which `rules/plan.ts` reads from the syntax tree. */
import type { Query, Relation } from "../syntax";

/** How Hive runs a statement. */
export interface Plan {
  /** True when Hive's optimizer plans the statement. */
  readonly isOptimized: boolean;
  /** True when Hive runs a job, and does not only fetch the rows of a table. */
  readonly runsJob: boolean;
}

/** Returns the query of the view that a place names; undefined for a table. */
export type Views = (node: Extract<Relation, { kind: "table" }>) => Query | undefined;
