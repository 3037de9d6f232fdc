/** `\p{…}` of Java regular expressions, in the syntax of ECMAScript with the flag v. */
import { type Flags, type PatternReader, UnsupportedRegex } from "./reader";

/** POSIX classes; they contain only ASCII characters. */
const posix: Readonly<Record<string, string>> = {
  ASCII: String.raw`[\u0000-\u007F]`,
  Alpha: "[A-Za-z]",
  Digit: "[0-9]",
  Alnum: "[0-9A-Za-z]",
  Punct: String.raw`[\u{21}-\u{2F}\u{3A}-\u{40}\u{5B}-\u{60}\u{7B}-\u{7E}]`,
  Graph: String.raw`[\u{21}-\u{7E}]`,
  Print: String.raw`[\u{20}-\u{7E}]`,
  Blank: String.raw`[ \t]`,
  Cntrl: String.raw`[\u0000-\u001F\u007F]`,
  XDigit: "[0-9A-Fa-f]",
  Space: String.raw`[ \t\n\u000B\f\r]`,
  L1: String.raw`[\u0000-\u00FF]`,
};
/** Case properties. Releases of Java differ in their meaning when the pattern ignores case. */
const cased: Readonly<Record<string, string>> = {
  Lower: "[a-z]",
  Upper: "[A-Z]",
  Lu: String.raw`\p{Lu}`,
  Ll: String.raw`\p{Ll}`,
  Lt: String.raw`\p{Lt}`,
  IsLowercase: String.raw`\p{Lowercase}`,
  IsUppercase: String.raw`\p{Uppercase}`,
};
const categories = /^(?:L[mo]?|LC|M[nce]?|N[dlo]?|Z[slp]?|C[cfo]|P[dseciof]?|S[mcko]?)$/;
const scripts =
  /^(?:Latin|Greek|Cyrillic|Armenian|Hebrew|Arabic|Devanagari|Bengali|Tamil|Thai|Georgian|Hangul|Hiragana|Katakana|Bopomofo|Han)$/i;
const binaries: Readonly<Record<string, string>> = {
  IsAlphabetic: String.raw`\p{Alphabetic}`,
  IsIdeographic: String.raw`\p{Ideographic}`,
  IsLetter: String.raw`\p{L}`,
  IsDigit: String.raw`\p{Nd}`,
  IsPunctuation: String.raw`\p{P}`,
  IsControl: String.raw`\p{Cc}`,
  IsWhite_Space: String.raw`\p{White_Space}`,
};

/** Reads a property after `\p` and returns its members. */
export function propertyMembers(reader: PatternReader, flags: Flags, isNegated: boolean): string {
  const name = reader.skip("{") ? named(reader) : reader.take();
  const members = membersOf(name, flags);
  if (members === undefined) throw new UnsupportedRegex(`\\p{${name}}`);
  return isNegated ? `[^${members}]` : members;
}

function named(reader: PatternReader): string {
  const name = reader.takeMatch(/^[A-Za-z0-9_=]$/);
  if (!reader.skip("}")) throw new UnsupportedRegex(`\\p{${name}`);
  return name;
}

function membersOf(name: string, flags: Flags): string | undefined {
  const plain = posix[name] ?? binaries[name];
  if (plain !== undefined) return plain;
  const general = name.replace(/^(?:Is|gc=|general_category=)/, "");
  if (categories.test(general)) return `\\p{${general}}`;
  const script = name.replace(/^(?:Is|sc=|script=)/, "");
  if (script !== name && scripts.test(script)) return `\\p{Script=${capitalized(script)}}`;
  const members = cased[name] ?? cased[general];
  if (members !== undefined && flags.ignoreCase)
    throw new UnsupportedRegex(`\\p{${name}} in a case-insensitive pattern`);
  return members;
}

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
