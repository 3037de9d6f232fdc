/** Characters and character classes of Java regular expressions. */
import { type CharacterSet, complement, last, setOf, type Span, union } from "./character-sets";
import { type Flags, type PatternReader, UnsupportedRegex } from "./reader";

/** Returns the ranges of which a text has the first and the last characters in turn. */
const spans = (edges: string): readonly Span[] => {
  const points = [...edges].map((character) => character.codePointAt(0) ?? 0);
  return points.flatMap((from, index): Span[] => (index % 2 === 0 ? [[from, points[index + 1] ?? from]] : []));
};

const table = (edges: Readonly<Record<string, string>>) =>
  new Map(Object.entries(edges).map(([name, each]) => [name, setOf(...spans(each))]));

const space = "\t\r  ";
const terminators = setOf(...spans("\n\n\r\r\u0085\u0085\u2028\u2029"));
const letters = table({
  d: "09",
  w: "09AZ__az",
  s: space,
  h: "\t\t  \u00a0\u00a0\u1680\u1680\u180e\u180e\u2000\u200a\u202f\u202f\u205f\u205f\u3000\u3000",
  v: "\n\r\u0085\u0085\u2028\u2029",
});
/** POSIX classes, which contain ASCII characters only. */
const posix = table({
  ASCII: "\0\x7f",
  Alpha: "AZaz",
  Digit: "09",
  Alnum: "09AZaz",
  Punct: "!/:@[`{~",
  Graph: "!~",
  Print: " ~",
  Blank: "\t\t  ",
  Cntrl: "\0\x1f\x7f\x7f",
  XDigit: "09AFaf",
  Space: space,
  Lower: "az",
  Upper: "AZ",
});
const categories = /^(?:L[mo]?|Lu|Ll|Lt|M[nce]?|N[dlo]?|Z[slp]?|C[cfo]|P[dseciof]?|S[mcko]?)$/;
/** Properties of case. Releases of Java differ in their meaning when the pattern ignores case. */
const cased = /^(?:Lower|Upper|L[ult])$/;
const scripts = /^(?:Latin|Greek|Cyrillic|Armenian|Hebrew|Arabic|Devanagari|Thai|Hangul|Hiragana|Katakana|Han)$/;
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, a: 7, e: 27 };

/** Returns what `.` matches. */
export const anyCharacter = ({ dotAll }: Flags): CharacterSet => (dotAll ? setOf([0, last]) : complement(terminators));

/** Returns the set of a literal character. Quoted characters begin with a backslash. */
export const literal = (character: string, flags: Flags): CharacterSet =>
  spanned(unquoted(character), unquoted(character), flags);

const unquoted = (character: string) =>
  (character.length > 1 && character.startsWith("\\") ? character.slice(1) : character).codePointAt(0) ?? 0;

/** Reads an escape after its backslash. */
export function escaped(reader: PatternReader, flags: Flags): CharacterSet {
  const value = escape(reader, flags);
  return typeof value === "number" ? spanned(value, value, flags) : value;
}

/** Reads a character class after its opening bracket, up to the closing bracket. */
export function characterClass(reader: PatternReader, flags: Flags): CharacterSet {
  const isNegated = reader.skip("^");
  const parts: CharacterSet[] = [];
  while (parts.length === 0 || reader.peek() !== "]") {
    if (reader.peek() === "[" || (reader.peek() === "&" && reader.peek(1) === "&"))
      throw new UnsupportedRegex("a class inside of a class, or an intersection");
    parts.push(range(reader, flags));
  }
  reader.take();
  return isNegated ? complement(union(parts)) : union(parts);
}

function range(reader: PatternReader, flags: Flags): CharacterSet {
  const from = member(reader, flags);
  if (typeof from !== "number") return from;
  if (reader.peek() !== "-" || reader.peek(1) === "]" || reader.peek(1) === "[") return spanned(from, from, flags);
  reader.take();
  const to = member(reader, flags);
  if (typeof to !== "number" || to < from) throw new UnsupportedRegex("an invalid character range");
  return spanned(from, to, flags);
}

function member(reader: PatternReader, flags: Flags): number | CharacterSet {
  const character = reader.take();
  return character === "\\" ? escape(reader, flags) : unquoted(character);
}

/** Returns a range, with both cases of ASCII letters if the pattern ignores case. */
function spanned(from: number, to: number, { ignoreCase }: Flags): CharacterSet {
  if ([from, to].some((point) => point >= 0xd800 && point <= 0xdfff)) throw new UnsupportedRegex("a lone surrogate");
  const cases = ignoreCase
    ? ([
        [65, 90, 32],
        [97, 122, -32],
      ] as const)
    : [];
  const others = cases.flatMap(([first, final, other]): Span[] => {
    const [low, high] = [Math.max(from, first), Math.min(to, final)];
    return low <= high ? [[low + other, high + other]] : [];
  });
  return setOf([from, to], ...others);
}

function escape(reader: PatternReader, flags: Flags): number | CharacterSet {
  const letter = reader.take();
  const control = controls[letter];
  if (control !== undefined) return control;
  const set = letters.get(letter.toLowerCase());
  if (set) return letters.has(letter) ? set : complement(set);
  switch (letter) {
    case "p":
      return property(reader, flags);
    case "P":
      return complement(property(reader, flags));
    case "x":
      return hexadecimal(reader, 2);
    case "u":
      return unicode(reader);
    default:
      if (/^[A-Za-z0-9]/.test(letter)) throw new UnsupportedRegex(`\\${letter}`);
      return unquoted(letter);
  }
}

/** Reads a property after `\p`. */
function property(reader: PatternReader, { ignoreCase }: Flags): CharacterSet {
  const isNamed = reader.skip("{");
  const name = isNamed ? reader.takeMatch(/^[A-Za-z0-9_=]$/) : reader.take();
  const set = posix.get(name);
  const general = name.replace(/^Is/, "");
  const isKnown = set !== undefined || categories.test(general) || (general !== name && scripts.test(general));
  if (!isKnown || (isNamed && !reader.skip("}"))) throw new UnsupportedRegex(`\\p{${name}}`);
  if (ignoreCase && cased.test(general)) throw new UnsupportedRegex(`\\p{${name}} in a case-insensitive pattern`);
  if (set) return set;
  return { spans: [], properties: [scripts.test(general) ? `\\p{Script=${general}}` : `\\p{${general}}`] };
}

function hexadecimal(reader: PatternReader, digits: number): number {
  const text = reader.takeMatch(/^[0-9A-Fa-f]$/, digits);
  if (text.length < digits) throw new UnsupportedRegex("an escape with too few digits");
  return Number.parseInt(text, 16);
}

/** Reads `\u` and four digits; the escapes of two surrogates are one character. */
function unicode(reader: PatternReader): number {
  const high = hexadecimal(reader, 4);
  if (high < 0xd800 || high > 0xdbff || !(reader.skip("\\") && reader.skip("u"))) return high;
  const low = hexadecimal(reader, 4);
  if (low < 0xdc00 || low > 0xdfff) throw new UnsupportedRegex("a lone surrogate");
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}
