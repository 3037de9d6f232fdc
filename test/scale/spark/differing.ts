/** Rules of Spark's SQL that differ from Hive's; docs/scale/hiveserver2-clusters.md lists them. */
const rules = {
  nulls: "NULLs are the first in ascending and the last in descending order",
  textAndNumber: "a text compared with a number is converted to its type, and IN compares texts",
  char: "a char keeps the spaces at its end",
  digits: "a decimal has all digits of its scale",
  hash: "hash() is another function",
  functions: "a function is missing, or gives another answer",
  days: "a date with days added or subtracted is a date",
  texts: "a text is a date or a timestamp in other forms",
} as const;

/** The statements with another answer, and the rule. */
export const differing = {
  conditional_counts: rules.textAndNumber,
  cube_ranked: rules.nulls,
  fixed_width_text: rules.char,
  hashes: rules.hash,
  ids_of_mixed_types: rules.textAndNumber,
  intervals: rules.days,
  last_day_of_events: rules.texts,
  literal_arithmetic: rules.digits,
  recency_and_frequency: rules.nulls,
  signup_dates_formatted: rules.functions,
  signup_dates_shifted: rules.functions,
  texts_as_numbers: rules.textAndNumber,
  top_n: rules.nulls,
  url_parts: rules.functions,
  url_tuples: rules.functions,
} as const;
