/** Names of tables in statements. */

/** A table as a statement names it, `<database>.<table>`; a name that is not a plain word stands in backticks. */
export function qualifiedName(database: string, table: string): string {
  return `${identifier(database)}.${identifier(table)}`;
}

function identifier(name: string): string {
  return /^[a-z][a-z0-9_]*$/.test(name) ? name : `\`${name}\``;
}
