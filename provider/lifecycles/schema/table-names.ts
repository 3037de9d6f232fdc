/** The names of tables: in HiveQL statements, and of the folders of their objects. */

/** A table as the inputs of a SplitTable and the record of a split name it. */
interface NamedTable {
  readonly outputDatabase: string;
  readonly outputTable?: string | undefined;
}

/** Returns the outputs that are names of a table. */
export function namesOf(table: NamedTable) {
  return { location: folderOfTable(table), qualifiedName: qualifiedNameOf(table) };
}

/** Returns the folder of a table. */
export function folderOfTable({ outputDatabase, outputTable }: NamedTable): string {
  return `dag://${outputDatabase}/${outputTable}/`;
}

/** Returns the name of a table for statements. */
export function qualifiedNameOf({ outputDatabase, outputTable }: NamedTable): string {
  return qualifiedName(outputDatabase, outputTable!);
}

/** Returns `<database>.<table>` for a statement. Names that are not plain identifiers are quoted in backticks. */
export function qualifiedName(database: string, table: string): string {
  return `${identifier(database)}.${identifier(table)}`;
}

function identifier(name: string): string {
  return /^[a-z][a-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}
