/** The column of a scan that says to which partition a row belongs. */
import { quoteLiteral } from "../sql-quoting";

/** Name of the column; partitions are counted from 1. */
export const partitionColumn = "p";

/** Returns SQL of the column for a scan of several files. */
export function partitionNumber(files: readonly { readonly partition: number }[]): string {
  const numbers = files.map(({ partition }) => partition + 1);
  const [first = 1] = numbers;
  if (numbers.every((number) => number === first)) return `${first} AS ${partitionColumn}`;
  const list = `CAST(${quoteLiteral(`[${numbers.join(",")}]`)} AS INTEGER[])`;
  return `${list}[CAST(file_index AS BIGINT) + 1] AS ${partitionColumn}`;
}
