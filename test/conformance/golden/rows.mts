/** Compares rows in Hive's output format: cells separated by tabs, NULL as `NULL`. */

const numeral = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;

export interface RowOrder {
  /** True when the order of the rows is compared. */
  readonly isOrdered: boolean;
  /** Indexes of the columns that the rows are sorted by; rows that are equal in all of them may have any order. */
  readonly by: readonly number[];
  /**
   * The allowed relative difference of numbers.
   * @default 1e-6
   */
  readonly tolerance?: number;
}

/** Returns true when both lists have the same rows. */
export function sameRows(expected: readonly string[], got: readonly string[], order: RowOrder): boolean {
  const { isOrdered, by, tolerance = 1e-6 } = order;
  if (expected.length !== got.length) return false;
  if (by.length > 0) {
    const keys = (row: string) => by.map((column) => row.split("\t")[column] ?? "").join("\t");
    return (
      expected.every((row, index) => sameRow(keys(row), keys(got[index] ?? ""), tolerance)) &&
      sameRows(expected, got, { isOrdered: false, by: [], tolerance })
    );
  }
  const byText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
  const left = isOrdered ? expected : expected.toSorted((a, b) => byText(rounded(a), rounded(b)));
  const right = isOrdered ? got : got.toSorted((a, b) => byText(rounded(a), rounded(b)));
  if (left.every((row, index) => sameRow(row, right[index] ?? "", tolerance))) return true;
  if (isOrdered || left.length > 3000) return false;
  const rest = [...right];
  return left.every((row) => {
    const found = rest.findIndex((candidate) => sameRow(row, candidate, tolerance));
    if (found >= 0) rest.splice(found, 1);
    return found >= 0;
  });
}

/** Returns true when two values are equal; numbers, also in complex values, may differ by the relative tolerance. */
export function sameCell(expected: string, got: string, tolerance: number): boolean {
  if (expected === got) return true;
  if (!numeral.test(expected) || !numeral.test(got)) return sameMembers(expected, got, tolerance);
  const [left, right] = [Number(expected), Number(got)];
  return left === right || Math.abs(left - right) <= tolerance * Math.max(Math.abs(left), Math.abs(right));
}

/** Returns the sort key of a row: rounds fractions to nine digits, so that almost equal rows sort together. */
function rounded(row: string): string {
  const cells = row.split("\t").map((cell) => {
    if (!numeral.test(cell)) return cell;
    const value = Number(cell);
    return Number.isInteger(value) ? String(value) : value.toPrecision(9);
  });
  return cells.join("\t");
}

function sameRow(expected: string, got: string, tolerance: number): boolean {
  if (expected === got) return true;
  const [left, right] = [expected.split("\t"), got.split("\t")];
  return left.length === right.length && left.every((cell, index) => sameCell(cell, right[index] ?? "", tolerance));
}

function sameMembers(expected: string, got: string, tolerance: number): boolean {
  if (!/^[[{]/.test(expected) || !/^[[{]/.test(got)) return false;
  const [left, right] = [expected.split(/([,:[\]{}])/), got.split(/([,:[\]{}])/)];
  return (
    left.length === right.length &&
    left.every((part, index) => {
      const other = right[index] ?? "";
      return part === other || (numeral.test(part) && numeral.test(other) && sameCell(part, other, tolerance));
    })
  );
}
