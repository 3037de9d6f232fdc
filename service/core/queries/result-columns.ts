/** The columns that a reader of a result finds. */
import type { Column } from "../../../contract";

/** The types whose values are read back from text as they were; of any other type a reader gets the text. */
const readTypes =
  /^(?:boolean|tinyint|smallint|int|bigint|float|double|date|timestamp|binary|(?:decimal|varchar|char)\([\d,]+\)|string)$/;

/**
 * Returns the columns of a result as those of a table: names in lower case, of which the second `n` is `n_1`, and values of
 * other types, such as arrays, as strings.
 */
export function readableColumns(columns: readonly Column[]): Column[] {
  const taken = new Set<string>();
  return columns.map(({ name, type }) => {
    const given = name.toLowerCase();
    let unique = given;
    for (let count = 1; taken.has(unique); count += 1) unique = `${given}_${count}`;
    taken.add(unique);
    return { name: unique, type: readTypes.test(type) ? type : "string" };
  });
}
