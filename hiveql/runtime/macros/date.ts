/** DuckDB macros for Hive's date functions. */
import { define } from "./define";

const lower = String.raw`lower(s)`;

/** The number of a weekday's name, from 1 for Sunday; NULL for other texts. */
const weekday = define(
  { s: 7 },
  `CASE WHEN ${lower} IN ('su', 'sun', 'sunday') THEN 1 WHEN ${lower} IN ('mo', 'mon', 'monday') THEN 2
    WHEN ${lower} IN ('tu', 'tue', 'tuesday') THEN 3 WHEN ${lower} IN ('we', 'wed', 'wednesday') THEN 4
    WHEN ${lower} IN ('th', 'thu', 'thursday') THEN 5 WHEN ${lower} IN ('fr', 'fri', 'friday') THEN 6
    WHEN ${lower} IN ('sa', 'sat', 'saturday') THEN 7 END`,
);

export const dateMacros = {
  /** A part of an interval, with the sign of the interval. */
  hive_interval_part: define({ x: 2, unit: 1, size: 1 }, "CAST(sign(x) * (abs(x) // unit % size) AS INTEGER)"),

  // Prints years as Java does: with a sign if they have more than four digits.
  hive_year_text: define(
    { y: 3 },
    "CASE WHEN y BETWEEN 1000 AND 9999 THEN CAST(y AS VARCHAR) ELSE hive_long_year(CAST(y AS BIGINT)) END",
  ),
  // Weeks run from Sunday to Saturday, as in Java's locale en_US, and belong to the year of their Saturday.
  hive_week_year: define({ t: 2 }, "year(CAST(t AS DATE) + CAST(6 - dayofweek(t) AS INTEGER))"),
  hive_padded: define({ s: 2, n: 1 }, "lpad(s, CAST(greatest(n, length(s)) AS INTEGER), '0')"),
  hive_week: define({ t: 2 }, "(dayofyear(CAST(t AS DATE) + CAST(6 - dayofweek(t) AS INTEGER)) - 1) // 7 + 1"),
  // The year of the era: year 0 is 1 BC.
  hive_era_year: define({ t: 2 }, "greatest(year(t), 1 - year(t))"),
  // In a lambda, DuckDB prepares each function for every 2048 rows, and year makes a table of days for that: branches that
  // few rows take use these two.
  hive_rare_year: define({ t: 1 }, "TRY_CAST(strftime(t, '%Y') AS BIGINT)"),
  hive_rare_era_year: define({ t: 2 }, "greatest(hive_rare_year(t), 1 - hive_rare_year(t))"),
  hive_date_text: define(
    { d: 4 },
    "CASE WHEN d BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN CAST(d AS VARCHAR) ELSE hive_long_year(hive_rare_year(d)) || strftime(d, '-%m-%d') END",
  ),
  hive_timestamp_text: define(
    { t: 8 },
    "CASE WHEN t >= TIMESTAMP '0001-01-01' AND t < TIMESTAMP '9999-12-31 23:59:59' THEN CAST(t AS VARCHAR) ELSE hive_date_text(CAST(t AS DATE)) || ' ' || CAST(CAST(t AS TIME) AS VARCHAR) END",
  ),
  // For other years Hive prints the year of the era and seconds with three or more digits.
  hive_timestamp_string: define(
    { t: 10 },
    `CASE WHEN t < TIMESTAMP '0001-01-01' OR t >= TIMESTAMP '10000-01-01' THEN error('HiveQL: a timestamp outside the years 1 to 9999 is cast to string: filter such timestamps out')
      ELSE hive_timestamp_text(t) END`,
  ),
  // The time of day of a text; a text without a date gets an arbitrary one.
  hive_clock: define(
    { s: 6 },
    `CASE WHEN regexp_full_match(s, '[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?') THEN TRY_CAST('1970-01-01 ' || s AS TIMESTAMP) ELSE hive_text_timestamp(s) END`,
  ),
  // Seconds or milliseconds since 1970, rounded down for negative values too.
  hive_epoch: define({ t: 2, unit: 4 }, "(epoch_us(t) - (epoch_us(t) % unit + unit) % unit) // unit"),

  hive_weekday: weekday,
  hive_next_day: define(
    { d: 16, w: 12 },
    "hive_date_text(d + CAST(CASE WHEN dayofweek(d) + 1 < w THEN w - dayofweek(d) - 1 ELSE 6 - dayofweek(d) + w END AS INTEGER))",
  ),

  // The last day of a month stays the last day.
  hive_shifted_months: define(
    { t: 6, n: 2 },
    `CASE WHEN CAST(t AS DATE) = last_day(t) THEN CAST(last_day(t + to_months(n)) AS TIMESTAMP) + (t - CAST(CAST(t AS DATE) AS TIMESTAMP))
      ELSE t + to_months(n) END`,
  ),

  // Years as SimpleDateFormat writes them, without a sign.
  hive_shifted_text: define(
    { t: 8 },
    `CASE WHEN t >= TIMESTAMP '0001-01-01' AND t < TIMESTAMP '10000-01-01' THEN CAST(CAST(t AS DATE) AS VARCHAR)
      ELSE lpad(CAST(hive_rare_era_year(t) AS VARCHAR), CAST(greatest(4, length(CAST(hive_rare_era_year(t) AS VARCHAR))) AS INTEGER), '0') || strftime(t, '-%m-%d') END`,
  ),

  hive_plain_year: define(
    { t: 3 },
    "CASE WHEN t < TIMESTAMP '1000-01-01' OR t >= TIMESTAMP '10000-01-01' THEN error('HiveQL: add_months with a pattern, outside of the years 1000 to 9999: filter such dates out') ELSE t END",
  ),

  // Functions of single fields, such as day, are slow in the lambda that binds the arguments.
  hive_month_microseconds: define({ t: 2 }, "(epoch_us(t) - epoch_us(date_trunc('month', t)))"),
  hive_is_last_day: define({ t: 2 }, "(date_trunc('month', t + INTERVAL 1 DAY) <> date_trunc('month', t))"),
  hive_months_apart: define(
    { a: 8, b: 8 },
    `CASE WHEN hive_month_microseconds(a) // 86400000000 = hive_month_microseconds(b) // 86400000000 OR (hive_is_last_day(a) AND hive_is_last_day(b))
      THEN CAST(datediff('month', b, a) AS DOUBLE)
      ELSE datediff('month', b, a) + CAST(hive_month_microseconds(a) // 1000000 - hive_month_microseconds(b) // 1000000 AS DOUBLE) / 2678400 END`,
  ),
  // Java rounds the printed digits, half up.
  hive_round_8: define({ x: 1 }, "CAST(CAST(CAST(x AS VARCHAR) AS DECIMAL(18, 8)) AS DOUBLE)"),

  hive_trunc_date: define(
    { d: 12, f: 3 },
    `CASE WHEN f IN ('MONTH', 'MON', 'MM') THEN hive_date_text(CAST(date_trunc('month', d) AS DATE))
      WHEN f IN ('QUARTER', 'Q') THEN hive_date_text(CAST(date_trunc('quarter', d) AS DATE))
      WHEN f IN ('YEAR', 'YYYY', 'YY') THEN hive_date_text(CAST(date_trunc('year', d) AS DATE)) END`,
  ),

  // Seconds since 1970 of parsed fields; a day beyond the end of its month becomes the last day.
  hive_moment_seconds: define(
    { y: 2, m: 3, d: 2, h: 3, i: 3, s: 3, f: 1, o: 1 },
    `CASE WHEN m BETWEEN 1 AND 12 AND d BETWEEN 1 AND 31 AND ((h < 24 AND i < 60 AND s < 60) OR (h = 24 AND i = 0 AND s = 0 AND f = 0))
      THEN CAST(least(TRY(make_date(y, m, 1)) + CAST(d - 1 AS INTEGER), last_day(TRY(make_date(y, m, 1)))) - DATE '1970-01-01' AS BIGINT) * 86400
        + h * 3600 + i * 60 + s - o END`,
  ),
  // Parses a text to seconds as Java's Timestamp does: it needs date and time and nothing else; fractions are ignored.
  hive_text_seconds: define(
    { s: 3 },
    String.raw`CASE WHEN regexp_full_match(s, '[\x00-\x20]*(-?[0-9]{1,10}-[0-9]{1,2}-[0-9]{1,2} [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{1,9})?|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{0,9})?)?)[\x00-\x20]*')
      AND NOT regexp_matches(s, '[ T]0?24:')
      THEN epoch_us(TRY_CAST(regexp_replace(regexp_replace(replace(s, 'T', ' '), '\.[0-9]*', ''), '^([^:]*:[0-9]{2})([\x00-\x20]*)$', '\1:00') AS TIMESTAMP)) // 1000000 END`,
  ),

  // Local time to UTC: the earlier moment for ambiguous times, and the offset before the gap for skipped times.
  hive_zone_local: define({ u: 1, z: 1 }, "timezone(z, timezone('UTC', u))"),
  hive_zone_earlier: define(
    { t: 1, z: 1, u: 2 },
    "t - (hive_zone_local(u - INTERVAL 3 HOURS, z) - (u - INTERVAL 3 HOURS))",
  ),
  hive_zone_chosen: define(
    { t: 5, z: 5, u: 5 },
    "CASE WHEN hive_zone_local(hive_zone_earlier(t, z, u), z) = t THEN hive_zone_earlier(t, z, u) ELSE u END",
  ),
  hive_zone_to_utc: define({ t: 10, z: 10 }, "hive_zone_chosen(t, z, timezone('UTC', timezone(z, t)))"),
  // Java's offsets have hours and minutes; seconds, as of local mean times, are cut off.
  hive_offset_minutes: define({ t: 1, u: 1 }, "(epoch_us(t) - epoch_us(u)) // 60000000"),
  hive_offset: define(
    { m: 3, colon: 1 },
    "CASE WHEN m < 0 THEN '-' ELSE '+' END || lpad(CAST(abs(m) // 60 AS VARCHAR), 2, '0') || colon || lpad(CAST(abs(m) % 60 AS VARCHAR), 2, '0')",
  ),
  hive_short_offset: define({ m: 4, colon: 3 }, "left(hive_offset(m, colon), CASE WHEN m % 60 = 0 THEN 3 ELSE 5 END)"),
  hive_from_utc_timestamp: define(
    { t: 2, z: 4 },
    "CASE WHEN hive_zone_seconds(z) IS NOT NULL THEN t + to_seconds(hive_zone_seconds(z)) WHEN z IS NOT NULL THEN hive_zone_local(t, z) END",
  ),
  hive_to_utc_timestamp: define(
    { t: 11, z: 13 },
    "CASE WHEN hive_zone_seconds(z) IS NOT NULL THEN t - to_seconds(hive_zone_seconds(z)) WHEN z IS NOT NULL THEN hive_zone_to_utc(t, z) END",
  ),
} as const;
