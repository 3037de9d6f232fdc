/** DuckDB macros for Hive's array and map functions. */
import { define } from "./define";

/**
 * Returns SQL of the elements of the list `l` that equal no earlier one, in their order. It sorts them and compares
 * neighbours, since comparing each element with all others takes minutes for 100,000 elements.
 */
const firstOfEach = (): string => {
  const sorted = `list_sort(list_zip(l, range(len(l)), l))`;
  const isFirst = `hive_p[2] IS NULL OR hive_p[1][1] IS DISTINCT FROM hive_p[2][1]`;
  const first = `list_filter(list_zip(${sorted}, list_prepend(NULL, ${sorted}), true), lambda hive_p: ${isFirst})`;
  const inOrder = `list_sort(list_transform(${first}, lambda hive_p: row(hive_p[1][2], hive_p[1][3])))`;
  return `CASE WHEN l IS NOT NULL THEN list_transform(${inOrder}, lambda hive_p: hive_p[2]) END`;
};

export const collectionMacros = {
  // Removes duplicates and keeps the first occurrence; keeps one NULL.
  hive_list_distinct: define({ l: 7 }, firstOfEach()),
  // Builds a map of entries {k, v}: keys in the order of their first occurrence, with their last values.
  hive_map_by: define(
    { entries: 1, keys: 16 },
    `map(hive_list_distinct(keys),
      list_transform(hive_list_distinct(keys), lambda hive_k: entries[len(keys) + 1 - list_position(list_reverse(keys), hive_k)].v))`,
  ),
  hive_map_of: define({ entries: 32 }, "hive_map_by(entries, list_transform(entries, lambda hive_e: hive_e.k))"),

  // Java's split by a fixed text drops trailing empty parts if the text contains the delimiter.
  hive_without_tail: define(
    { parts: 6 },
    `CASE WHEN len(parts) = 1 THEN parts
      ELSE parts[1:len(parts) + 1 - coalesce(nullif(list_position(list_transform(list_reverse(parts), lambda hive_x: hive_x <> ''), TRUE), 0), len(parts) + 1)] END`,
  ),
  hive_java_split: define({ s: 6, d: 6 }, "hive_without_tail(string_split(s, d))"),
  hive_text_map: define(
    { s: 7, d: 6, e: 4 },
    // Most texts have each key once, and need not be sorted.
    `list_transform([list_transform(CASE WHEN s IS NULL THEN [] ELSE hive_java_split(s, d) END, lambda hive_x: CASE WHEN contains(hive_x, e)
        THEN struct_pack(k := hive_x[:strpos(hive_x, e) - 1], v := hive_x[strpos(hive_x, e) + length(e):]) ELSE struct_pack(k := hive_x, v := NULL) END)],
      lambda hive_l: CASE WHEN list_unique(list_transform(hive_l, lambda hive_e: hive_e.k)) = len(hive_l) THEN map_from_entries(hive_l) ELSE hive_map_of(hive_l) END)[1]`,
  ),
  // Texts that a pattern finds to be keys with values are read as JSON, which is several times faster. Each of a few keys
  // is looked up among all, which is faster than a set of them.
  hive_plain_text_map: define(
    { s: 9, d: 8, e: 8, pattern: 1 },
    `coalesce(list_filter([CASE WHEN regexp_full_match(s, pattern) THEN from_json('{"' || replace(replace(s, d, '","'), e, '":"') || '"}', '"MAP(VARCHAR,VARCHAR)"') END],
      lambda hive_m: CASE WHEN cardinality(hive_m) > 16 THEN list_unique(map_keys(hive_m)) = cardinality(hive_m)
        ELSE NOT list_contains(list_transform(map_keys(hive_m), lambda hive_k, hive_i: list_position(map_keys(hive_m), hive_k) = hive_i), FALSE) END)[1],
      hive_text_map(s, d, e))`,
  ),
} as const;
