/** DuckDB macros for Hive's statistical aggregates. */
import { define, type Macro } from "./define";

// The values next to a position in a sorted list l; positions start at 0.
const lower = "CAST(l[CAST(floor(place) AS BIGINT) + 1] AS DOUBLE)";
const higher = "CAST(l[CAST(ceil(place) AS BIGINT) + 1] AS DOUBLE)";

const percentileMacro = (uses: Macro["uses"], body: string) =>
  define(
    uses,
    `CASE WHEN len(l) > 0 THEN CASE WHEN p IS NULL OR p < 0 OR p > 1 THEN error('HiveQL: a percentile must be from 0 to 1') ELSE ${body} END END`,
  );

export const statisticalMacros = {
  hive_percentile_between: define(
    { l: 5, place: 9 },
    `CASE WHEN ${lower} = ${higher} THEN ${lower} ELSE (ceil(place) - place) * ${lower} + (place - floor(place)) * ${higher} END`,
  ),
  hive_percentile_above: define({ l: 1, place: 1 }, higher),
  hive_percentile: percentileMacro({ l: 19, p: 12 }, "hive_percentile_between(l, (len(l) - 1) * p)"),
  hive_percentile_disc: percentileMacro({ l: 3, p: 4 }, "hive_percentile_above(l, (len(l) - 1) * p)"),

  // Hive compares NaN and infinities by their bits and not by value.
  hive_finite_value: define(
    { x: 3 },
    "CASE WHEN NOT isfinite(x) THEN error('HiveQL: approximate percentile of ' || CAST(x AS VARCHAR) || ': filter such numbers out') ELSE x END",
  ),
  hive_percentile_approx: define(
    { l: 2, p: 5 },
    `CASE WHEN len(l) > 0 THEN CASE WHEN p IS NULL OR p <= 0 OR p >= 1 THEN error('HiveQL: percentile_approx needs a percentile above 0 and below 1, not ' || coalesce(CAST(p AS VARCHAR), 'NULL'))
      ELSE hive_percentile_of(l, p) END END`,
  ),
} as const;
