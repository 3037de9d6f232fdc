/** The column of a scan that says to which partition a row belongs. */

/** Name of the column; partitions are counted from 1. */
export const partitionColumn = "p";

/** Returns SQL of the column for a scan of several files. */
export function partitionNumber(files: readonly { readonly partition: number }[]): string {
  const numbers = files.map(({ partition }) => partition + 1);
  const [first = 1] = numbers;
  if (numbers.every((number) => number === first)) return `${first} AS ${partitionColumn}`;
  return `([${numbers.join(", ")}])[CAST(file_index AS BIGINT) + 1] AS ${partitionColumn}`;
}

/** Returns SQL of a partition column's value. @param values SQL of its value in each partition; at least one. */
export function partitionValue(values: readonly [string, ...string[]]): string {
  const [first] = values;
  if (values.every((value) => value === first)) return first;
  return `([${values.join(", ")}])[${partitionColumn}]`;
}
