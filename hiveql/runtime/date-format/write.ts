/** Formatting of timestamps with the patterns of CAST … FORMAT. */
import { fieldOf } from "./moment";
import { PatternCache, type Token } from "./pattern";

export const months = "January February March April May June July August September October November December".split(
  " ",
);
export const weekdays = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

const patterns = new PatternCache(false);

/**
 * Formats a timestamp, given in microseconds since 1970.
 * @throws Error for years before 1.
 */
export function writeMoment(microseconds: bigint, pattern: string): string {
  const { tokens } = patterns.get(pattern);
  if (fieldOf(microseconds, "year") < 1) throw new Error("HiveQL: CAST … FORMAT does not support a year before 1");
  return tokens.map((token) => formatToken(microseconds, token)).join("");
}

/** Writes a year as Java does: with four digits at least, and a sign when it has more. */
export function longYear(year: bigint): string {
  const digits = String(year < 0n ? -year : year).padStart(4, "0");
  return `${year < 0n ? "-" : year > 9999n ? "+" : ""}${digits}`;
}

function formatToken(microseconds: bigint, token: Token): string {
  if (token.kind === "zone") return "";
  if (!("field" in token)) return token.text;
  const value = fieldOf(microseconds, token.field);
  if (token.kind === "name") return formatName(value, token);
  if (token.field === "half") return formatHalf(value, token.text);
  if (token.field === "nano") {
    const digits = String(value).padStart(9, "0").slice(0, token.length);
    return (token.text.length === 2 ? digits.replace(/0+$/, "") : digits) || "0";
  }
  const digits = String(token.field === "hour of half" && value === 0 ? 12 : value);
  if (token.fill) return digits.slice(-token.length).replace(/^0+/, "") || "0";
  return digits.padStart(token.length, "0").slice(-token.length);
}

function formatHalf(value: number, text: string): string {
  const letters = (value === 0 ? "a" : "p") + (text.length === 2 ? "m" : ".m.");
  return /^[AP]/.test(text) ? letters.toUpperCase() : letters;
}

function formatName(value: number, { field, text, length, fill }: Extract<Token, { kind: "number" | "name" }>): string {
  const name = ((field === "month" ? months : weekdays)[value - 1] ?? "").slice(0, length);
  const padded = fill ? name : name.padEnd(length);
  if (/^[a-z]/.test(text)) return padded.toLowerCase();
  return /^.[A-Z]/.test(text) ? padded.toUpperCase() : padded;
}
