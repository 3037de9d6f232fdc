/** DuckDB macros that parse dates and timestamps from text as Hive does. */
import { define } from "./define";

const day = "[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}";
const fullDay = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const clock = "([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9]";
const fullClock = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";
/** ISO 8601 allows times without seconds. */
const isoClock = String.raw`([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]*)?)?`;
/** A time of day after a date, with or without seconds, and a zone, which is not read. */
const zonedClock = String.raw`([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9](\.[0-9]*)?)?( ?([Zz]|UTC|GMT|UT|[+-](0?[0-9]|1[0-8])(:?[0-5][0-9])?))?`;
const fraction = String.raw`(\.[0-9]+)?`;
const offset = "[+-](((0?[0-9]|1[0-7]):[0-5][0-9](:[0-5][0-9])?)|18:00(:00)?)";
const zone = `(Z|UTC|GMT|UT|${offset})`;
/** Zones other than offsets: a region, one of Java's short names, or an offset from a named zone. */
const namedZone =
  "([A-Z][A-Za-z0-9_+-]*/.*|(UTC|GMT|UT)[+-].*|[CEMP]ST[0-9]?[A-Z]*|[CEMW]+ET|HST|Cuba|Egypt|Eire|GB|GB-Eire|GMT0|Greenwich|Hongkong|Iceland|Iran|Israel|Jamaica|Japan|Kwajalein|Libya|NZ|NZ-CHAT|Navajo|PRC|Poland|Portugal|ROC|ROK|Singapore|Turkey|UCT|Universal|W-SU|Zulu)";

/** A branch that fails for texts that Hive reads as a year beyond 9999 or with a lenient calendar. */
const failFor = (pattern: string, reason: string, condition = "TRUE") =>
  `WHEN regexp_full_match(t, '${pattern}') AND ${condition} THEN error('HiveQL: ${reason}: ' || t || '. Filter such texts out')`;

/**
 * Texts that begin with a year of five or more digits: only a full timestamp has a value, and leading zeros of the year
 * are ignored. Larger years fail, because they cannot be printed as Hive prints them.
 */
const longYears = (value: (text: string) => string) =>
  `WHEN regexp_full_match(t, '[+-]?[0-9]{5,}-[0-9]{1,2}-[0-9]{1,2}[^0-9].*') THEN CASE
    WHEN NOT regexp_full_match(t, '-?[0-9]{5,9}-[0-9]{1,2}-[0-9]{1,2} ${clock}${fraction}') OR TRY_CAST('2000' || regexp_extract(t, '[0-9]+(-[0-9]+-[0-9]+)', 1) AS DATE) IS NULL THEN NULL
    WHEN regexp_matches(t, '^0+[0-9]{4}-') AND NOT regexp_matches(t, '^0+-') THEN ${value(String.raw`regexp_replace(t, '^0+([0-9]{4}-)', '\1')`)}
    ELSE error('HiveQL: a year with more than four digits: ' || t || '. Filter such texts out') END`;

/** True for a day beyond the end of its month, which Hive reads as the last day if a zone follows. */
const isLenientDay =
  "TRY_CAST(t[:10] AS DATE) IS NULL AND t[9:10] BETWEEN '01' AND '31' AND t[6:7] BETWEEN '01' AND '12'";
const lenientBranches = [
  failFor(`[+-][0-9]+-.* ?${zone}`, "a signed year with a time zone"),
  `WHEN regexp_full_match(t, '${fullDay}( [0-9:.]+)? ?${zone}') AND ${isLenientDay} THEN error('HiveQL: a day that does not exist in the calendar: ' || t || '. Filter such texts out')`,
  failFor(String.raw`${fullDay} 24:00:00(\.0+)? ?(${zone}|${namedZone})`, "the hour 24 with a time zone"),
].join("\n");
const leadingDate = String.raw`TRY_CAST(nullif(regexp_extract(regexp_replace(t, '^-0+-', 'x'), '^(-?${day})([^0-9]|$)', 1), '') AS DATE)`;

/** Evaluates an expression of `t`, which is `s` without surrounding blanks, once. */
const trimmed = (body: string) => `list_transform([hive_trim(s)], lambda t: ${body})[1]`;

