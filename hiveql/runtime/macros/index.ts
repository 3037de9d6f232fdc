/** DuckDB macros for behaviour of Hive that DuckDB's functions do not have; created once on each connection. */
import { multiLetterUppercase } from "../udf/case";
import { define, type Macro } from "./define";
import { familyMacros } from "./families";

const integer = String.raw`[+-]?[0-9]+`;
const blank = String.raw`[\x00-\x20]*`;

/** Parses an integer as Hive's LazyInteger does: drops the fraction and does not accept exponents. */
const textToInteger = (type: string) =>
  define(
    ["s"],
    `CASE WHEN regexp_full_match(s, '${integer}') THEN TRY_CAST(s AS ${type})
      WHEN regexp_full_match(s, '[+-]?[0-9]*\\.[0-9]*') AND regexp_matches(s, '[0-9]')
        THEN TRY_CAST(CASE WHEN regexp_matches(s, '^[+-]?\\.') THEN '0' ELSE regexp_extract(s, '^[+-]?[0-9]+') END AS ${type}) END`,
  );

/** Parses a floating point number as Java does: ignores a suffix d or f, and does not accept `inf` and `1_0`. */
const textToApproximate = (type: string) =>
  define(
    ["s"],
    `CASE WHEN TRY_CAST(s AS ${type}) IS NOT NULL AND isfinite(TRY_CAST(s AS ${type})) AND NOT contains(s, '_') THEN TRY_CAST(s AS ${type})
      WHEN regexp_full_match(s, '${blank}[+-]?(NaN|Infinity)${blank}') THEN TRY_CAST(s AS ${type})
      WHEN regexp_full_match(s, '${blank}[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?${blank}') THEN TRY_CAST(regexp_extract(s, '[-+.0-9eE]+') AS ${type}) END`,
  );

/** Converts DuckDB's text of a number outside 0.001 … 10⁷ to Java's scientific notation. */
const scientific = define(
  ["s"],
  `CASE WHEN starts_with(s, '-') THEN '-' ELSE '' END || CASE
    WHEN contains(s, 'e') THEN CASE WHEN contains(split_part(s, 'e', 1), '.') THEN ltrim(split_part(s, 'e', 1), '-') ELSE ltrim(split_part(s, 'e', 1), '-') || '.0' END
      || 'E' || CAST(CAST(split_part(s, 'e', 2) AS INTEGER) AS VARCHAR)
    WHEN starts_with(ltrim(s, '-'), '0.') THEN hive_mantissa(ltrim(replace(ltrim(s, '-'), '.', ''), '0'))
      || 'E-' || CAST(length(ltrim(s, '-')) - 1 - length(ltrim(replace(ltrim(s, '-'), '.', ''), '0')) AS VARCHAR)
    ELSE hive_mantissa(rtrim(replace(ltrim(s, '-'), '.', ''), '0')) || 'E' || CAST(strpos(ltrim(s, '-'), '.') - 2 AS VARCHAR) END`,
);

/** True for doubles for which Java may print other digits than the shortest unique ones. */
const mayDifferFromShortest =
  "abs(x) BETWEEN 9007199254740992 AND 1e30 OR abs(x) < 1e-320 OR log2(abs(x)) = floor(log2(abs(x)))";

/** Rounds x to n places, with p = 10ⁿ. Near a half and for large numbers, the slow function uses Java's digits. */
const rounded = (toEven: string) =>
  define(
    ["x", "n", "p"],
    `CASE WHEN abs(x) * p < 1e14 AND abs(abs(x) * p - trunc(abs(x) * p) - 0.5) > 1e-4 THEN round(x, n) ELSE hive_round_double(x, CAST(n AS INTEGER), ${toEven}) END`,
  );

/** Wrapping bigint arithmetic. A test with doubles, which may be inexact, avoids HUGEINT far from the limits. */
const wrappingBigint = (operator: string) =>
  define(
    ["x", "y"],
    `CASE WHEN abs(CAST(x AS DOUBLE) ${operator} CAST(y AS DOUBLE)) < 9.2e18 THEN x ${operator} y
      ELSE hive_wrap_bigint(CAST(x AS HUGEINT) ${operator} CAST(y AS HUGEINT)) END`,
  );

