/** The names of a table. */
import { qualifiedName } from "../schema/qualified-name";
import type { SplitTableInputs } from "./split-table-properties";

type Table = Pick<SplitTableInputs, "outputDatabase" | "outputTable">;

/** Returns the outputs that are names of the table. */
export function namesOf(table: Table) {
  return { location: folderOf(table), qualifiedName: qualifiedNameOf(table) };
}

/** Returns the folder of the table. */
export function folderOf({ outputDatabase, outputTable }: Table): string {
  return `dag://${outputDatabase}/${outputTable}/`;
}

/** Returns the name of the table for statements. */
export function qualifiedNameOf({ outputDatabase, outputTable }: Table): string {
  return qualifiedName(outputDatabase, outputTable!);
}
