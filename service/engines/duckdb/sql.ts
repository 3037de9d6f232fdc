/** Writing values into DuckDB SQL. */

/** A string literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** An identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A literal for a path where DuckDB expects a pattern: it matches this one file, whatever characters its name has. */
export function quotePath(path: string): string {
  return quoteText(path.replace(/[[*?]/g, "[$&]"));
}
