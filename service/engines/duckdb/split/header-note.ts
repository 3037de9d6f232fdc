/** Tells when a split with a schema has a header row, which is then data. */
import { headerRowWarning, type Column, type InputFormat } from "../../../../contract";
import { firstRecords } from "../tables/head";

/** Number of bytes at the beginning of an object that are read to find its first row. */
export const headerBytes = 64 * 1024;

/**
 * Returns a line for the query's log when the first row has exactly the names of the declared columns.
 * @param bytes the beginning of an object, decompressed.
 */
export function headerNote(
  bytes: Buffer,
  format: InputFormat,
  columns: readonly Column[] | null | undefined,
): string | undefined {
  if (!columns || format === "json") return undefined;
  const [row] = firstRecords({ bytes, more: bytes.length >= headerBytes }, format, 1);
  const cells = row?.split(format === "csv" ? "," : "\t").map(nameOf);
  if (cells?.length !== columns.length) return undefined;
  if (!columns.every(({ name }, index) => name.toLowerCase() === cells[index])) return undefined;
  return headerRowWarning;
}

function nameOf(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim()
    .toLowerCase();
}
