/** The percentile that Hive's percentile_approx returns while its histogram has a bin for each distinct value. */
import type { DuckDBListValue } from "@duckdb/node-api";

/**
 * Returns a percentile of finite numbers: between the first value that at least this share of the numbers does not
 * exceed, and the value before it.
 * @param share greater than 0 and less than 1.
 */
export function percentileOf(values: DuckDBListValue, share: number): number {
  const sorted = Float64Array.from(values.items as readonly number[]).toSorted();
  const total = sorted.length;
  let below = 0;
  let end = sorted.lastIndexOf(sorted[0] ?? 0) + 1;
  while (end < total && end / total < share) {
    below = end;
    while (end < total && sorted[end] === sorted[below]) end += 1;
  }
  const value = sorted[below] ?? 0;
  const previous = sorted[below - 1] ?? value;
  return below === 0 ? value : previous + ((share * total - below) * (value - previous)) / (end - below);
}
