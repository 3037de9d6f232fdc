/** Quotes values and names for DuckDB SQL. */

/** Returns a string literal. */
export function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns a quoted identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns a string literal for a path where DuckDB expects a glob pattern: wildcards are escaped. */
export function quotePathPattern(path: string): string {
  return quoteLiteral(path.replace(/[[*?]/g, "[$&]"));
}
