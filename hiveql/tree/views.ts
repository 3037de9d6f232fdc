/** The views that a statement reads. */
import type { Query, Relation } from "../syntax";

/** Returns the query of the view that a place names; undefined for a table. */
export type Views = (node: Extract<Relation, { kind: "table" }>) => Query | undefined;