export const timeMacros = {
  hive_text_date: define(
    { s: 4 },
    `CASE WHEN regexp_full_match(s, '${fullDay}( ${fullClock}${fraction})?') THEN TRY_CAST(s[:10] AS DATE)
      WHEN s IS NOT NULL THEN ${trimmed(`CASE ${longYears((text) => `TRY_CAST(regexp_extract(${text}, '^[0-9-]+') AS DATE)`)} ${lenientBranches}
        ${failFor(`${fullDay}( ${fullClock}${fraction})? ?${namedZone}`, "a date with a named time zone", isLenientDay)}
        ELSE ${leadingDate} END`)} END`,
  ),
  // Fields of text files are parsed as dates directly, and not as timestamps first.
  hive_field_date: define(
    { s: 6 },
    `CASE WHEN regexp_full_match(s, '${fullDay}') THEN TRY_CAST(s AS DATE) WHEN regexp_matches(s, '^${fullDay}[^0-9]') THEN TRY_CAST(s[:10] AS DATE) WHEN strlen(s) >= 8 THEN ${trimmed(leadingDate)} END`,
  ),

  hive_fine_timestamp: define(
    { s: 4 },
    String.raw`CASE WHEN regexp_matches(s, '\.[0-9]{6}[0-9]*[1-9]') AND TRY_CAST(regexp_replace(s, '\..*', '') AS TIMESTAMP) IS NOT NULL THEN error('HiveQL: a timestamp finer than microseconds is not supported: ' || s || '. Cut the text off with substr(text, 1, 26), for which a column of a table must be a string') ELSE TRY_CAST(s AS TIMESTAMP) END`,
  ),
  // Seconds since 1970 as a decimal.
  hive_seconds_timestamp: define(
    { s: 5 },
    "CASE WHEN s * 1000000 = floor(s * 1000000) THEN make_timestamp(CAST(s * 1000000 AS BIGINT)) WHEN s IS NOT NULL THEN error('HiveQL: a timestamp finer than microseconds is not supported: ' || s || ' seconds. Write round(seconds, 6)') END",
  ),
  hive_iso_timestamp: define(
    { t: 8 },
    "hive_fine_timestamp(rtrim(replace(upper(t), 'T', ' ') || CASE WHEN regexp_matches(t, ':.*:') THEN '' ELSE ':00' END, '.'))",
  ),
  hive_text_timestamp: define(
    { s: 4 },
    `CASE WHEN regexp_full_match(s, '${fullDay}( ${fullClock})?') THEN TRY_CAST(s AS TIMESTAMP)
      WHEN s IS NOT NULL THEN ${trimmed(`CASE ${longYears((text) => `hive_fine_timestamp(${text})`)} ${lenientBranches}
        WHEN starts_with(t, '-0') AND regexp_matches(t, '^-0+-') THEN NULL
        WHEN regexp_full_match(t, '-?${day} ${clock}${fraction}') THEN hive_fine_timestamp(t)
        WHEN regexp_full_match(t, '-?${day}(T|t| +)${zonedClock}') THEN hive_iso_timestamp(regexp_extract(t, '^-?[0-9-]+[ Tt]+[0-9:.]+'))
        WHEN regexp_matches(t, '^-?[0-9-]+[ Tt].*\\.[0-9]*[^0-9]') AND length(t) - strpos(t, '.') >= 9 AND ${leadingDate} IS NOT NULL THEN error('HiveQL: a long fraction of a second is followed by other text: ' || t || '. Filter such texts out')
        ${failFor(`${fullDay}([ Tt]${fullClock}${fraction})? ?${namedZone}`, "a timestamp with a named time zone", `(TRY_CAST(t[:10] AS DATE) IS NOT NULL OR ${isLenientDay})`)}
        WHEN regexp_matches(t, '^-?${day}[ Tt].*[0-9]:[0-9]') THEN NULL
        ELSE CAST(${leadingDate} AS TIMESTAMP) END`)} END`,
  ),
  // Fields of text files are parsed more strictly than CAST parses a string.
  hive_field_timestamp: define(
    { s: 4 },
    String.raw`CASE WHEN regexp_full_match(s, '${fullDay} ${fullClock}') THEN TRY_CAST(s AS TIMESTAMP)
      WHEN s IS NOT NULL THEN ${trimmed(String.raw`CASE WHEN regexp_matches(t, '^-0+-|\.[0-9]{10}') THEN NULL
        WHEN regexp_full_match(t, '-?${day} ${clock}${fraction}') THEN hive_fine_timestamp(t)
        WHEN regexp_full_match(t, '-?${fullDay}[Tt]${isoClock}') THEN hive_iso_timestamp(t)
        ${longYears((text) => `hive_fine_timestamp(${text})`)} END`)} END`,
  ),
} as const;
