/** Parses timestamps by Java's date patterns, with a regular expression. */
import { macro, raw, sql } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import { quoteLiteral } from "../../tree/types";
import type { CallSite } from "../define";
import { isTooLong, type Letters, tokens, unsupportedLetters } from "./pattern-letters";

/** Parses a text with a java.time pattern: SQL for the seconds since 1970, and NULL when the text does not match. */
export function parseTimestamp(text: Part, pattern: string, call: CallSite): Part {
  const found = tokens(pattern, call);
  const written = found.map((token) => (token.kind === "letters" ? token.letter : "")).join("");
  // Java makes no date of the year of a week without the week.
  if (isTooLong(pattern, call) || (/Y/.test(written) && !/[yuwWec]/.test(written))) return noSeconds;
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
  if (!["y", "m", "d"].every((name) => names.includes(name))) return noSeconds;
  checkFields(names, letters, call);
  const seconds = secondsOf(names, letters);
  const list = names.map(quoteLiteral).join(", ");
  return sql`list_transform([regexp_extract(${text}, ${quoteLiteral(`(?is)^${regex}$`)}, [${list}])], lambda hive_p: ${seconds})[1]`;
}

const noSeconds = raw("CAST(NULL AS BIGINT)");

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

const longMonths = "january february march april may june july august september october november december".split(" ");
const months = longMonths.map((name) => name.slice(0, 3));
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
