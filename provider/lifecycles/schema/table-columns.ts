/** Validates and compares the `schema` input of a table. */
import { ApiError, formatColumns, parseColumns } from "../../../contract";

/** Returns the problem of a column definition list, which quotes it unless it is secret; undefined if it is valid. */
export function schemaProblem(schema: string, { secret }: { readonly secret: boolean }): string | undefined {
  try {
    parseColumns(schema);
    return undefined;
  } catch (error) {
    const hidden = "schema cannot be used; the reason is not shown, because an input is secret";
    if (error instanceof ApiError) return secret ? hidden : error.message;
    throw error;
  }
}

/** Returns the names of the columns; undefined if the list is not valid. */
export function columnNames(schema: string): readonly string[] | undefined {
  return schemaProblem(schema, { secret: true }) === undefined
    ? parseColumns(schema).map(({ name }) => name)
    : undefined;
}

/** Returns true when two column definition lists define the same columns, apart from formatting. */
export function sameColumns(before: string, after: string): boolean {
  try {
    return formatColumns(parseColumns(before)) === formatColumns(parseColumns(after));
  } catch {
    return false;
  }
}
