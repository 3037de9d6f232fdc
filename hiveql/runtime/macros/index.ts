/** DuckDB macros for behaviour of Hive that DuckDB's functions do not have; created once on each connection. */
import { collectionMacros } from "./collection";
import { dateMacros } from "./date";
import { define, type Macro } from "./define";
import { numberMacros } from "./number";
import { statisticalMacros } from "./statistical";
import { textMacros } from "./text";
import { timeMacros } from "./time";

const integer = String.raw`[+-]?[0-9]+`;
const blank = String.raw`[\x00-\x20]*`;

/** Parses an integer as Hive's LazyInteger does: drops the fraction and does not accept exponents. */
const textToInteger = (type: string) =>
  define(
    { s: 6 },
    `CASE WHEN regexp_full_match(s, '${integer}') THEN TRY_CAST(s AS ${type})
      WHEN regexp_full_match(s, '[+-]?[0-9]*\\.[0-9]*') AND regexp_matches(s, '[0-9]')
        THEN TRY_CAST(CASE WHEN regexp_matches(s, '^[+-]?\\.') THEN '0' ELSE regexp_extract(s, '^[+-]?[0-9]+') END AS ${type}) END`,
  );

/** Parses a floating point number as Java does: ignores a suffix d or f, and does not accept `inf` and `1_0`. */
const textToApproximate = (type: string) =>
  define(
    { s: 8 },
    `CASE WHEN TRY_CAST(s AS ${type}) IS NOT NULL AND isfinite(TRY_CAST(s AS ${type})) AND NOT regexp_matches(s, '_|[+]-') THEN TRY_CAST(s AS ${type})
      WHEN regexp_full_match(s, '${blank}[+-]?(NaN|Infinity)${blank}') THEN TRY_CAST(s AS ${type})
      WHEN regexp_full_match(s, '${blank}[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?${blank}') THEN TRY_CAST(regexp_extract(s, '[-+.0-9eE]+') AS ${type}) END`,
  );

/** Converts DuckDB's text of a number outside 0.001 … 10⁷ to Java's scientific notation. */
const scientific = define(
  { s: 16 },
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
    { x: 5, n: 2, p: 3 },
    `CASE WHEN abs(x) * p < 1e14 AND abs(abs(x) * p - trunc(abs(x) * p) - 0.5) > 1e-4 THEN round(x, n) ELSE hive_round_double(x, CAST(n AS INTEGER), ${toEven}) END`,
  );

/** Wrapping bigint arithmetic. A test with doubles, which may be inexact, avoids HUGEINT far from the limits. */
const wrappingBigint = (operator: string) =>
  define(
    { x: 3, y: 3 },
    `CASE WHEN abs(CAST(x AS DOUBLE) ${operator} CAST(y AS DOUBLE)) < 9.2e18 THEN x ${operator} y
      ELSE hive_wrap_bigint(CAST(x AS HUGEINT) ${operator} CAST(y AS HUGEINT)) END`,
  );

