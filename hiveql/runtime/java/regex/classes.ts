/** Characters and character classes of Java regular expressions, in the syntax of ECMAScript with the flag v. */
import { propertyMembers } from "./unicode-properties";
import { type Flags, type PatternReader, UnsupportedRegex } from "./reader";

/** Writes a literal character, in both cases if the pattern ignores case. Quoted characters begin with a backslash. */
export function literal(character: string, flags: Flags): string {
  const isQuoted = character.length > 1 && character.startsWith("\\");
  return single((isQuoted ? character.slice(1) : character).codePointAt(0) ?? 0, flags);
}

/** Reads an escape after its backslash. */
export function escaped(reader: PatternReader, flags: Flags): string {
  const value = escape(reader, flags);
  return typeof value === "number" ? single(value, flags) : value;
}

/** Reads a character class after its opening bracket, up to the closing bracket. */
export function classMembers(reader: PatternReader, flags: Flags): string {
  const isNegated = reader.skip("^");
  const operands = [];
  let parts = operand(reader, flags, isNegated, true);
  operands.push(union(parts));
  while (reader.skip("&")) {
    reader.take();
    if (isNegated) throw new UnsupportedRegex("an intersection in a negated class");
    if (reader.peek() === "&") throw new UnsupportedRegex("&&& in a class");
    parts = operand(reader, flags, false, false);
    operands.push(union(parts));
  }
  if (!reader.skip("]")) throw new UnsupportedRegex("an unterminated character class");
  const members = operands.length === 1 ? (operands[0] ?? "") : `[${operands.join("&&")}]`;
  return isNegated ? `[^${members}]` : members;
}

/** Reads the members of a class up to its end or to an intersection. */
function operand(reader: PatternReader, flags: Flags, isNegated: boolean, isFirst: boolean): string[] {
  const parts: string[] = [];
  let nested = 0;
  const ends = () => (reader.peek() === "]" && (parts.length > 0 || !isFirst)) || isIntersection(reader);
  while (!ends()) {
    if (reader.skip("[")) {
      // Java 8 adds nested classes to the complement, and later releases remove them from it.
      if (isNegated) throw new UnsupportedRegex("a class nested in a negated class");
      parts.push(classMembers(reader, flags));
      nested += 1;
    } else {
      if (!isFirst && (nested > 0 || reader.peek() === "^"))
        throw new UnsupportedRegex("an intersection with an ambiguous operand");
      parts.push(range(reader, flags));
    }
  }
  if (parts.length === 0) throw new UnsupportedRegex("an intersection without an operand");
  return parts;
}

const isIntersection = (reader: PatternReader) => reader.peek() === "&" && reader.peek(1) === "&";

const union = (parts: readonly string[]) => (parts.length === 1 ? (parts[0] ?? "") : `[${parts.join("")}]`);

function range(reader: PatternReader, flags: Flags): string {
  const from = member(reader, flags);
  if (typeof from === "string") return from;
  if (reader.peek() !== "-" || reader.peek(1) === "]" || reader.peek(1) === "[") return single(from, flags);
  reader.take();
  const to = member(reader, flags);
  if (typeof to === "string" || to < from) throw new UnsupportedRegex("an invalid character range");
  return spanned(from, to, flags);
}

/** Reads a code point, or the members of a class such as `\d`. */
function member(reader: PatternReader, flags: Flags): number | string {
  const character = reader.take();
  if (character !== "\\") return character.slice(character.startsWith("\\") ? 1 : 0).codePointAt(0) ?? 0;
  return escape(reader, flags);
}

const horizontal = String.raw`[ \t\u00A0\u1680\u180E\u2000-\u200A\u202F\u205F\u3000]`;
const vertical = String.raw`[\n\u000B\f\r\u0085\u2028\u2029]`;
const space = String.raw`[ \t\n\u000B\f\r]`;
const classes: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[a-zA-Z_0-9]",
  W: "[^a-zA-Z_0-9]",
  s: space,
  S: `[^${space}]`,
  h: horizontal,
  H: `[^${horizontal}]`,
  v: vertical,
  V: `[^${vertical}]`,
};
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, a: 7, e: 27 };

function escape(reader: PatternReader, flags: Flags): number | string {
  const letter = reader.take();
  const members = classes[letter] ?? controls[letter];
  if (members !== undefined) return members;
  switch (letter) {
    case "p":
    case "P":
      return propertyMembers(reader, flags, letter === "P");
    case "x":
      return reader.skip("{") ? braced(reader) : hexadecimal(reader, 2);
    case "u":
      return unicode(reader);
    case "c":
      return (reader.take().codePointAt(0) ?? 0) ^ 64;
    case "0":
      return octal(reader);
    default:
      if (/^[A-Za-z0-9]/.test(letter)) throw new UnsupportedRegex(`\\${letter}`);
      return letter.slice(letter.length > 1 && letter.startsWith("\\") ? 1 : 0).codePointAt(0) ?? 0;
  }
}

function hexadecimal(reader: PatternReader, digits: number): number {
  const text = reader.takeMatch(/^[0-9A-Fa-f]$/, digits);
  if (text.length < digits) throw new UnsupportedRegex("an escape with too few digits");
  return Number.parseInt(text, 16);
}

function braced(reader: PatternReader): number {
  const text = reader.takeMatch(/^[0-9A-Fa-f]$/);
  const point = Number.parseInt(text, 16);
  if (!reader.skip("}") || !(point <= 0x10ffff)) throw new UnsupportedRegex("\\x{ with an invalid code point");
  return point;
}

/** Reads `\u` and four digits; the escapes of two surrogates are one character. */
function unicode(reader: PatternReader): number {
  const high = hexadecimal(reader, 4);
  if (high < 0xd800 || high > 0xdbff || !(reader.skip("\\") && reader.skip("u"))) return high;
  const low = hexadecimal(reader, 4);
  if (low < 0xdc00 || low > 0xdfff) throw new UnsupportedRegex("a lone surrogate");
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

function octal(reader: PatternReader): number {
  let text = reader.takeMatch(/^[0-7]$/, 2);
  if (text === "") throw new UnsupportedRegex("\\0 without a digit");
  if (text.length === 2 && text < "40") text += reader.takeMatch(/^[0-7]$/, 1);
  return Number.parseInt(text, 8);
}

function single(point: number, flags: Flags): string {
  return flags.ignoreCase && isLetter(point) ? `[${written(point)}${written(point ^ 32)}]` : written(point);
}

/** Writes a character range, with both cases of ASCII letters if the pattern ignores case. */
function spanned(from: number, to: number, { ignoreCase }: Flags): string {
  const spans = [`${written(from)}-${written(to)}`];
  for (const [first, last, other] of ignoreCase ? [[65, 90, 32] as const, [97, 122, -32] as const] : []) {
    const [low, high] = [Math.max(from, first), Math.min(to, last)];
    if (low <= high) spans.push(`${written(low + other)}-${written(high + other)}`);
  }
  return `[${spans.join("")}]`;
}

const isLetter = (point: number) => (point >= 65 && point <= 90) || (point >= 97 && point <= 122);

function written(point: number): string {
  if (point >= 0xd800 && point <= 0xdfff) throw new UnsupportedRegex("a lone surrogate");
  const character = String.fromCodePoint(point);
  return /[A-Za-z0-9]/.test(character) ? character : `\\u{${point.toString(16)}}`;
}
