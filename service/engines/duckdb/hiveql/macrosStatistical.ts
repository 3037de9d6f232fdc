/** DuckDB macros of Hive's statistics. */

const define = (parameters: readonly string[], body: string) => ({ parameters, body });

// Values around a position in a sorted list l; positions count from 0.
const lower = "CAST(l[CAST(floor(place) AS BIGINT) + 1] AS DOUBLE)";
const higher = "CAST(l[CAST(ceil(place) AS BIGINT) + 1] AS DOUBLE)";

const checked = (body: string) =>
  define(
    ["l", "p"],
    `CASE WHEN len(l) > 0 THEN CASE WHEN p IS NULL OR p < 0 OR p > 1 THEN error('a percentile is from 0 to 1') ELSE ${body} END END`,
  );

export const statisticalMacros = {
  // From a sum of squares, a sum and a count.
  hive_variance: define(["q", "s", "n"], "CASE WHEN n > 0 THEN (q - s * s / n) / n END"),
  hive_sample_variance: define(["q", "s", "n"], "CASE WHEN n > 1 THEN (q - s * s / n) / (n - 1) END"),

  hive_percentile_between: define(
    ["l", "place"],
    `CASE WHEN ${lower} = ${higher} THEN ${lower} ELSE (ceil(place) - place) * ${lower} + (place - floor(place)) * ${higher} END`,
  ),
  hive_percentile_above: define(["l", "place"], higher),
  hive_percentile: checked("hive_percentile_between(l, (len(l) - 1) * p)"),
  hive_percentile_disc: checked("hive_percentile_above(l, (len(l) - 1) * p)"),
} as const;
