/** The views that a statement reads. */
import { HiveQLError, type Query, type Relation } from "../syntax";
import type { View } from "./nodes";

/** Returns the query of the view that a place names; undefined for a table. */
export type Views = (node: Extract<Relation, { kind: "table" }>) => Query | undefined;

/** Returns an error in the query of a view as one at the place that names the view. */
export const inView = (error: unknown, { name, position }: View): unknown =>
  error instanceof HiveQLError
    ? new HiveQLError(position, error.problem, `view ${name}`, `its query at ${error.message}`).blame(
        error.inferred ?? [],
      )
    : error;

/** Returns an error as one in the statement, whatever views it stands in. */
export const inStatement = (error: unknown, view: View | undefined): unknown =>
  view ? inStatement(inView(error, view), view.outer) : error;
