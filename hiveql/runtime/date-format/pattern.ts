/** Patterns of CAST … FORMAT: those of SQL:2016, as Hive reads them. */

/** What of a moment a piece of a pattern tells. */
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

/** A piece of a pattern. */
export type Token =
  | {
      readonly kind: "number" | "name";
      readonly field: Field;
      /** As written, whose case is that of names. */
      readonly text: string;
      readonly length: number;
      /** Whether FM stands before it: neither padded nor of a fixed length. */
      readonly fill: boolean;
    }
  | { readonly kind: "separator" | "text"; readonly text: string }
  | { readonly kind: "zone"; readonly unit: "hour" | "minute" };

export interface SqlPattern {
  readonly tokens: readonly Token[];
  /** Whether FX stands in it: lengths and separators of texts must be those of the pattern. */
  readonly exact: boolean;
}

/** What Hive refuses of a pattern. */
export class BadPattern extends Error {}

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
 * Reads a pattern.
 * @param forParsing whether texts are read by it, and not written.
 * @throws BadPattern for what Hive refuses.
 */
export function readSqlPattern(pattern: string, forParsing: boolean): SqlPattern {
  if (pattern.length >= 100) throw new BadPattern("is longer than 99 characters");
  const tokens: Token[] = [];
  let exact = false;
  let fill = false;
  let at = 0;
  while (at < pattern.length) {
    const found = tokenAt(pattern, at, fill);
    if (!found)
      throw new BadPattern(`has ${pattern.slice(at, at + 1)} at character ${at + 1}, which begins no element`);
    const { token, length } = found;
    at += length;
    if (fill && (!token || !("fill" in token)))
      throw new BadPattern("has FM before what is no element of a date or time");
    fill = false;
    if (token) add(tokens, token);
    else if (found.modifier === "fm") fill = true;
    else exact = true;
  }
  if (forParsing) checkParsing(tokens);
  else if (tokens.some((token) => token.kind === "zone"))
    throw new BadPattern("has a zone, which dates and times do not have");
  return { tokens, exact };
}

const mostKept = 256;

/** Patterns that were read, for rows after the first. */
export class Patterns {
  private readonly kept = new Map<string, SqlPattern>();

  constructor(private readonly forParsing: boolean) {}

  get(pattern: string): SqlPattern {
    const known = this.kept.get(pattern);
    if (known) return known;
    if (this.kept.size >= mostKept) this.kept.clear();
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

/** Text in double quotes, of which a backslash before one is no part. */
function quoted(pattern: string, at: number): Found {
  const text = /^"((?:[^"]|(?<=\\)")*)(?<!\\)"/.exec(pattern.slice(at))?.[1];
  if (text === undefined) throw new BadPattern(`has a double quote at character ${at + 1} that does not end`);
  return { token: { kind: "text", text: text.replaceAll("\\", "") }, length: text.length + 2 };
}

function add(tokens: Token[], token: Token): void {
  const last = tokens.at(-1);
  if (token.kind === "separator" && last?.kind === "separator")
    tokens[tokens.length - 1] = { kind: "separator", text: last.text + token.text };
  else tokens.push(token);
}

const unreadable: readonly Field[] = ["quarter", "weekday", "week of month", "week of year"];
const isoFields: ReadonlySet<Field> = new Set(["iso year", "iso week"]);
const gregorianFields: ReadonlySet<Field> = new Set(["year", "month", "day", "day of year"]);

function checkParsing(tokens: readonly Token[]): void {
  const fields = tokens.flatMap((token) => ("field" in token ? [token.field] : []));
  const has = (field: Field) => fields.includes(field);
  const refuse = (holds: boolean, why: string) => {
    if (holds) throw new BadPattern(why);
  };
  const isIso = fields.some((field) => isoFields.has(field));
  const isGregorian = fields.some((field) => gregorianFields.has(field));
  const bad = unreadable.find(has);
  refuse(bad !== undefined, `has the ${bad}, by which no text is read`);
  refuse(has("iso day") && isGregorian, "has the day of the week beside a year, month or day");
  refuse(isIso && isGregorian, "has elements of ISO weeks beside others of dates");
  refuse(!has("year") && !has("iso year"), "has no year");
  refuse(
    isGregorian && !(has("month") && has("day")) && !has("day of year"),
    "has neither month and day nor the day of the year",
  );
  refuse(isIso && !(has("iso week") && has("iso day")), "has no ISO week or no day of it");
  refuse(new Set(fields).size < fields.length, "has an element twice");
  refuse(has("half") && !has("hour of half"), "has AM or PM without an hour of 12");
  refuse(has("hour of half") && has("hour"), "has two hours");
  refuse(has("day of year") && (has("day") || has("month")), "has the day of the year beside month or day");
  refuse(
    has("second of day") && fields.some((field) => /^(?:hour|minute|second$)/.test(field)),
    "has the second of the day beside others of time",
  );
  const hasZone = (unit: "hour" | "minute") => tokens.some((token) => token.kind === "zone" && token.unit === unit);
  refuse(hasZone("minute") && !hasZone("hour"), "has minutes of a zone without hours");
}
