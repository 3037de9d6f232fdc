/** Functions of Hive that the translator knows and refuses, with what to write instead. */

/** A group of functions that are refused for one reason. */
interface RefusedFunctions {
  readonly names: readonly string[];
  /** A clause that continues "function f …" and says what to do instead. */
  readonly reason: string;
}

export const refusedFunctions: readonly RefusedFunctions[] = [
  {
    names: ["reflect", "reflect2", "java_method", "in_file"],
    reason: "runs Java code or reads files on the server, which the embedded engine does not allow",
  },
  {
    names: ["logged_in_user", "current_groups", "surrogate_key"],
    reason: "depends on the session of a Hive server: write its value",
  },
  {
    names: ["compute_stats", "compute_bit_vector_hll", "ndv_compute_bit_vector", "approx_distinct"],
    reason: "depends on the format of Hive's sketches: count with count(DISTINCT …)",
  },
  {
    names: ["", "_boolean", "_double", "_float", "_int", "_long", "_number", "_short", "_string"].map(
      (of) => `xpath${of}`,
    ),
    reason: "reads XML, which the embedded engine does not: cut the value out with regexp_extract",
  },
  {
    names: ["ngrams", "context_ngrams", "sentences"],
    reason:
      "splits a text into words by rules of Java's library: split it with split(s, ' '), and count with explode and GROUP BY",
  },
  {
    names: ["mask", "mask_hash", "mask_first_n", "mask_last_n", "mask_show_first_n", "mask_show_last_n"],
    reason: "is not supported: write regexp_replace(s, '[A-Z]', 'X'), or sha2(s, 256) for a hash",
  },
  { names: ["aes_encrypt", "aes_decrypt"], reason: "is not supported: encrypt and decrypt in your program" },
  {
    names: ["histogram_numeric"],
    reason: "is not supported: write percentile_approx, or count(*) by floor(x / width)",
  },
  {
    names: ["interval_year_month", "interval_day_time"],
    reason: "is not supported: write an INTERVAL literal, such as INTERVAL '3' DAY",
  },
  { names: ["murmur_hash"], reason: "is the hash of bucketed tables, which is not computed: write hash(x)" },
  {
    names: ["avgx", "avgy", "count", "intercept", "r2", "slope", "sxx", "sxy", "syy"].map((of) => `regr_${of}`),
    reason: "is not supported: write the slope as covar_pop(y, x) / var_pop(x), and r2 as pow(corr(y, x), 2)",
  },
  { names: ["index"], reason: "is not supported: write a[i] for index(a, i)" },
  {
    names: ["width_bucket"],
    reason: "wraps, rounds and truncates by the types of its arguments: write floor((x - low) / (high - low) * n) + 1",
  },
  { names: ["tumbling_window"], reason: "is not supported: group by floor(unix_timestamp(t) / seconds) * seconds" },
  { names: ["replicate_rows"], reason: "is not supported: write LATERAL VIEW explode(split(space(n - 1), ' '))" },
  {
    names: ["array_union", "array_intersect", "array_except", "array_remove"],
    reason:
      "compares elements that Hive may not have read, with an answer that depends on the file format: explode the arrays, and filter or group the elements",
  },
  {
    names: ["sort_array_by"],
    reason: "is not supported: make structs that begin with the field to sort by, and write sort_array(array)",
  },
  { names: ["array_slice"], reason: "is not supported: write posexplode(array) and a condition on the position" },
  { names: ["array_join"], reason: "is not supported: write concat_ws(delimiter, array)" },
  {
    names: ["year", "quarter", "month", "week", "day", "hour", "minute", "second"].flatMap((unit) => [
      `floor_${unit}`,
      `floor to ${unit}`,
    ]),
    reason: "is not supported: write trunc(date, 'MM'), or date_format with the fields that stay",
  },
  { names: ["to_epoch_milli"], reason: "is not supported: write unix_timestamp(time) * 1000" },
];

const byName = new Map(refusedFunctions.flatMap(({ names, reason }) => names.map((name) => [name, reason] as const)));

/** Returns why a function is refused and what to write instead; undefined for a function that is not known. */
export const refusalOf = (name: string): string | undefined => byName.get(name);
