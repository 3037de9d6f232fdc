/** Regular expression functions for patterns that RE2 matches differently from Java. */
import { DuckDBListValue, listValue } from "@duckdb/node-api";
import { UnsupportedRegex } from "../java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../java/regex/compile";

/** Returns true when a text contains a match; the empty pattern matches nothing, as in Hive. */
export function regexTest(text: string, pattern: string): boolean {
  if (pattern === "") return false;
  return matches(compiled(pattern), text).next().done !== true;
}

/** Returns a group of the first match; the empty string without a match, NULL when the group did not participate. */
export function regexExtract(text: string, pattern: string, group: number): string | null {
  const regex = compiled(pattern);
  for (const match of matches(regex, text)) return groupOf(regex, match, group) ?? null;
  return "";
}

/** Replaces all matches; `$1` and `${name}` in the replacement are groups, a backslash escapes the next character. */
export function regexReplace(text: string, pattern: string, replacement: string): string {
  const regex = compiled(pattern);
  let result = "";
  let end = 0;
  for (const match of matches(regex, text)) {
    result += text.slice(end, match.index);
    for (const piece of template(replacement, regex)) {
      result += typeof piece === "number" ? (groupOf(regex, match, piece) ?? "") : piece;
    }
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

/** Splits a text at the matches; keeps trailing empty parts. */
export function regexSplit(text: string, pattern: string): DuckDBListValue {
  const parts: string[] = [];
  let end = 0;
  for (const match of matches(compiled(pattern), text)) {
    const next = match.index + match[0].length;
    // An empty match at the beginning does not split.
    if (next === 0) continue;
    parts.push(text.slice(end, match.index));
    end = next;
  }
  return listValue([...parts, text.slice(end)]);
}

const regexCache = new Map<string, JavaRegex>();
const cacheSize = 256;

function compiled(pattern: string): JavaRegex {
  const known = regexCache.get(pattern);
  if (known) return known;
  if (regexCache.size >= cacheSize) regexCache.clear();
  try {
    const regex = compileJavaRegex(pattern);
    regexCache.set(pattern, regex);
    return regex;
  } catch (error) {
    if (!(error instanceof UnsupportedRegex)) throw error;
    throw new Error(
      `HiveQL: the pattern '${pattern}' has ${error.message}, which cannot be matched exactly as in Java: write the pattern without it`,
      {
        cause: error,
      },
    );
  }
}

/** Yields all matches in order, as Java's `find` returns them, but none inside of a character beyond U+FFFF. */
function* matches({ expression }: JavaRegex, text: string): Generator<RegExpExecArray> {
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    const { lastIndex } = expression;
    if (isInsideCharacter(text, match.index)) {
      expression.lastIndex = match.index + 1;
      continue;
    }
    yield match;
    expression.lastIndex = match[0] === "" ? lastIndex + characterLength(text, lastIndex) : lastIndex;
  }
}

/** Number of UTF-16 code units of the character at an index. */
const characterLength = (text: string, index: number) => ((text.codePointAt(index) ?? 0) > 0xff_ff ? 2 : 1);

/** True where ECMAScript, too, tries a match between two surrogates. */
const isInsideCharacter = (text: string, index: number) => index > 0 && characterLength(text, index - 1) === 2;

function groupOf({ groups }: JavaRegex, match: RegExpExecArray, number: number): string | undefined {
  const group = groups[number];
  if (!group) throw new Error(`HiveQL: No group ${number} in the pattern, which has ${groups.length - 1}`);
  if (!group.isExact)
    throw new Error(
      `HiveQL: in Java group ${number} may keep the capture of an earlier attempt: write the pattern without repeating the group`,
    );
  return number === 0 ? match[0] : match.groups?.[`g${number}`];
}

/** Parses a replacement into texts and group numbers. */
function template(replacement: string, { groups, names }: JavaRegex): readonly (string | number)[] {
  const form = /\\([\s\S])|\$\{([A-Za-z][A-Za-z0-9]*)\}|\$(\d+)|[^\\$]+|([\s\S])/g;
  return [...replacement.matchAll(form)].flatMap(([piece, plain, name, digits, wrong]) => {
    if (wrong !== undefined)
      throw new Error(
        "HiveQL: the replacement has a $ or \\ without a group or character after it: write \\$ or \\\\ for the character itself",
      );
    if (plain !== undefined) return [plain];
    if (name !== undefined) {
      const group = names.get(name);
      if (group === undefined) throw new Error(`HiveQL: No group with name {${name}}: name a group of the pattern`);
      return [group];
    }
    return digits === undefined ? [piece] : numbered(digits, groups.length - 1);
  });
}

/** Splits digits into a group number and text. Digits after the first belong to the number if such a group exists. */
function numbered(digits: string, count: number): readonly (string | number)[] {
  let length = 1;
  while (length < digits.length && Number(digits.slice(0, length + 1)) <= count) length += 1;
  return [Number(digits.slice(0, length)), digits.slice(length)];
}
