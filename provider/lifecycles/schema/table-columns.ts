/** Validates and compares the `schema` input of a table. */
import { ApiError, formatColumns, parseColumns } from "../../../contract";

/** Returns the problem of a column definition list; undefined if it is valid. */
export function schemaProblem(schema: string): string | undefined {
  try {
    parseColumns(schema);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** Returns the names of the columns; undefined if the list is not valid. */
export function columnNames(schema: string): readonly string[] | undefined {
  return schemaProblem(schema) === undefined ? parseColumns(schema).map(({ name }) => name) : undefined;
}

/** Returns true when two column definition lists define the same columns, apart from formatting. */
export function sameColumns(before: string, after: string): boolean {
  try {
    return formatColumns(parseColumns(before)) === formatColumns(parseColumns(after));
  } catch {
    return false;
  }
}
