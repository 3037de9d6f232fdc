/** Formats timestamps by Java's date patterns, with DuckDB functions. */
import { macro, once, sql, weighed } from "../../tree/fragment";
import type { Part } from "../../tree/nodes";
import { quoteLiteral } from "../../tree/types";
import type { CallSite } from "../define";
import { type Letters, tokens, unsupportedLetters } from "./pattern-letters";

/**
 * Formats a UTC TIMESTAMP by a java.time pattern.
 * @throws HiveQLError for pattern letters that the embedded engine does not support.
 */
export function formatTimestamp(value: Part, pattern: string, call: CallSite): Part {
  const light = sql`${formatPieces({ value, rarely: (body) => body(value) }, pattern, call)}`;
  const heavy = once([value], ([known = value]) =>
    formatPieces({ value: known, rarely: inLambda(known) }, pattern, call),
  );
  return weighed([value], 20, light, heavy);
}

/** The timestamp that is formatted. */
interface Moment {
  readonly value: Part;
  /** Returns SQL that few rows compute. */
  readonly rarely: (body: (value: Part) => Part) => Part;
}

/**
 * Computes in a lambda of its own what few rows need. DuckDB prepares the functions of a lambda for every 2048 rows, and
 * `year` makes a table of days for that; a lambda in a branch is prepared only when a row takes the branch.
 */
const inLambda =
  (value: Part): Moment["rarely"] =>
  (body) =>
    once([value], ([known = value]) => body(known));

function formatPieces(moment: Moment, pattern: string, call: CallSite): Part {
  const { value } = moment;
  const pieces: Part[] = [];
  let codes = "";
  const flush = () => {
    if (codes !== "") pieces.push(sql`strftime(${value}, ${quoteLiteral(codes)})`);
    codes = "";
  };
  for (const token of tokens(pattern, call)) {
    const found =
      token.kind === "text" ? token.text.replaceAll("%", "%%") : formatLetters(token, moment, call.timeZone);
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

function formatLetters({ letter, count }: Letters, moment: Moment, timeZone: string): Part | string | undefined {
  const { value } = moment;
  const code = strftimeCodes[letter]?.[count - 1] ?? (timeZone === "UTC" ? zoneTexts[letter]?.[count - 1] : undefined);
  if (code !== undefined) return code;
  switch (letter) {
    case "y":
      return yearText((known) => macro("hive_era_year", known), count, moment);
    case "u":
      return yearText((known) => sql`year(${known})`, count, moment);
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

function yearText(yearOf: (value: Part) => Part, count: number, { value, rarely }: Moment): Part | undefined {
  if (count === 1) return sql`CAST(${yearOf(value)} AS VARCHAR)`;
  if (count === 2) return sql`lpad(CAST(abs(${yearOf(value)}) % 100 AS VARCHAR), 2, '0')`;
  if (count !== 4) return undefined;
  const anyYear = rarely((known) => macro("hive_year_text", yearOf(known)));
  return sql`CASE WHEN ${value} >= TIMESTAMP '1000-01-01' AND ${value} < TIMESTAMP '9999-12-31' THEN strftime(${value}, '%Y') ELSE ${anyYear} END`;
}

/** Pads a number with zeros to a number of digits. */
const padded = (value: Part, width: number) =>
  width === 1 ? sql`CAST(${value} AS VARCHAR)` : macro("hive_padded", sql`CAST(${value} AS VARCHAR)`, String(width));
