/** Functions of Hive that the translator knows and refuses, with what to write instead. */

/** A group of functions that are refused for one reason. */
interface RefusedFunctions {
  readonly names: readonly string[];
  /** A clause that continues "function f …" and says what to do instead. */
  readonly reason: string;
}

/** A text with its letters and digits replaced as `mask` does. */
const masked =
  "regexp_replace(regexp_replace(regexp_replace(s, '\\\\p{Lu}', 'X'), '\\\\p{Ll}', 'x'), '\\\\p{Nd}', 'n')";

/** The rows of a regression are those with both values. */
const [xOfBoth, yOfBoth] = ["if(y IS NULL, NULL, x)", "if(x IS NULL, NULL, y)"];
const slope = `covar_pop(y, x) / var_pop(${xOfBoth})`;
const regressions = [
  ["avgx", `avg(${xOfBoth})`],
  ["avgy", `avg(${yOfBoth})`],
  ["count", `count(${xOfBoth})`],
  ["intercept", `avg(${yOfBoth}) - ${slope} * avg(${xOfBoth})`],
  ["r2", "pow(corr(y, x), 2), and 1 where y is the same in all rows"],
  ["slope", slope],
  ["sxx", `count(${xOfBoth}) * var_pop(${xOfBoth})`],
  ["sxy", `count(${xOfBoth}) * covar_pop(y, x)`],
  ["syy", `count(${yOfBoth}) * var_pop(${yOfBoth})`],
] as const;

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
    names: ["mask", "mask_first_n", "mask_last_n", "mask_show_first_n", "mask_show_last_n"],
    reason: `is not supported: write ${masked}, for a part of the text over substr`,
  },
  { names: ["mask_hash"], reason: "is not supported: write sha2(s, 256)" },
  { names: ["aes_encrypt", "aes_decrypt"], reason: "is not supported: encrypt and decrypt in your program" },
  {
    names: ["histogram_numeric"],
    reason: "is not supported: write percentile_approx, or count(*) by floor(x / width)",
  },
  {
    names: ["interval_year_month", "interval_day_time"],
    reason: "is not supported: write an INTERVAL literal, such as INTERVAL '3' DAY",
  },
  {
    names: ["murmur_hash"],
    reason: "is the hash of bucketed tables, which is not computed: write hash(x), whose values are others",
  },
  ...regressions.map(([of, instead]) => ({ names: [`regr_${of}`], reason: `is not supported: write ${instead}` })),
  { names: ["index"], reason: "is not supported: write a[i] for index(a, i)" },
  {
    names: ["width_bucket"],
    reason:
      "wraps, rounds and truncates by the types of its arguments: write least(greatest(floor((x - low) * n / (high - low)) + 1, 0), n + 1)",
  },
  { names: ["tumbling_window"], reason: "is not supported: group by floor(unix_timestamp(t) / seconds) * seconds" },
  {
    names: ["replicate_rows"],
    reason: "is not supported: write LATERAL VIEW explode(split(space(n - 1), ' ')) r AS space WHERE n > 0",
  },
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
  { names: ["json_read"], reason: "is not supported: write get_json_object(text, '$.field')" },
  {
    names: ["array_join"],
    reason:
      "is not supported: write concat_ws(delimiter, array) for strings without NULL, or else concat_ws(delimiter, collect_list(cast(x AS string))) over the exploded array",
  },
  {
    names: ["year", "quarter", "month", "week", "day", "hour", "minute", "second"].flatMap((unit) => [
      `floor_${unit}`,
      `floor to ${unit}`,
    ]),
    reason: "is not supported: write trunc(date, 'MM'), or date_format with the fields that stay",
  },
  {
    names: ["to_epoch_milli"],
    reason: "is not supported: write unix_timestamp(time) * 1000 + cast(date_format(time, 'SSS') AS int)",
  },
];

const byName = new Map(refusedFunctions.flatMap(({ names, reason }) => names.map((name) => [name, reason] as const)));

/** Returns why a function is refused and what to write instead; undefined for a function that is not known. */
export const refusalOf = (name: string): string | undefined => byName.get(name);
