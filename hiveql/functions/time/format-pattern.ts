/** Formats timestamps by Java's date patterns, with DuckDB functions. */
import { macro, once, sql, weighed } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import { quoteLiteral } from "../../tree/types";
import type { CallSite } from "../define";
import { type Letters, tokens, unsupportedLetters } from "./pattern-letters";

/**
 * Formats a local TIMESTAMP by a java.time pattern.
 * @param utc the same moment in UTC, for the letters of the zone. @default `value`, for which the zone must be UTC
 * @throws HiveQLError for pattern letters that the embedded engine does not support.
 */
export function formatTimestamp(value: Part, pattern: string, call: CallSite, utc?: Part): Part {
  const isZoned = tokens(pattern, call).some((token) => token.kind === "letters" && /[ZXx]/.test(token.letter));
  const held = utc && isZoned ? [value, utc] : [value];
  const pieces = ([local = value, moment]: readonly Part[]) => formatPieces(local, moment, pattern, call);
  return weighed(held, 20, sql`${pieces(held)}`, once(held, pieces));
}

function formatPieces(value: Part, utc: Part | undefined, pattern: string, call: CallSite): Part {
  const pieces: Part[] = [];
  let codes = "";
  const flush = () => {
    if (codes !== "") pieces.push(sql`strftime(${value}, ${quoteLiteral(codes)})`);
    codes = "";
  };
  for (const token of tokens(pattern, call)) {
    const found =
      token.kind === "text"
        ? token.text.replaceAll("%", "%%")
        : (formatLetters(token, value) ?? formatZone(token, value, utc, call));
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

/** The strftime codes of letters by the number of repetitions. */
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
};

/** The texts of the zone UTC by the number of repetitions. */
const zoneTexts: Readonly<Record<string, readonly string[]>> = {
  z: ["UTC", "UTC", "UTC"],
  Z: ["+0000", "+0000", "+0000"],
  X: ["Z", "Z", "Z"],
  x: ["+00", "+0000", "+00:00"],
};

/** Returns the name of the zone or its offset at a moment. */
function formatZone(token: Letters, value: Part, utc: Part | undefined, call: CallSite): Part | string | undefined {
  const { letter, count } = token;
  const text = zoneTexts[letter]?.[count - 1];
  if (text === undefined || call.timeZone === "UTC") return text;
  if (letter === "z" || utc === undefined)
    throw unsupportedLetters(token, call, `with the time zone ${call.timeZone} (write Z for its offset)`);
  const minutes = macro("hive_offset_minutes", value, utc);
  const hasColon = letter !== "Z" && count === 3;
  const offset = macro(
    letter !== "Z" && count === 1 ? "hive_short_offset" : "hive_offset",
    minutes,
    hasColon ? "':'" : "''",
  );
  return letter === "X" ? sql`CASE WHEN ${minutes} = 0 THEN 'Z' ELSE ${offset} END` : offset;
}

function formatLetters({ letter, count }: Letters, value: Part): Part | string | undefined {
  const code = strftimeCodes[letter]?.[count - 1];
  if (code !== undefined) return code;
  switch (letter) {
    case "y":
      return yearText("era_year", count, value);
    case "u":
      return yearText("year", count, value);
    case "Y": {
      const year = macro("hive_week_year", value);
      if (count === 4) return macro("hive_year_text", year);
      return count === 1 ? sql`CAST(${year} AS VARCHAR)` : undefined;
    }
    case "w":
      return count <= 2 ? padded(macro("hive_week", value), count) : undefined;
    case "k":
      return count <= 2 ? padded(sql`(hour(${value}) + 23) % 24 + 1`, count) : undefined;
    case "K":
      return count <= 2 ? padded(sql`hour(${value}) % 12`, count) : undefined;
    case "S":
      return count <= 9
        ? sql`left(lpad(CAST(microsecond(${value}) % 1000000 AS VARCHAR), 6, '0') || '000', ${count})`
        : undefined;
    case "Q":
    case "q": {
      const before = ["", "0", "Q"][count - 1];
      return before === undefined ? undefined : sql`${quoteLiteral(before)} || CAST(quarter(${value}) AS VARCHAR)`;
    }
    default:
      return undefined;
  }
}

function yearText(kind: "year" | "era_year", count: number, value: Part): Part | undefined {
  const year = kind === "year" ? sql`year(${value})` : macro("hive_era_year", value);
  if (count === 1) return sql`CAST(${year} AS VARCHAR)`;
  if (count === 2) return sql`lpad(CAST(abs(${year}) % 100 AS VARCHAR), 2, '0')`;
  if (count !== 4) return undefined;
  return sql`CASE WHEN ${value} >= TIMESTAMP '1000-01-01' AND ${value} < TIMESTAMP '9999-12-31' THEN strftime(${value}, '%Y') ELSE hive_long_year(${macro(`hive_rare_${kind}`, value)}) END`;
}

/** Pads a number with zeros to a number of digits. */
const padded = (value: Part, width: number) =>
  width === 1 ? sql`CAST(${value} AS VARCHAR)` : macro("hive_padded", sql`CAST(${value} AS VARCHAR)`, String(width));
