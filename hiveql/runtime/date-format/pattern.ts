/** Patterns of CAST … FORMAT: SQL:2016 date formats, as Hive reads them. */

/** A field of a date or timestamp. */
export type Field =
  | "year"
  | "iso year"
  | "month"
  | "day"
  | "day of year"
  | "quarter"
  | "week of year"
  | "week of month"
  | "iso week"
  | "iso day"
  | "weekday"
  | "half"
  | "hour of half"
  | "hour"
  | "minute"
  | "second"
  | "second of day"
  | "nano";

/** An element of a pattern. */
export type Token =
  | {
      readonly kind: "number" | "name";
      readonly field: Field;
      /** The element as written; names are printed in its case. */
      readonly text: string;
      readonly length: number;
      /** True after FM: the value is neither padded nor of fixed length. */
      readonly fill: boolean;
    }
  | { readonly kind: "separator" | "text"; readonly text: string }
  | { readonly kind: "zone"; readonly unit: "hour" | "minute" };

/** A parsed pattern. */
export interface SqlPattern {
  readonly tokens: readonly Token[];
  /** True when the pattern contains FX: texts must have its exact lengths and separators. */
  readonly exact: boolean;
}

/** Thrown for a pattern that Hive refuses. */
export class InvalidFormat extends Error {}

const fractions = ["ff1", "ff2", "ff3", "ff4", "ff5", "ff6", "ff7", "ff8", "ff9", "ff"];
const numbers: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...["yyyy", "yyy", "yy", "y", "rrrr", "rr"].map((name) => [name, "year"] as const),
  ...["iyyy", "iyy", "iy", "i"].map((name) => [name, "iso year"] as const),
  ...["a.m.", "am", "p.m.", "pm"].map((name) => [name, "half"] as const),
  ...["hh", "hh12"].map((name) => [name, "hour of half"] as const),
  ...fractions.map((name) => [name, "nano"] as const),
  ["mm", "month"],
  ["d", "weekday"],
  ["dd", "day"],
  ["ddd", "day of year"],
  ["hh24", "hour"],
  ["mi", "minute"],
  ["ss", "second"],
  ["sssss", "second of day"],
  ["ww", "week of year"],
  ["w", "week of month"],
  ["q", "quarter"],
  ["iw", "iso week"],
  ["id", "iso day"],
]);
const names: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["mon", "month"],
  ["month", "month"],
  ["day", "iso day"],
  ["dy", "iso day"],
]);
const lengths: Readonly<Record<string, number>> = {
  ...Object.fromEntries(fractions.map((name) => [name, Number(name[2] ?? 9)])),
  hh12: 2,
  hh24: 2,
  am: 4,
  pm: 4,
  month: 9,
  day: 9,
  dy: 3,
};
export const separators = "-: ./;',";
const longest = 5;

/**
 * Parses a pattern.
 * @param forParsing true when texts are parsed with it, and not formatted.
 * @throws InvalidFormat when Hive refuses the pattern.
 */
export function readSqlPattern(pattern: string, forParsing: boolean): SqlPattern {
  if (pattern.length >= 100) throw new InvalidFormat("is longer than 99 characters");
  const tokens: Token[] = [];
  let exact = false;
  let fill = false;
  let at = 0;
  while (at < pattern.length) {
    const found = tokenAt(pattern, at, fill);
    if (!found)
      throw new InvalidFormat(
        `has ${pattern.slice(at, at + 1)} at character ${at + 1}, which is not part of a format element`,
      );
    const { token, length } = found;
    at += length;
    if (fill && (!token || !("fill" in token)))
      throw new InvalidFormat("has FM before something other than a date or time element");
    fill = false;
    if (token) add(tokens, token);
    else if (found.modifier === "fm") fill = true;
    else exact = true;
  }
  if (forParsing) checkParsing(tokens);
  else if (tokens.some((token) => token.kind === "zone"))
    throw new InvalidFormat("has a time zone, which dates and timestamps do not have");
  return { tokens, exact };
}

const cacheSize = 256;

/** A cache of parsed patterns. */
export class PatternCache {
  private readonly kept = new Map<string, SqlPattern>();

  constructor(private readonly forParsing: boolean) {}

