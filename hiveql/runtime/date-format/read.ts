/** Parsing of texts with the patterns of CAST … FORMAT. */
import { dayOf } from "./moment";
import { type Field, PatternCache, separators, type SqlPattern, type Token } from "./pattern";
import { months, weekdays } from "./write";

/**
 * Returns the microseconds since 1970 of a text; NULL when the text does not match the pattern.
 * @throws Error for a text that ends too early, as Hive does, and for a timestamp finer than microseconds.
 */
export function readMoment(text: string, pattern: string): bigint | null {
  const found = read(text, pattern);
  if (!found) return null;
  if (found.nano % 1000 !== 0) throw new Error(`HiveQL: a timestamp finer than microseconds is not supported: ${text}`);
  return (BigInt(found.day) * 86_400n + BigInt(found.time)) * 1_000_000n + BigInt(found.nano / 1000);
}

/** Returns the days since 1970 of a text; NULL when the text does not match the pattern. */
export function readDay(text: string, pattern: string): number | null {
  return read(text, pattern)?.day ?? null;
}

const patterns = new PatternCache(true);

function read(text: string, pattern: string) {
  const values = new Reader(text, patterns.get(pattern)).read();
  if (!values) return undefined;
  if (values.get("year") === 0) throw new Error(`HiveQL: CAST … FORMAT does not support a year before 1: ${text}`);
  const [day, time] = [dayOf(values), timeOf(values)];
  return day === undefined || time === undefined ? undefined : { day, time, nano: values.get("nano") ?? 0 };
}

/** Returns the second of the day; undefined when the time does not exist. */
function timeOf(values: ReadonlyMap<Field, number>): number | undefined {
  const within = (field: Field, most: number) => (values.get(field) ?? 0) <= most;
  if (!within("hour of half", 11) || !within("hour", 23) || !within("minute", 59) || !within("second", 59))
    return undefined;
  if (!within("second of day", 86_399)) return undefined;
  const hour = values.get("hour") ?? (values.get("hour of half") ?? 0) + 12 * (values.get("half") ?? 0);
  return values.get("second of day") ?? (hour * 60 + (values.get("minute") ?? 0)) * 60 + (values.get("second") ?? 0);
}

type Element = Extract<Token, { kind: "number" | "name" }>;

/** Thrown when a text does not match the pattern. */
class Mismatch extends Error {}

class Reader {
  private at = 0;
  private readonly values = new Map<Field, number>();

  constructor(
    private readonly text: string,
    private readonly pattern: SqlPattern,
  ) {}

  read(): ReadonlyMap<Field, number> | undefined {
    try {
      for (const [index, token] of this.pattern.tokens.entries()) this.token(token, this.pattern.tokens[index + 1]);
      if (this.at < this.text.length) throw new Mismatch();
      return this.values;
    } catch (error) {
      if (error instanceof Mismatch) return undefined;
      throw error;
    }
  }

  private token(token: Token, next: Token | undefined): void {
    switch (token.kind) {
      case "number":
        this.values.set(token.field, this.number(token));
        break;
      case "name":
        this.values.set(token.field, this.name(token));
        break;
      case "separator":
        this.separator(token.text, next);
        break;
      case "text":
        if (this.needed(token.text.length).toLowerCase() !== token.text.toLowerCase()) throw new Mismatch();
        break;
      case "zone":
        this.zone(token.unit);
        break;
    }
  }

  /** Takes characters; fails, as Hive does, when the text is too short. */
  private needed(length: number): string {
    const taken = this.text.slice(this.at, this.at + length);
    if (taken.length < length) throw new Error(`HiveQL: the text '${this.text}' ends before its FORMAT does`);
    this.at += length;
    return taken;
  }

  private digits(length: number): string {
    const ahead = this.text.slice(this.at, this.at + length);
    // Java's pattern for non-digits does not match line terminators.
    const taken = /[\n\r\u0085\u2028\u2029]/.test(ahead) ? ahead : (/^[0-9]*/.exec(ahead)?.[0] ?? "");
    this.at += taken.length;
    return taken;
  }

  private number(token: Element): number {
    if (token.field === "half") return this.half(token);
    const taken = this.digits(token.length);
    this.checkLength(taken, token);
    if (token.field === "hour of half") {
      if (taken === "0") throw new Mismatch();
      if (taken === "12") return 0;
    }
    if (token.field === "year" || token.field === "iso year") return whole(yearOf(taken, token.text));
    return whole(token.field === "nano" ? taken.padEnd(9, "0") : taken);
  }

  private half(token: Element): number {
    const ahead = this.text.slice(this.at, this.at + (this.pattern.exact ? token.text.length : 4));
    if (ahead.length < 2) throw new Error(`HiveQL: the text '${this.text}' ends before its FORMAT does`);
    const taken = /^.m/i.test(ahead) ? ahead.slice(0, 2) : ahead;
    this.at += taken.length;
    if (this.pattern.exact && !token.fill && taken.length !== token.text.length) throw new Mismatch();
    return /^a/i.test(taken) ? 0 : 1;
  }

  private checkLength(taken: string, { field, fill, length }: Element): void {
    if (this.pattern.exact && !fill && field !== "nano" && taken.length !== length) throw new Mismatch();
  }

  private name({ field, length }: Element): number {
    const all = field === "month" ? months : weekdays;
    const ahead = this.text.slice(this.at, this.at + length).toLowerCase();
    const found = all.findIndex((name) => {
      const lower = name.toLowerCase();
      return length === 3 ? ahead === lower.slice(0, 3) : ahead.startsWith(lower);
    });
    if (found === -1) throw new Mismatch();
    this.at += length === 3 ? 3 : (all[found] ?? "").length;
    return found + 1;
  }

  /** Reads separators. Any separators match any others; a minus after others is the sign of a following zone. */
  private separator(written: string, next: Token | undefined): void {
    let taken = "";
    while (this.at < this.text.length && separators.includes(this.text.charAt(this.at))) {
      taken += this.text.charAt(this.at);
      this.at += 1;
    }
    if (taken.length > 1 && taken.endsWith("-") && next?.kind === "zone" && next.unit === "hour") {
      taken = taken.slice(0, -1);
      this.at -= 1;
    }
    if (taken === "" || (this.pattern.exact && taken !== written)) throw new Mismatch();
  }

  /** Reads a time zone and ignores it. */
  private zone(unit: "hour" | "minute"): void {
    if (unit === "hour") {
      const sign = this.needed(1);
      if (sign !== "-" && sign !== "+") this.at -= 1;
    }
    if (whole(this.digits(2)) > (unit === "hour" ? 15 : 59)) throw new Mismatch();
  }
}

function whole(digits: string): number {
  if (!/^[0-9]+$/.test(digits)) throw new Mismatch();
  return Number(digits);
}

/** Completes a year with digits of the current year; RR and RRRR complete two digits with the nearest century. */
function yearOf(digits: string, token: string): string {
  const current = String(new Date().getUTCFullYear());
  if (!/^r/i.test(token) || digits.length !== 2) return current.slice(0, 4 - digits.length) + digits;
  const [century, year] = [Number(current.slice(0, 2)), Number(current.slice(2))];
  const given = Number(digits);
  const shift = given < 50 && year >= 50 ? 1 : given >= 50 && year < 50 ? -1 : 0;
  return String(century + shift) + digits;
}
