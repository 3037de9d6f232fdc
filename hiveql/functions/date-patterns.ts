/** Java's date patterns: formatting with DuckDB functions, and parsing with a regular expression. */
import { macro, once, raw, sql, weighed } from "../tree/fragment";
import type { Part } from "../tree/nodes";
import { quoteLiteral } from "../tree/types";
import type { CallSite } from "./define";

/** Java's two pattern languages: most of Hive's functions use java.time's, and `add_months` uses SimpleDateFormat's. */
export type Dialect = "java.time" | "SimpleDateFormat";

/**
 * Formats a UTC TIMESTAMP.
 * @throws HiveQLError for pattern letters that the embedded engine does not support.
 */
export function formatTimestamp(value: Part, pattern: string, dialect: Dialect, call: CallSite): Part {
  const light = sql`${formatPieces(value, pattern, dialect, call)}`;
  const heavy = once([value], ([known = value]) => formatPieces(known, pattern, dialect, call));
  return weighed([value], 20, light, heavy);
}

function formatPieces(value: Part, pattern: string, dialect: Dialect, call: CallSite): Part {
  const pieces: Part[] = [];
  let codes = "";
  const flush = () => {
    if (codes !== "") pieces.push(sql`strftime(${value}, ${quoteLiteral(codes)})`);
    codes = "";
  };
  for (const token of tokens(pattern, call)) {
    const found =
      token.kind === "text" ? token.text.replaceAll("%", "%%") : formatLetters(token, dialect, value, call.timeZone);
    if (found === undefined) throw unsupportedLetters(token as Letters, call);
    if (typeof found === "string") codes += found;
    else {
      flush();
      pieces.push(found);
    }
  }
  flush();
  const [first, ...rest] = pieces;
  if (!first) return sql`CASE WHEN ${value} IS NOT NULL THEN '' END`;
  return rest.length === 0 ? first : sql`(${rest.reduce((left, right) => sql`${left} || ${right}`, first)})`;
}

/** Parses a text with a java.time pattern: SQL for the seconds since 1970, and NULL when the text does not match. */
export function parseTimestamp(text: Part, pattern: string, call: CallSite): Part {
  const found = tokens(pattern, call);
  const letters = new Map<string, number>();
  const names: string[] = [];
  let regex = "";
  for (const [index, token] of found.entries()) {
    if (token.kind === "text") {
      regex += token.text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
      continue;
    }
    const field = parserOf(token);
    if (!field || names.includes(field.name)) throw unsupportedLetters(token, call);
    const beside = [found[index - 1], found[index + 1]].some((next) => next?.kind === "letters" && isDigits(next));
    if (token.count === 1 && isDigits(token) && beside) throw unsupportedLetters(token, call, "next to another number");
    names.push(field.name);
    letters.set(token.letter, token.count);
    regex += `(${field.regex})`;
  }
  // Java needs year, month and day for a timestamp.
  if (!["y", "m", "d"].every((name) => names.includes(name))) return raw("CAST(NULL AS BIGINT)");
  checkFields(names, letters, call);
  const seconds = secondsOf(names, letters);
  const list = names.map(quoteLiteral).join(", ");
  return sql`list_transform([regexp_extract(${text}, ${quoteLiteral(`(?is)^${regex}$`)}, [${list}])], lambda hive_p: ${seconds})[1]`;
}

/** SQL for the seconds since 1970 of the parsed fields in `hive_p`. */
function secondsOf(names: readonly string[], letters: ReadonlyMap<string, number>): Part {
  const part = (name: string, otherwise: string) =>
    names.includes(name) ? `TRY_CAST(hive_p."${name}" AS BIGINT)` : otherwise;
  const date = [raw(yearOf(letters)), raw(monthOf(letters)), raw(part("d", "NULL"))];
  const zero = raw("0");
  const midnight = macro("hive_moment_seconds", ...date, zero, zero, zero, zero, zero);
  const moment = macro(
    "hive_moment_seconds",
    ...date,
    raw(hourOf(names)),
    raw(part("i", "0")),
    raw(part("s", "0")),
    raw(part("f", "0")),
    raw(names.includes("o") ? offset : "0"),
  );
  const seconds = hasTimeOfDay(names) ? moment : sql`CASE WHEN ${moment} IS NOT NULL THEN ${midnight} END`;
  if (!names.includes("e")) return seconds;
  const list = weekdays.map((name) => quoteLiteral(name.slice(0, 3))).join(", ");
  const place = sql`(${midnight} // 86400 % 7 + 10) % 7 + 1`;
  return sql`CASE WHEN ${place} = list_position([${list}], lower(hive_p."e"[:3])) THEN ${seconds} END`;
}

