/** Formats timestamps by Java's date patterns, with DuckDB functions. */
import { macro, once, sql, weighed } from "../../tree/fragment";
import type { Part } from "../../tree/nodes";
import { quoteLiteral } from "../../tree/types";
import type { CallSite } from "../define";
import { type Letters, tokens, unsupportedLetters } from "./pattern-letters";

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
    const other = javaTime
      ? macro("hive_year_text", year)
      : sql`CASE WHEN ${year} > 9999 THEN CAST(${year} AS VARCHAR) ELSE lpad(CAST(${year} AS VARCHAR), 4, '0') END`;
    return sql`CASE WHEN ${value} >= TIMESTAMP '1000-01-01' AND ${value} < TIMESTAMP '9999-12-31' THEN strftime(${value}, '%Y') ELSE ${other} END`;
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
