/** Names the columns of Parquet files. Hive's names have no case, and those of a file may differ in it only. */
import type { ParquetColumn, ParquetGroup } from "./schema";

const lower = ({ storedName }: ParquetColumn) => storedName.toLowerCase();

/** Returns the names of all files' columns, in lower case. */
export const namesOf = (groups: readonly ParquetGroup[]) =>
  new Set(groups.flatMap(({ columns }) => columns.map(lower)));

/**
 * Returns the columns of a file by their names in the table, in their order. Names are in lower case; of those that differ
 * in case only, the one in lower case or else the first in the order of their characters has it, and the others are
 * numbered, such as `x_1`.
 * @param taken the names of all files of the table, which no number makes.
 */
export function byTableName(
  columns: readonly ParquetColumn[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, ParquetColumn> {
  const isLower = (column: ParquetColumn) => column.storedName === lower(column);
  const inOrder = [...columns].sort(
    (a, b) => Number(isLower(b)) - Number(isLower(a)) || (a.storedName < b.storedName ? -1 : 1),
  );
  const given = new Set<string>();
  const names = new Map<ParquetColumn, string>();
  for (const column of inOrder) {
    let unique = lower(column);
    for (let number = 1; given.has(unique); number += 1) {
      const numbered = `${lower(column)}_${number}`;
      if (!taken.has(numbered)) unique = numbered;
    }
    given.add(unique);
    names.set(column, unique);
  }
  return new Map(columns.map((column) => [names.get(column)!, column]));
}
