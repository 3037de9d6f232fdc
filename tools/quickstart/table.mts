/** Formats rows as a table for the terminal. */

/**
 * @param names of the columns
 * @param rows cells as text; null is shown as NULL
 * @returns lines with aligned columns; numbers are aligned to the right
 */
export function formatTable(names: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = rows.map((row) => names.map((_, column) => row[column] ?? "NULL"));
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const isNumber = names.map((_, column) => cells.every((row) => /^-?\d+(\.\d+)?$|^NULL$/.test(row[column] ?? "")));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(names), widths.map((width) => "─".repeat(width)).join("  "), ...cells.map(line)].join("\n");
}