/** Returns true when the fields contain a time of day; without one the time is midnight. */
const hasTimeOfDay = (names: readonly string[]) => names.includes("h") || (names.includes("g") && names.includes("a"));

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "letters"; readonly letter: string; readonly count: number; readonly at: number };
type Letters = Extract<Token, { kind: "letters" }>;

function tokens(pattern: string, call: CallSite): readonly Token[] {
  const result: Token[] = [];
  for (const match of pattern.matchAll(/([A-Za-z])\1*|''|'(?:[^']|'')*'|[^A-Za-z']+|'/g)) {
    const [text, letter] = match;
    if (letter !== undefined) result.push({ kind: "letters", letter, count: text.length, at: match.index + 1 });
    else if (text === "''") result.push({ kind: "text", text: "'" });
    else if (text === "'")
      throw call.invalid(`has an unterminated quote at character ${match.index + 1} of its pattern`);
    else if (text.startsWith("'")) result.push({ kind: "text", text: text.slice(1, -1).replaceAll("''", "'") });
    else {
      const special = /[[\]{}#]/.exec(text);
      if (special)
        throw call.refused(`has ${special[0]} at character ${match.index + special.index + 1} of its pattern`);
      result.push({ kind: "text", text });
    }
  }
  return result;
}

function unsupportedLetters(token: Letters, call: CallSite, why = ""): Error {
  const letters = token.letter.repeat(token.count);
  return call.refused(`has ${letters}${why && ` ${why}`} at character ${token.at} of its pattern`);
}

/** The strftime codes of letters in both dialects, by the number of repetitions. */
const strftimeCodes: Readonly<Record<string, readonly (string | undefined)[]>> = {
  d: ["%-d", "%d"],
  M: ["%-m", "%m", "%b", "%B"],
  H: ["%-H", "%H"],
  h: ["%-I", "%I"],
  m: ["%-M", "%M"],
  s: ["%-S", "%S"],
  E: ["%a", "%a", "%a", "%A"],
  a: ["%p"],
  D: ["%-j", undefined, "%j"],
  z: ["UTC", "UTC", "UTC"],
  Z: ["+0000", "+0000", "+0000"],
  X: ["Z", "Z", "Z"],
};

/** The strftime codes of letters that only java.time has or formats differently. */
const javaTimeCodes: Readonly<Record<string, readonly string[]>> = {
  L: ["%-m", "%m", "%b", "%B"],
  x: ["+00", "+0000", "+00:00", "+0000", "+00:00"],
  X: ["Z", "Z", "Z", "Z", "Z"],
  Z: ["+0000", "+0000", "+0000", "GMT", "Z"],
  z: ["UTC", "UTC", "UTC", "Coordinated Universal Time"],
};

/** The strftime codes of names whose narrow form is their first letter. */
const narrow: Readonly<Record<string, string>> = { E: "%A", M: "%B", L: "%B" };

