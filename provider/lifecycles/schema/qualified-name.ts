/** Qualified names of tables in HiveQL statements. */

/** Returns `<database>.<table>` for a statement. Names that are not plain identifiers are quoted in backticks. */
export function qualifiedName(database: string, table: string): string {
  return `${identifier(database)}.${identifier(table)}`;
}

function identifier(name: string): string {
  return /^[a-z][a-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}
