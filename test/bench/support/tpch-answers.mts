/** Compares the rows of two answers. */

/** Share by which two numbers may differ: Hive rounds averages and quotients of decimals to fewer digits. */
const tolerance = 1e-6;

/** Describes the first difference between two answers in their order; undefined when they are the same. */
export function differenceOf(own: readonly (readonly string[])[], peer: readonly (readonly string[])[]) {
  if (own.length !== peer.length) return `${own.length} rows instead of ${peer.length}`;
  for (const [row, cells] of own.entries()) {
    const expected = peer[row]!;
    const column = cells.findIndex((cell, index) => !isSame(cell, expected[index]!));
    if (column >= 0) return `row ${row + 1}, column ${column + 1} is ${cells[column]!} instead of ${expected[column]!}`;
  }
  return undefined;
}

function isSame(left: string | null, right: string | null): boolean {
  if (left === right) return true;
  if (left === null || right === null || left.trim() === "" || right.trim() === "") return false;
  const [first, second] = [Number(left), Number(right)];
  return Math.abs(first - second) <= tolerance * Math.max(1, Math.abs(first), Math.abs(second));
}
