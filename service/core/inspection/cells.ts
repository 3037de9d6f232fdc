/** Limits the size of samples. */
import { shortened } from "../../../contract";

/** Characters of a cell that a sample shows. */
const maxCell = 2000;
/** Cells of a sample: of wide rows it has fewer, but whole ones. */
const maxCells = 50_000;

/** Returns how many rows of so many columns a sample may have: at least one. */
export function rowsOfSample(limit: number, columns: number): number {
  return Math.max(1, Math.min(limit, Math.floor(maxCells / Math.max(1, columns))));
}

/** Cuts long cells off; they end in `…`. */
export function cutCells(rows: readonly (readonly (string | null)[])[]): (string | null)[][] {
  return rows.map((row) => row.map(cutCell));
}

function cutCell(cell: string | null): string | null {
  return cell && shortened(cell, maxCell);
}
