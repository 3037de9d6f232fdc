/** The statement that writes the rows of another one. */
import type { OutputFormat } from "../../../contract";
import type { Dialect } from "./dialect";
import { rowText } from "./dialects/text";

const resultName = "dag_result";

/** Returns the name of a column of a result in the statement that writes it. */
export const resultColumn = (index: number) => `dag_c${index}`;

/**
 * Returns the statement that writes the rows of the given one as text, one line a row; without a folder, the one that
 * selects them.
 * @param texts the texts of its columns
 */
export function insertStatement(
  statement: string,
  texts: readonly string[],
  { format, folder, dialect }: { readonly format: OutputFormat; readonly folder?: string; readonly dialect: Dialect },
): string {
  const names = texts.map((_, index) => resultColumn(index));
  return [
    `WITH ${resultName} (${names.join(", ")}) AS (${statement}\n)`,
    ...(folder === undefined ? [] : [dialect.insertInto(folder)]),
    `SELECT ${rowText(texts, format)} FROM ${resultName}`,
  ].join(" ");
}