  get(pattern: string): SqlPattern {
    const known = this.kept.get(pattern);
    if (known) return known;
    if (this.kept.size >= cacheSize) this.kept.clear();
    const read = readSqlPattern(pattern, this.forParsing);
    this.kept.set(pattern, read);
    return read;
  }
}

interface Found {
  readonly token?: Token;
  readonly modifier?: "fm" | "fx";
  readonly length: number;
}

function tokenAt(pattern: string, at: number, fill: boolean): Found | undefined {
  for (let length = Math.min(longest, pattern.length - at); length > 0; length -= 1) {
    const text = pattern.slice(at, at + length);
    const name = text.toLowerCase();
    if (length === 1 && separators.includes(text)) return { token: { kind: "separator", text }, length };
    if (name === "t" || name === "z") return { token: { kind: "text", text: name.toUpperCase() }, length };
    const isNumber = numbers.has(name);
    const field = numbers.get(name) ?? names.get(name);
    if (field) {
      const size = lengths[name] ?? length;
      return { token: { kind: isNumber ? "number" : "name", field, text, length: size, fill }, length };
    }
    if (name === "tzh" || name === "tzm")
      return { token: { kind: "zone", unit: name === "tzh" ? "hour" : "minute" }, length };
    if (text.startsWith('"')) return quoted(pattern, at);
    if (name === "fm" || name === "fx") return { modifier: name, length };
  }
  return undefined;
}

/** Reads a text in double quotes, in which a backslash escapes a double quote. */
function quoted(pattern: string, at: number): Found {
  const text = /^"((?:[^"]|(?<=\\)")*)(?<!\\)"/.exec(pattern.slice(at))?.[1];
  if (text === undefined) throw new InvalidFormat(`has an unterminated double quote at character ${at + 1}`);
  return { token: { kind: "text", text: text.replaceAll("\\", "") }, length: text.length + 2 };
}

function add(tokens: Token[], token: Token): void {
  const last = tokens.at(-1);
  if (token.kind === "separator" && last?.kind === "separator")
    tokens[tokens.length - 1] = { kind: "separator", text: last.text + token.text };
  else tokens.push(token);
}

const unparsableFields: readonly Field[] = ["quarter", "weekday", "week of month", "week of year"];
const isoFields: ReadonlySet<Field> = new Set(["iso year", "iso week"]);
const gregorianFields: ReadonlySet<Field> = new Set(["year", "month", "day", "day of year"]);

function checkParsing(tokens: readonly Token[]): void {
  const fields = tokens.flatMap((token) => ("field" in token ? [token.field] : []));
  const has = (field: Field) => fields.includes(field);
  const refuse = (holds: boolean, why: string) => {
    if (holds) throw new InvalidFormat(why);
  };
  const isIso = fields.some((field) => isoFields.has(field));
  const isGregorian = fields.some((field) => gregorianFields.has(field));
  const bad = unparsableFields.find(has);
  refuse(bad !== undefined, `has the element ${bad}, which cannot be parsed`);
  refuse(has("iso day") && isGregorian, "has the day of the week together with a year, month or day");
  refuse(isIso && isGregorian, "mixes ISO week elements with other date elements");
  refuse(!has("year") && !has("iso year"), "has no year");
  refuse(
    isGregorian && !(has("month") && has("day")) && !has("day of year"),
    "has neither month and day nor day of year",
  );
  refuse(isIso && !(has("iso week") && has("iso day")), "needs ISO week and ISO day");
  refuse(new Set(fields).size < fields.length, "has two elements for the same field");
  refuse(has("half") && !has("hour of half"), "has AM or PM without a 12-hour element");
  refuse(has("hour of half") && has("hour"), "has both a 12-hour and a 24-hour element");
  refuse(has("day of year") && (has("day") || has("month")), "has day of year together with month or day");
  refuse(
    has("second of day") && fields.some((field) => /^(?:hour|minute|second$)/.test(field)),
    "has second of day together with other time elements",
  );
  const hasZone = (unit: "hour" | "minute") => tokens.some((token) => token.kind === "zone" && token.unit === unit);
  refuse(hasZone("minute") && !hasZone("hour"), "has time zone minutes without time zone hours");
}
