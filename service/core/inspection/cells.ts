/** Limits the size of samples. */

/** Characters of a cell that a sample shows. */
const maxCell = 2000;
/** Columns of a row that a sample shows. */
const maxColumns = 500;

/** Cuts long cells off; they end in `…`. */
export function cutRows(rows: readonly (readonly (string | null)[])[]): (string | null)[][] {
  return rows.map((row) => row.slice(0, maxColumns).map(cutCell));
}

function cutCell(cell: string | null): string | null {
  return cell !== null && cell.length > maxCell ? `${cell.slice(0, maxCell)}…` : cell;
}
