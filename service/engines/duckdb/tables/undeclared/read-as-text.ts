/** Undeclared columns of text files, whose types are inferred from their values. */
import type { QueryNote } from "../../../../../contract";
import type { TypedColumn } from "./column-types";

export interface UndeclaredColumn {
  readonly database: string;
  readonly table: string;
  readonly name: string;
  /** The inferred type; not `string`. */
  readonly type: string;
}

/** Returns a column that is read as text. An empty cell is NULL, as it is for the inferred type. */
export const readAsText = ({ name }: TypedColumn): TypedColumn => ({ name, type: "string", isEmptyNull: true });

/** Thrown when a statement can be translated only if these columns are read as the texts that they are. */
export class NeedsText extends Error {
  override readonly name = "NeedsText";

  constructor(readonly columns: readonly UndeclaredColumn[]) {
    super("columns must be read as text");
  }
}

/** Returns what the user should know of a column that is read as text. */
export const textNote = ({ database, table, name, type }: UndeclaredColumn): QueryNote => ({
  severity: "note",
  text: `column ${name} of ${database}.${table} is read as string, and compared as one: the statement combines it with strings, and its type ${type} was inferred from the data. With cast(${name} AS string) in that place, it stays a ${type}`,
});
