/** Macros of texts. */
import { multiLetterUppercase } from "../udf/case";
import { define } from "./define";

const blank = String.raw`[\x00-\x20]*`;

/** Characters that are two UTF-16 code units. */
const supplementary = String.raw`[\x{10000}-\x{10FFFF}]`;

const padded = (name: "lpad" | "rpad") =>
  define(
    { s: 4, n: 2, pad: 4 },
    `CASE WHEN strlen(s) + strlen(pad) > length(s) + length(pad) AND regexp_matches(s || pad, '${supplementary}')
      THEN error('HiveQL: ${name} of characters beyond U+FFFF, which Java counts as two: filter such texts out') ELSE ${name}(s, hive_not_negative(n), nullif(pad, '')) END`,
  );

/** The macros by name. */
export const textMacros = {
  // ASCII text and text without special letters take the fast path.
  hive_upper: define(
    { s: 5 },
    `CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '[${multiLetterUppercase}]') THEN upper(s) ELSE upper(hive_expand_upper(s)) END`,
  ),
  hive_lower: define(
    { s: 5 },
    "CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '[Σİ]') THEN lower(s) ELSE hive_lower_in_words(s) END",
  ),
  // These count UTF-16 code units as Java does: a character beyond U+FFFF counts as two.
  hive_instr: define(
    { s: 5, part: 2 },
    `CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '${supplementary}') THEN CAST(strpos(s, part) AS INTEGER) ELSE hive_instr_halves(s, part) END`,
  ),
  hive_substring_index: define(
    { s: 6, d: 3, n: 6 },
    `CASE WHEN n = 0 AND s IS NOT NULL THEN '' WHEN n IS NOT NULL THEN list_transform(
      [list_filter(range(1, length(s) - length(d) + 2), lambda i: substr(s, i, length(d)) = d)],
      lambda p: CASE WHEN len(p) < abs(CAST(n AS BIGINT)) THEN s WHEN n > 0 THEN s[:p[n] - 1] ELSE s[p[len(p) + n + 1] + 1:] END)[1] END`,
  ),
  hive_not_negative: define(
    { n: 2 },
    "CASE WHEN n < 0 THEN error('HiveQL: lpad or rpad with a negative length: write greatest(length, 0)') ELSE n END",
  ),
  hive_lpad: padded("lpad"),
  hive_rpad: padded("rpad"),
  // DuckDB's reverse keeps combining accents after their letter; Java's does not.
  hive_reverse: define({ s: 4 }, "CASE WHEN strlen(s) = length(s) THEN reverse(s) ELSE hive_reverse_characters(s) END"),
  hive_trim: define({ s: 1 }, `regexp_replace(s, '^${blank}|${blank}$', '', 'g')`),
  hive_text_boolean: define(
    { s: 3 },
    "CASE WHEN s IS NULL THEN NULL WHEN length(s) = 0 OR lower(s) IN ('false', 'no', 'off', '0') THEN FALSE ELSE TRUE END",
  ),
  // Returns NULL for a start or length beyond the range of int.
  hive_substr: define(
    { s: 4, p: 6, n: 3 },
    `CASE WHEN p BETWEEN -2147483648 AND 2147483647 AND n BETWEEN -2147483648 AND 2147483647 AND s IS NOT NULL
      THEN CASE WHEN n < 1 OR abs(p) > length(s) THEN ''
        ELSE substr(s, CASE WHEN p = 0 THEN 1 WHEN p < 0 THEN length(s) + p + 1 ELSE p END, n) END END`,
  ),
  hive_substr_binary: define(
    { b: 6, p: 18, n: 7 },
    "CASE WHEN n BETWEEN -2147483648 AND 2147483647 THEN unhex(hive_substr(hex(b), CASE WHEN p > 0 THEN 2 * p - 1 ELSE 2 * p END, 2 * least(n, 1073741823))) END",
  ),
  hive_ends_line: define({ s: 1 }, String.raw`regexp_matches(s, '[\n\r\x{85}\x{2028}\x{2029}]\z')`),
  hive_regex_group: define(
    { n: 2 },
    "CASE WHEN n IS NULL THEN CAST(error('HiveQL: the group number of a regular expression is NULL: write nvl(number, 1)') AS INTEGER) ELSE n END",
  ),
  hive_unhex: define(
    { s: 4 },
    "CASE WHEN strlen(s) > length(s) OR regexp_matches(s, '[+-]') THEN error('HiveQL: unhex of a string with a sign, or with characters beyond ASCII: filter such texts out') ELSE list_transform([s], lambda hive_u: TRY(unhex(hive_u)))[1] END",
  ),
  hive_like: define(
    { s: 1, p: 1 },
    String.raw`s LIKE replace(replace(replace(p, '\', '\\'), '\\%', '\%'), '\\_', '\_') ESCAPE '\'`,
  ),
  hive_replace: define(
    { s: 3, part: 3, b: 3 },
    `CASE WHEN part IS NULL THEN NULL WHEN part <> '' THEN replace(s, part, b) WHEN s = '' THEN b
      WHEN s IS NOT NULL AND b IS NOT NULL THEN error('HiveQL: replace with an empty search string: write if(part = '''', s, replace(s, part, by)) for the text as it is') END`,
  ),
  // DuckDB's array_to_string needs a constant separator.
  hive_join: define(
    { parts: 2, separator: 1 },
    "CASE WHEN len(parts) = 0 THEN '' ELSE list_reduce(parts, lambda hive_l, hive_r: hive_l || separator || hive_r) END",
  ),
  hive_repeat: define({ s: 2, n: 3 }, "CASE WHEN n > 0 THEN repeat(s, n) WHEN n <= 0 AND s IS NOT NULL THEN '' END"),
  hive_locate: define(
    { part: 3, s: 4, p: 6 },
    `CASE WHEN part IS NULL OR s IS NULL THEN NULL WHEN p IS NULL OR p < 1 OR p > length(s) + 1 THEN 0
      WHEN strpos(substr(s, p), part) = 0 THEN 0 ELSE CAST(strpos(substr(s, p), part) + p - 1 AS INTEGER) END`,
  ),
  hive_ascii: define(
    { s: 9 },
    `CASE WHEN s IS NULL THEN NULL WHEN s = '' THEN 0 WHEN ascii(s) < 128 THEN ascii(s) WHEN ascii(s) < 2048 THEN (ascii(s) >> 6) - 64
      WHEN ascii(s) < 65536 THEN (ascii(s) >> 12) - 32 ELSE (ascii(s) >> 18) - 16 END`,
  ),
} as const;
