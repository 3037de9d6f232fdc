/** DuckDB macros for numbers: sums, RANGE keys. */
import { define } from "./define";

export const numberMacros = {
  // The quotient of HUGEINTs, rounded half away from zero; NULL for the divisor 0.
  hive_rounded_quotient: define({ n: 2, d: 3 }, "(2 * abs(n) + abs(d)) // (2 * abs(d)) * (sign(n) * sign(d))"),
  // Sums of decimals with 38 digits, at most m; DuckDB's sums reach 1.7e38.
  hive_fitting: define({ x: 2, m: 2 }, "CASE WHEN x BETWEEN -m AND m THEN x END"),
  // The sum x, of which d is the sum as doubles; NULL when they differ by m and more.
  hive_checked_sum: define({ x: 2, d: 1, m: 1 }, "CASE WHEN abs(d - CAST(x AS DOUBLE)) < m THEN x END"),
  hive_decimal_sum: define(
    { x: 7, y: 6, m: 4 },
    `CASE WHEN y IS NULL THEN x WHEN NOT y BETWEEN -m AND m THEN NULL WHEN x IS NULL THEN y
      WHEN x > 0 AND y > m - x THEN NULL WHEN x < 0 AND y < -m - x THEN NULL ELSE x + y END`,
  ),
  // Writes x with n decimals, by a pattern; p = 10ⁿ. Near a half and for large numbers, Java's digits decide.
  hive_format_number: define(
    { x: 5, n: 1, p: 3, f: 1 },
    `CASE WHEN abs(x) * p < 1e11 AND abs(abs(x) * p - trunc(abs(x) * p) - 0.5) > 1e-4 THEN format(f, x)
      ELSE hive_format_double(x, CAST(n AS INTEGER)) END`,
  ),
  // n / d with the digits that the power of ten u adds, rounded half away from zero; NULL for the divisor 0.
  hive_long_quotient: define(
    { n: 4, d: 8, u: 4 },
    "CASE WHEN d <> 0 THEN n // d * u + hive_rounded_quotient((n % d) * u, d) END",
  ),
  // Keys of RANGE frames with an offset; they fail when Hive's distance between keys can overflow.
  hive_range_bigint: define(
    { x: 2 },
    "CASE WHEN abs(CAST(x AS HUGEINT)) > 4611686018427387903 THEN error('HiveQL: RANGE frame over bigints of 2^62 or more: filter such keys out') ELSE x END",
  ),
  hive_range_decimal: define(
    { x: 2 },
    "CASE WHEN abs(x) > 1000000000 THEN error('HiveQL: RANGE frame over decimals greater than 1000000000: filter such keys out') ELSE x END",
  ),
  hive_printed_double: define(
    { x: 4 },
    "CASE WHEN abs(x) >= 9007199254740992 AND isfinite(x) THEN error('HiveQL: printf of a number of 2^53 or more: ' || CAST(x AS VARCHAR) || '. Cast it to string, and write %s') ELSE x END",
  ),
  hive_short_decimal: define(
    { x: 4 },
    "CASE WHEN x = trunc(x) THEN CAST(CAST(trunc(x) AS HUGEINT) AS VARCHAR) ELSE regexp_replace(rtrim(CAST(x AS VARCHAR), '0'), '^(-?)[.]', '\\10.') END",
  ),
} as const;