function formatLetters(
  { letter, count }: Letters,
  dialect: Dialect,
  value: Part,
  timeZone: string,
): Part | string | undefined {
  const javaTime = dialect === "java.time";
  if (javaTime && timeZone !== "UTC" && "zZXxO".includes(letter)) return undefined;
  const code = strftimeCodes[letter]?.[count - 1] ?? (javaTime ? javaTimeCodes[letter]?.[count - 1] : undefined);
  if (code !== undefined) return code;
  if (letter === "y" || (letter === "u" && javaTime)) {
    const year = letter === "u" ? sql`year(${value})` : macro("hive_era_year", value);
    if (count === 1) return sql`CAST(${year} AS VARCHAR)`;
    if (count === 2) return sql`lpad(CAST(abs(${year}) % 100 AS VARCHAR), 2, '0')`;
    if (javaTime && count === 3)
      return sql`CASE WHEN ${year} < 0 THEN '-' ELSE '' END || ${padded(sql`abs(${year})`, 3)}`;
    if (count !== 4) return undefined;
    return javaTime
      ? macro("hive_year_text", year)
      : sql`CASE WHEN ${year} > 9999 THEN CAST(${year} AS VARCHAR) ELSE lpad(CAST(${year} AS VARCHAR), 4, '0') END`;
  }
  if (letter === "Y" && (count === 1 || count === 4)) {
    const year = macro("hive_week_year", value);
    return count === 1 ? sql`CAST(${year} AS VARCHAR)` : macro("hive_year_text", year);
  }
  if (letter === "Y" && count === 2 && javaTime)
    return sql`lpad(CAST(abs(${macro("hive_week_year", value)}) % 100 AS VARCHAR), 2, '0')`;
  if (letter === "w" && count <= 2 && javaTime) return padded(macro("hive_week", value), count);
  if (letter === "W" && count === 1 && javaTime) return padded(macro("hive_month_week", value), count);
  if ((letter === "e" || letter === "c") && javaTime) return weekday(letter, count, value);
  if (letter === "G" && count <= 5 && javaTime) {
    const [before, since] =
      [
        ["BC", "AD"],
        ["Before Christ", "Anno Domini"],
        ["B", "A"],
      ][Math.max(count - 3, 0)] ?? [];
    return sql`CASE WHEN year(${value}) < 1 THEN '${before ?? ""}' WHEN ${value} IS NOT NULL THEN '${since ?? ""}' END`;
  }
  if (letter === "O" && javaTime && (count === 1 || count === 4)) return "GMT";
  if (javaTime && count === 5 && letter in narrow)
    return sql`left(strftime(${value}, ${quoteLiteral(narrow[letter] ?? "")}), 1)`;
  if ((letter === "Q" || letter === "q") && javaTime && count === 4)
    return sql`['1st', '2nd', '3rd', '4th'][quarter(${value})] || ' quarter'`;
  if (letter === "D" && count === 2 && javaTime) return padded(sql`dayofyear(${value})`, count);
  if (letter === "A" && javaTime) return padded(sql`(${macro("hive_day_microseconds", value)} // 1000)`, count);
  if (letter === "N" && javaTime) return padded(sql`(${macro("hive_day_microseconds", value)} * 1000)`, count);
  if (letter === "n" && javaTime) return padded(sql`(microsecond(${value}) % 1000000 * 1000)`, count);
  if (letter === "k" && count <= 2) return padded(sql`(hour(${value}) + 23) % 24 + 1`, count);
  if (letter === "K" && count <= 2) return padded(sql`hour(${value}) % 12`, count);
  if (letter === "S" && javaTime && count <= 9) {
    return sql`left(lpad(CAST(microsecond(${value}) % 1000000 AS VARCHAR), 6, '0') || '000', ${count})`;
  }
  if (letter === "S" && count === 3) return sql`lpad(CAST(microsecond(${value}) % 1000000 // 1000 AS VARCHAR), 3, '0')`;
  if ((letter === "Q" || letter === "q") && javaTime && count <= 3)
    return sql`${quoteLiteral(["", "0", "Q"][count - 1] ?? "")} || CAST(quarter(${value}) AS VARCHAR)`;
  return undefined;
}

/** Pads a number with zeros to a number of digits. */
const padded = (value: Part, width: number) =>
  width === 1 ? sql`CAST(${value} AS VARCHAR)` : macro("hive_padded", sql`CAST(${value} AS VARCHAR)`, String(width));

