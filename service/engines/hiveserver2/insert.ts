/** The statement that writes the rows of another one. */
import type { OutputFormat } from "../../../contract";
import type { Dialect, ResultText } from "./dialect";
import { quoteName, resultName, rowText } from "./dialects/text";

/**
 * Returns the statement that writes the rows of the given one as text, one line a row; without a folder, the one that
 * selects them.
 * @param result the columns of its rows
 */
export function insertStatement(
  statement: string,
  result: readonly ResultText[],
  { format, folder, dialect }: { readonly format: OutputFormat; readonly folder?: string; readonly dialect: Dialect },
): string {
  const insert = folder === undefined ? "" : `${dialect.insertInto(folder)} `;
  const select = (names: readonly string[]) =>
    `${insert}SELECT ${rowText(
      result.map(({ textOf }, index) => textOf(names[index]!)),
      format,
    )}`;
  const own = result.map(({ name }) => name);
  if (own.every((name) => name !== undefined))
    return `${select(own.map(quoteName))} FROM (${statement}\n) ${resultName}`;
  const given = result.map((_, index) => `dag_c${index}`);
  return `WITH ${resultName} (${given.join(", ")}) AS (${statement}\n) ${select(given)} FROM ${resultName}`;
}
