/** A table's `schema` input: what is wrong with it, and when two say the same. */
import { ApiError, formatColumns, parseColumns } from "../../../contract";

/** What is wrong with a column definition list; undefined where it can be used. */
export function schemaProblem(schema: string): string | undefined {
  try {
    parseColumns(schema);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** Whether two column definition lists say the same, however they are written. */
export function sameColumns(before: string, after: string): boolean {
  try {
    return formatColumns(parseColumns(before)) === formatColumns(parseColumns(after));
  } catch {
    return false;
  }
}