/** Characters that are two UTF-16 code units. */
const supplementary = String.raw`[\x{10000}-\x{10FFFF}]`;

const padded = (name: "lpad" | "rpad") =>
  define(
    ["s", "n", "pad"],
    `CASE WHEN strlen(s) + strlen(pad) = length(s) + length(pad) OR NOT regexp_matches(s || pad, '${supplementary}')
      THEN ${name}(s, hive_not_negative(n), nullif(pad, '')) ELSE hive_${name}_halves(s, hive_not_negative(n), pad) END`,
  );

export const macros = {
  // Integers wrap on overflow: the argument has a wider type that holds the exact result.
  hive_wrap_tinyint: define(["x"], "CAST((((x & 255) + 128) & 255) - 128 AS TINYINT)"),
  hive_wrap_smallint: define(["x"], "CAST((((x & 65535) + 32768) & 65535) - 32768 AS SMALLINT)"),
  hive_wrap_int: define(["x"], "CAST((((x & 4294967295) + 2147483648) & 4294967295) - 2147483648 AS INTEGER)"),
  hive_wrap_bigint: define(
    ["x"],
    "CAST((((CAST(x AS HUGEINT) & 18446744073709551615) + 9223372036854775808) & 18446744073709551615) - 9223372036854775808 AS BIGINT)",
  ),
  // A faster variant for values that mostly fit; its argument must be cheap because it occurs several times.
  hive_narrow_int: define(
    ["x"],
    "CAST(CASE WHEN x BETWEEN -2147483648 AND 2147483647 THEN x ELSE hive_wrap_int(x) END AS INTEGER)",
  ),
  hive_light_add: wrappingBigint("+"),
  hive_light_subtract: wrappingBigint("-"),
  hive_light_multiply: wrappingBigint("*"),

  // Java's conversion of floating point to integers: NaN becomes 0, and large numbers the largest integer.
  hive_saturate_int: define(
    ["x"],
    "CASE WHEN isnan(x) THEN 0 WHEN x >= 2147483647 THEN 2147483647 WHEN x <= -2147483648 THEN -2147483648 ELSE CAST(trunc(x) AS INTEGER) END",
  ),
  hive_checked_int: define(
    ["x"],
    "CASE WHEN isnan(x) THEN 0 WHEN abs(x) >= 2147483648 THEN error('HiveQL: a number out of range of int is cast to int') ELSE CAST(trunc(x) AS INTEGER) END",
  ),
  hive_saturate_bigint: define(
    ["x"],
    "CASE WHEN isnan(x) THEN 0 WHEN x >= 9223372036854775807 THEN 9223372036854775807 WHEN x <= -9223372036854775808 THEN -9223372036854775808 ELSE CAST(trunc(x) AS BIGINT) END",
  ),

  hive_text_tinyint: textToInteger("TINYINT"),
  hive_text_smallint: textToInteger("SMALLINT"),
  hive_text_int: textToInteger("INTEGER"),
  hive_text_bigint: textToInteger("BIGINT"),
  hive_text_float: textToApproximate("FLOAT"),
  hive_text_double: textToApproximate("DOUBLE"),
  // DuckDB rounds decimals with an exponent wrongly, and accepts underscores.
  hive_text_digits: define(
    ["s"],
    "CASE WHEN regexp_full_match(s, '[-+0-9.]+') THEN s WHEN NOT contains(s, '_') THEN hive_plain_decimal(s) END",
  ),
  hive_double_float: define(
    ["x"],
    "CASE WHEN isfinite(x) AND abs(x) >= 3.4028235677973366e38 THEN CAST(sign(x) * CAST('Infinity' AS DOUBLE) AS FLOAT) ELSE CAST(x AS FLOAT) END",
  ),
  // ASCII text and text without special letters take the fast path.
  hive_upper: define(
    ["s"],
    `CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '[${multiLetterUppercase}]') THEN upper(s) ELSE upper(hive_expand_upper(s)) END`,
  ),
  hive_lower: define(
    ["s"],
    "CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '[Σİ]') THEN lower(s) ELSE hive_lower_in_words(s) END",
  ),
  // These count UTF-16 code units as Java does: a character beyond U+FFFF counts as two.
  hive_instr: define(
    ["s", "part"],
    `CASE WHEN strlen(s) = length(s) OR NOT regexp_matches(s, '${supplementary}') THEN CAST(strpos(s, part) AS INTEGER) ELSE hive_instr_halves(s, part) END`,
  ),
  hive_substring_index: define(
    ["s", "d", "n"],
    `CASE WHEN n = 0 AND s IS NOT NULL THEN '' WHEN n IS NOT NULL THEN list_transform(
      [list_filter(range(1, length(s) - length(d) + 2), lambda i: substr(s, i, length(d)) = d)],
      lambda p: CASE WHEN len(p) < abs(CAST(n AS BIGINT)) THEN s WHEN n > 0 THEN s[:p[n] - 1] ELSE s[p[len(p) + n + 1] + 1:] END)[1] END`,
  ),
  hive_lpad: padded("lpad"),
  hive_rpad: padded("rpad"),
  // DuckDB's reverse keeps combining accents after their letter; Java's does not.
  hive_reverse: define(["s"], "CASE WHEN strlen(s) = length(s) THEN reverse(s) ELSE hive_reverse_characters(s) END"),
  hive_trim: define(["s"], `regexp_replace(s, '^${blank}|${blank}$', '', 'g')`),
  hive_text_boolean: define(
    ["s"],
    "CASE WHEN s IS NULL THEN NULL WHEN length(s) = 0 OR lower(s) IN ('false', 'no', 'off', '0') THEN FALSE ELSE TRUE END",
  ),
  // Returns NULL for a start or length beyond the range of int.
  hive_substr: define(
    ["s", "p", "n"],
    `CASE WHEN p BETWEEN -2147483648 AND 2147483647 AND n BETWEEN -2147483648 AND 2147483647 AND s IS NOT NULL
      THEN CASE WHEN n < 1 OR abs(p) > length(s) THEN ''
        ELSE substr(s, CASE WHEN p = 0 THEN 1 WHEN p < 0 THEN length(s) + p + 1 ELSE p END, n) END END`,
  ),
  hive_substr_binary: define(
    ["b", "p", "n"],
    "CASE WHEN n BETWEEN -2147483648 AND 2147483647 THEN unhex(hive_substr(hex(b), CASE WHEN p > 0 THEN 2 * p - 1 ELSE 2 * p END, 2 * least(n, 1073741823))) END",
  ),
  hive_of_xml: define(
    ["s", "p", "x"],
    "CASE WHEN s IS NULL OR p IS NULL THEN error('HiveQL: XPath function with NULL as XML or path') ELSE x END",
  ),
  hive_ends_line: define(["s"], String.raw`regexp_matches(s, '[\n\r\x{85}\x{2028}\x{2029}]\z')`),
  hive_regex_group: define(
    ["n"],
    "CASE WHEN n IS NULL THEN CAST(error('HiveQL: the group number of a regular expression is NULL') AS INTEGER) ELSE n END",
  ),
  // Java parses two characters as a number, which can have a sign.
  hive_hex_pair: define(
    ["p"],
    `CASE WHEN regexp_matches(p, '^[+][0-9a-fA-F]$') OR p = '-0' THEN '0' || p[2:]
      WHEN regexp_matches(p, '^-[1-9a-fA-F]$') THEN 'f' || translate(lower(p[2:]), '123456789abcdef', 'fedcba987654321') ELSE p END`,
  ),
  hive_hex_pairs: define(
    ["s"],
    "array_to_string(list_transform(range(1, length(s) + 1, 2), lambda hive_i: hive_hex_pair(s[hive_i:hive_i + 1])), '')",
  ),
  hive_unhex: define(
    ["s"],
    `CASE WHEN strlen(s) > length(s) THEN error('HiveQL: unhex of a string with characters beyond ASCII')
      ELSE TRY(unhex(CASE WHEN regexp_matches(s, '[+-]') THEN hive_hex_pairs(CASE WHEN length(s) % 2 = 1 THEN '0' || s ELSE s END) ELSE s END)) END`,
  ),
  hive_like: define(
    ["s", "p"],
    String.raw`s LIKE replace(replace(replace(p, '\', '\\'), '\\%', '\%'), '\\_', '\_') ESCAPE '\'`,
  ),
  hive_replace: define(
    ["s", "part", "b"],
    `CASE WHEN part IS NULL THEN NULL WHEN part <> '' THEN replace(s, part, b) WHEN s = '' THEN b
      WHEN s IS NOT NULL AND b IS NOT NULL THEN error('HiveQL: replace with an empty search string') END`,
  ),
  // DuckDB's array_to_string needs a constant separator.
  hive_join: define(
    ["parts", "separator"],
    "CASE WHEN len(parts) = 0 THEN '' ELSE list_reduce(parts, lambda hive_l, hive_r: hive_l || separator || hive_r) END",
  ),
  hive_repeat: define(["s", "n"], "CASE WHEN n > 0 THEN repeat(s, n) WHEN n <= 0 AND s IS NOT NULL THEN '' END"),
  hive_not_negative: define(
    ["n"],
    "CASE WHEN n < 0 THEN error('HiveQL: lpad or rpad with a negative length') ELSE n END",
  ),
  hive_locate: define(
    ["part", "s", "p"],
    `CASE WHEN part IS NULL OR s IS NULL THEN NULL WHEN p IS NULL OR p < 1 OR p > length(s) + 1 THEN 0
      WHEN strpos(substr(s, p), part) = 0 THEN 0 ELSE CAST(strpos(substr(s, p), part) + p - 1 AS INTEGER) END`,
  ),
  hive_ascii: define(
    ["s"],
    `CASE WHEN s IS NULL THEN NULL WHEN s = '' THEN 0 WHEN ascii(s) < 128 THEN ascii(s) WHEN ascii(s) < 2048 THEN (ascii(s) >> 6) - 64
      WHEN ascii(s) < 65536 THEN (ascii(s) >> 12) - 32 ELSE (ascii(s) >> 18) - 16 END`,
  ),
  hive_add_months_date: define(["d", "n"], "CAST(d + to_months(n) AS DATE)"),
  hive_add_months_timestamp: define(["d", "n"], "d + to_months(n)"),
  hive_four_digits: define(
    ["result"],
    "CASE WHEN result > TIMESTAMP '9999-12-31 23:59:59.999999' THEN error('HiveQL: date arithmetic with literals goes beyond the year 9999') ELSE result END",
  ),
  // Hive uses Julian months before 1582-10-15, and drops the first digit of years beyond 9999 in folded expressions.
  hive_within: define(
    ["result", "d", "last"],
    "CASE WHEN result < TIMESTAMP '1582-10-15' OR d < TIMESTAMP '1582-10-15' OR result > last THEN error('HiveQL: months are added to or subtracted from a date before 1582-10-15, or a literal goes beyond the year 9999') ELSE result END",
  ),

  hive_hash_bigint: define(["x"], "hive_wrap_int(xor(x, x >> 32) & 4294967295)"),
  hive_hash_timestamp: define(
    ["x"],
    "hive_hash_bigint(hive_wrap_bigint(CAST(hive_epoch(x, 1000000) AS HUGEINT) * 1073741824) | ((epoch_us(x) % 1000000 + 1000000) % 1000000 * 1000))",
  ),

  hive_round: rounded("FALSE"),
  hive_bround: rounded("TRUE"),

  // Decodes base64 as Java's basic decoder does, with or without padding; other texts are used unchanged.
  hive_field_binary: define(
    ["s"],
    "CASE WHEN regexp_full_match(s, '([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?') THEN from_base64(rpad(s, CAST((length(s) + 3) // 4 * 4 AS INTEGER), '=')) ELSE encode(s) END",
  ),

  hive_shiftleft_int: define(
    ["x", "n"],
    "hive_wrap_int((CAST(x AS BIGINT) & 4294967295) * (1::BIGINT << (n & 31)) & 4294967295)",
  ),
  hive_shiftleft_bigint: define(
    ["x", "n"],
    "hive_wrap_bigint((CAST(x AS HUGEINT) & CAST((1::HUGEINT << (64 - (n & 63))) - 1 AS HUGEINT)) * (1::HUGEINT << (n & 63)))",
  ),
  hive_shiftright_int: define(["x", "n"], "CAST(floor(x / CAST(1::BIGINT << (n & 31) AS DOUBLE)) AS INTEGER)"),
  hive_shiftright_bigint: define(["x", "n"], "(x >> (n & 63))"),
  hive_shiftrightunsigned_int: define(["x", "n"], "hive_wrap_int((CAST(x AS BIGINT) & 4294967295) >> (n & 31))"),
  hive_shiftrightunsigned_bigint: define(
    ["x", "n"],
    "hive_wrap_bigint((CAST(x AS HUGEINT) & 18446744073709551615) >> CAST(n & 63 AS HUGEINT))",
  ),
  hive_mantissa: define(["s"], "s[1] || '.' || CASE WHEN length(s) > 1 THEN s[2:] ELSE '0' END"),
  hive_scientific: scientific,
  hive_double_text: define(
    ["x"],
    `CASE WHEN x = 0 OR (abs(x) >= 1e-3 AND abs(x) < 1e7) THEN CAST(x AS VARCHAR)
      WHEN NOT isfinite(x) OR ${mayDifferFromShortest} THEN hive_java_double(x)
      ELSE hive_scientific(CAST(x AS VARCHAR)) END`,
  ),
  // Up to eight digits DuckDB prints the same text as Java.
  hive_float_text: define(
    ["x"],
    `CASE WHEN x = 0 OR (abs(x) >= 1e-3 AND abs(x) < 1e7 AND length(CAST(abs(x) AS VARCHAR)) <= 9) THEN CAST(x AS VARCHAR)
      ELSE hive_java_float(x) END`,
  ),
  hive_year_month_text: define(
    ["x"],
    "CASE WHEN x < 0 THEN '-' ELSE '' END || CAST(abs(x) // 12 AS VARCHAR) || '-' || CAST(abs(x) % 12 AS VARCHAR)",
  ),
  hive_day_time_text: define(
    ["x"],
    `CASE WHEN x < 0 THEN '-' ELSE '' END || CAST(abs(x) // 86400000000 AS VARCHAR) || ' ' ||
      lpad(CAST(abs(x) // 3600000000 % 24 AS VARCHAR), 2, '0') || ':' || lpad(CAST(abs(x) // 60000000 % 60 AS VARCHAR), 2, '0') || ':' ||
      lpad(CAST(abs(x) // 1000000 % 60 AS VARCHAR), 2, '0') || '.' || lpad(CAST(abs(x) % 1000000 AS VARCHAR), 6, '0') || '000'`,
  ),
  hive_binary_text: define(
    ["b"],
    "CASE WHEN b IS NOT NULL THEN coalesce(list_transform([b], lambda hive_d: TRY(decode(hive_d)))[1], error('HiveQL: a binary value that is not valid UTF-8 cannot be printed')) END",
  ),
  hive_fraction_text: define(
    ["s"],
    "CASE WHEN starts_with(s, '-.') THEN '-0' || s[2:] WHEN starts_with(s, '.') THEN '0' || s ELSE s END",
  ),
  hive_json_string: define(
    ["s"],
    String.raw`'"' || CASE WHEN regexp_matches(s, '[\x00-\x1f]') THEN hive_json_controls(replace(replace(s, '\', '\\'), '"', '\"'))
      ELSE replace(replace(s, '\', '\\'), '"', '\"') END || '"'`,
  ),

  ...familyMacros,
} as const satisfies Record<string, Macro>;

/** Statements that create the macros. Run them on each connection after `register` and before translated SQL. */
export const setupSql: readonly string[] = inOrderOfUse().map(([name, { parameters, body }]) => {
  return `CREATE OR REPLACE TEMP MACRO ${name}(${parameters.join(", ")}) AS ${body}`;
});

/** Orders the macros so that each is created before the macros that call it, as DuckDB requires. */
function inOrderOfUse(): [string, Macro][] {
  const ordered = new Map<string, Macro>();
  const add = (name: string, macro: Macro) => {
    if (ordered.has(name)) return;
    for (const [called] of macro.body.matchAll(/\bhive_\w+(?=\()/g)) {
      const other = Object.hasOwn(macros, called) ? macros[called as keyof typeof macros] : undefined;
      if (other && called !== name) add(called, other);
    }
    ordered.set(name, macro);
  };
  for (const [name, macro] of Object.entries(macros)) add(name, macro);
  return [...ordered];
}