/** Formats the day of a week that begins on Sunday: a number from 1, or the English name. */
function weekday(letter: "e" | "c", count: number, value: Part): Part | string | undefined {
  if (count === 3) return "%a";
  if (count === 4) return "%A";
  return count === 1 || (letter === "e" && count === 2) ? padded(sql`(dayofweek(${value}) + 1)`, count) : undefined;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const longMonths = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** Returns the regular expression of a pattern letter and the field that it sets. */
function parserOf({ letter, count }: Letters): { readonly name: string; readonly regex: string } | undefined {
  const number = (name: string) => (count <= 2 ? { name, regex: count === 1 ? "[0-9]{1,18}" : "[0-9]{2}" } : undefined);
  switch (letter) {
    case "y":
    case "u":
      if (count === 4) return { name: "y", regex: `[0-9]{4}|[+][0-9]{5,9}${letter === "u" ? "|-[0-9]{4,9}" : ""}` };
      if (count === 2) return { name: "y", regex: "[0-9]{2}" };
      return count === 1 ? { name: "y", regex: `${letter === "u" ? "-?" : ""}[0-9]{1,9}` } : undefined;
    case "M":
      if (count === 3) return { name: "m", regex: months.join("|") };
      return count === 4 ? { name: "m", regex: longMonths.join("|") } : number("m");
    case "d":
      return number("d");
    case "H":
      return number("h");
    case "h":
      return number("g");
    case "m":
      return number("i");
    case "s":
      return number("s");
    case "S":
      return count <= 9 ? { name: "f", regex: `[0-9]{${count}}` } : undefined;
    case "E":
      return count <= 4
        ? { name: "e", regex: weekdays.map((name) => (count < 4 ? name.slice(0, 3) : name)).join("|") }
        : undefined;
    case "a":
      return count === 1 ? { name: "a", regex: "am|pm" } : undefined;
    case "X": {
      const forms = ["[+-][0-9]{2}(?:[0-9]{2})?", "[+-][0-9]{4}", "[+-][0-9]{2}:[0-9]{2}"];
      return count <= 3 ? { name: "o", regex: `z|${forms[count - 1] ?? ""}` } : undefined;
    }
    case "Z":
      return count <= 3 ? { name: "o", regex: "[+-][0-9]{4}" } : undefined;
    default:
      return undefined;
  }
}

function isDigits({ letter, count }: Letters): boolean {
  return "yudHhmsS".includes(letter) || (letter === "M" && count <= 2);
}

/** Refuses sets of fields for which Java's result depends on the text. */
function checkFields(names: readonly string[], letters: ReadonlyMap<string, number>, call: CallSite) {
  const has = (name: string) => names.includes(name);
  const unsupportedPattern = (what: string) => call.refused(`has a pattern ${what}`);
  if (has("a") && !has("g")) throw unsupportedPattern("with a but without h");
  if (has("g") && has("h")) throw unsupportedPattern("with both H and h");
  if ((has("s") || has("f")) && !has("i") && (has("h") || has("g")))
    throw unsupportedPattern("with seconds but no minutes");
  if (has("f") && !has("s")) throw unsupportedPattern("with fractions but no seconds");
  if (has("o") && !hasTimeOfDay(names)) throw unsupportedPattern("with a zone but no time");
  if (has("o") && call.timeZone !== "UTC")
    throw unsupportedPattern("with a zone, and the session time zone is not UTC");
  if (letters.has("y") && letters.has("u")) throw unsupportedPattern("with two years");
}

function yearOf(letters: ReadonlyMap<string, number>): string {
  const value = 'TRY_CAST(hive_p."y" AS BIGINT)';
  if (letters.get("y") === 2 || letters.get("u") === 2) return `2000 + ${value}`;
  return letters.has("y") ? `nullif(${value}, 0)` : value;
}

function monthOf(letters: ReadonlyMap<string, number>): string {
  const count = letters.get("M") ?? 0;
  if (count < 3) return 'TRY_CAST(hive_p."m" AS BIGINT)';
  const names = (count === 3 ? months : longMonths).map(quoteLiteral).join(", ");
  return `CAST(list_position([${names}], lower(hive_p."m")) AS BIGINT)`;
}

function hourOf(names: readonly string[]): string {
  if (names.includes("h")) return 'TRY_CAST(hive_p."h" AS BIGINT)';
  if (!names.includes("g")) return "0";
  const hour = 'TRY_CAST(hive_p."g" AS BIGINT)';
  if (!names.includes("a")) return `CASE WHEN ${hour} BETWEEN 0 AND 12 THEN 0 END`;
  return `CASE WHEN ${hour} BETWEEN 0 AND 12 THEN ${hour} % 12 + CASE WHEN lower(hive_p."a") = 'pm' THEN 12 ELSE 0 END END`;
}

/** SQL for the offset in seconds east of UTC; Java accepts at most 18 hours. */
const offset = `CASE WHEN lower(hive_p."o") = 'z' THEN 0
  WHEN TRY_CAST(hive_p."o"[2:3] AS BIGINT) * 60 + coalesce(TRY_CAST(right(replace(hive_p."o"[4:], ':', ''), 2) AS BIGINT), 0) <= 1080
    AND coalesce(TRY_CAST(right(replace(hive_p."o"[4:], ':', ''), 2) AS BIGINT), 0) < 60
  THEN (TRY_CAST(hive_p."o"[2:3] AS BIGINT) * 60 + coalesce(TRY_CAST(right(replace(hive_p."o"[4:], ':', ''), 2) AS BIGINT), 0)) * CASE WHEN hive_p."o"[1] = '-' THEN -60 ELSE 60 END END`;