export const macros = {
  // Integers wrap on overflow: the argument has a wider type that holds the exact result.
  hive_wrap_tinyint: define({ x: 1 }, "CAST((((x & 255) + 128) & 255) - 128 AS TINYINT)"),
  hive_wrap_smallint: define({ x: 1 }, "CAST((((x & 65535) + 32768) & 65535) - 32768 AS SMALLINT)"),
  hive_wrap_int: define({ x: 1 }, "CAST((((x & 4294967295) + 2147483648) & 4294967295) - 2147483648 AS INTEGER)"),
  hive_wrap_bigint: define(
    { x: 1 },
    "CAST((((CAST(x AS HUGEINT) & 18446744073709551615) + 9223372036854775808) & 18446744073709551615) - 9223372036854775808 AS BIGINT)",
  ),
  // A faster variant for values that mostly fit; its argument must be cheap because it occurs several times.
  hive_narrow_int: define(
    { x: 3 },
    "CAST(CASE WHEN x BETWEEN -2147483648 AND 2147483647 THEN x ELSE hive_wrap_int(x) END AS INTEGER)",
  ),
  ...textMacros,
  ...timeMacros,
  ...dateMacros,
  ...collectionMacros,
  ...numberMacros,
  ...statisticalMacros,
  hive_light_add: wrappingBigint("+"),
  hive_light_subtract: wrappingBigint("-"),
  hive_light_multiply: wrappingBigint("*"),
  // x * m + c, of which both steps are bigints for x from `lower` to `upper`.
  hive_linear_bigint: define(
    { x: 3, m: 2, c: 2, lower: 1, upper: 1 },
    `CASE WHEN x BETWEEN lower AND upper THEN x * m + c
      ELSE hive_wrap_bigint(CAST(x AS HUGEINT) * CAST(m AS HUGEINT) + CAST(c AS HUGEINT)) END`,
  ),

  // Java's conversion of floating point to integers: NaN becomes 0, and large numbers the largest integer.
  hive_saturate_int: define(
    { x: 4 },
    "CASE WHEN isnan(x) THEN 0 WHEN x >= 2147483647 THEN 2147483647 WHEN x <= -2147483648 THEN -2147483648 ELSE CAST(trunc(x) AS INTEGER) END",
  ),
  hive_saturate_bigint: define(
    { x: 4 },
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
    { s: 4 },
    "CASE WHEN regexp_full_match(s, '[-+0-9.]+') THEN s WHEN NOT contains(s, '_') THEN hive_plain_decimal(s) END",
  ),
  hive_double_float: define(
    { x: 4 },
    "CASE WHEN isfinite(x) AND abs(x) >= 3.4028235677973366e38 THEN CAST(sign(x) * CAST('Infinity' AS DOUBLE) AS FLOAT) ELSE CAST(x AS FLOAT) END",
  ),
  hive_add_months_date: define({ d: 1, n: 1 }, "CAST(d + to_months(n) AS DATE)"),
  hive_add_months_timestamp: define({ d: 1, n: 1 }, "d + to_months(n)"),

  // Short ASCII texts are hashed by their codes, several times faster than one by one in JavaScript.
  hive_hash_string: define(
    { s: 5 },
    `CASE WHEN strlen(s) = length(s) AND strlen(s) <= 64
      THEN hive_wrap_int(list_reduce(list_transform(string_split(s, ''), lambda hive_c: CAST(ascii(hive_c) AS BIGINT)), lambda hive_a, hive_b: (hive_a * 31 + hive_b) & 4294967295))
      ELSE hive_hash_text(s) END`,
  ),
  hive_hash_bigint: define({ x: 2 }, "hive_wrap_int(xor(x, x >> 32) & 4294967295)"),
  hive_hash_timestamp: define(
    { x: 10 },
    "hive_hash_bigint(hive_wrap_bigint(CAST(hive_epoch(x, 1000000) AS HUGEINT) * 1073741824) | ((epoch_us(x) % 1000000 + 1000000) % 1000000 * 1000))",
  ),

  hive_round: rounded("FALSE"),
  hive_bround: rounded("TRUE"),

  // Decodes base64 as Java's basic decoder does, with or without padding; other texts are used unchanged.
  hive_field_binary: define(
    { s: 4 },
    "CASE WHEN regexp_full_match(s, '([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?') THEN from_base64(rpad(s, CAST((length(s) + 3) // 4 * 4 AS INTEGER), '=')) ELSE encode(s) END",
  ),

  hive_shiftleft_int: define(
    { x: 1, n: 1 },
    "hive_wrap_int((CAST(x AS BIGINT) & 4294967295) * (1::BIGINT << (n & 31)) & 4294967295)",
  ),
  hive_shiftleft_bigint: define(
    { x: 1, n: 2 },
    "hive_wrap_bigint((CAST(x AS HUGEINT) & CAST((1::HUGEINT << (64 - (n & 63))) - 1 AS HUGEINT)) * (1::HUGEINT << (n & 63)))",
  ),
  hive_shiftright_int: define({ x: 1, n: 1 }, "CAST(floor(x / CAST(1::BIGINT << (n & 31) AS DOUBLE)) AS INTEGER)"),
  hive_shiftright_bigint: define({ x: 1, n: 1 }, "(x >> (n & 63))"),
  hive_shiftrightunsigned_int: define({ x: 1, n: 1 }, "hive_wrap_int((CAST(x AS BIGINT) & 4294967295) >> (n & 31))"),
  hive_shiftrightunsigned_bigint: define(
    { x: 1, n: 1 },
    "hive_wrap_bigint((CAST(x AS HUGEINT) & 18446744073709551615) >> CAST(n & 63 AS HUGEINT))",
  ),
  hive_mantissa: define({ s: 3 }, "s[1] || '.' || CASE WHEN length(s) > 1 THEN s[2:] ELSE '0' END"),
  hive_scientific: scientific,
  hive_double_text: define(
    { x: 26 },
    `CASE WHEN x = 0 OR (abs(x) >= 1e-3 AND abs(x) < 1e7) THEN CAST(x AS VARCHAR)
      WHEN NOT isfinite(x) OR ${mayDifferFromShortest} THEN hive_java_double(x)
      ELSE hive_scientific(CAST(x AS VARCHAR)) END`,
  ),
  // Up to eight digits DuckDB prints the same text as Java.
  hive_float_text: define(
    { x: 6 },
    `CASE WHEN x = 0 OR (abs(x) >= 1e-3 AND abs(x) < 1e7 AND length(CAST(abs(x) AS VARCHAR)) <= 9) THEN CAST(x AS VARCHAR)
      ELSE hive_java_float(x) END`,
  ),
  hive_year_month_text: define(
    { x: 3 },
    "CASE WHEN x < 0 THEN '-' ELSE '' END || CAST(abs(x) // 12 AS VARCHAR) || '-' || CAST(abs(x) % 12 AS VARCHAR)",
  ),
  hive_day_time_text: define(
    { x: 6 },
    `CASE WHEN x < 0 THEN '-' ELSE '' END || CAST(abs(x) // 86400000000 AS VARCHAR) || ' ' ||
      lpad(CAST(abs(x) // 3600000000 % 24 AS VARCHAR), 2, '0') || ':' || lpad(CAST(abs(x) // 60000000 % 60 AS VARCHAR), 2, '0') || ':' ||
      lpad(CAST(abs(x) // 1000000 % 60 AS VARCHAR), 2, '0') || '.' || lpad(CAST(abs(x) % 1000000 AS VARCHAR), 6, '0') || '000'`,
  ),
  hive_binary_text: define(
    { b: 2 },
    "CASE WHEN b IS NOT NULL THEN coalesce(list_transform([b], lambda hive_d: TRY(decode(hive_d)))[1], error('HiveQL: a binary value that is not valid UTF-8 cannot be printed: write hex(value) or base64(value)')) END",
  ),
  hive_decoded: define(
    { b: 2 },
    "CASE WHEN b IS NOT NULL THEN coalesce(list_transform([b], lambda hive_d: TRY(decode(hive_d)))[1], error('HiveQL: decode of a binary value that is not valid UTF-8: write hex(value), or filter such values out')) END",
  ),
  hive_fraction_text: define(
    { s: 5 },
    "CASE WHEN starts_with(s, '-.') THEN '-0' || s[2:] WHEN starts_with(s, '.') THEN '0' || s ELSE s END",
  ),
  // DuckDB reads JSON in which no text is escaped and no key of the path is repeated as Hive does, up to numbers. It also
  // takes a comma at an end, NaN and Infinity. `others` matches all texts with a repeated key or one of these.
  hive_json_path: define(
    { j: 9, path: 3, pointer: 2, key: 1, others: 1 },
    String.raw`CASE WHEN contains(j, '\') THEN hive_json_object(j, path)
      WHEN NOT contains(j, key) THEN NULL
      WHEN NOT json_valid(j) OR regexp_matches(j, others) THEN hive_json_object(j, path)
      WHEN json_type(j, pointer) IN ('VARCHAR', 'UBIGINT', 'BOOLEAN') THEN json_extract_string(j, pointer)
      ELSE hive_json_object(j, path) END`,
  ),
  hive_json_string: define(
    { s: 3 },
    String.raw`'"' || CASE WHEN regexp_matches(s, '[\x00-\x1f]') THEN hive_json_controls(replace(replace(s, '\', '\\'), '"', '\"'))
      ELSE replace(replace(s, '\', '\\'), '"', '\"') END || '"'`,
  ),
} as const satisfies Record<string, Macro>;

/**
 * DuckDB's optimizer `deliminator` loses conditions: EXISTS and NOT EXISTS that compare an outer row by `<>` and by `<` or
 * `>` find no row. Without it, the queries of TPC-H take the same time.
 */
const withoutFaultyOptimizer = "SET GLOBAL disabled_optimizers = 'deliminator'";

/** Statements that set DuckDB up. Run them on each connection after `register` and before translated SQL. */
export const setupSql: readonly string[] = [
  withoutFaultyOptimizer,
  ...Object.entries<Macro>(macros).map(
    ([name, { uses, body }]) => `CREATE OR REPLACE TEMP MACRO ${name}(${Object.keys(uses).join(", ")}) AS ${body}`,
  ),
];
