/** Hive's functions of Java regular expressions, for patterns that RE2 does not match alike. */
import { DuckDBListValue, listValue } from "@duckdb/node-api";
import { Unreadable } from "../java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../java/regex/script";

/** Whether a text contains what a pattern describes; the empty pattern describes nothing, as in Hive. */
export function regexTest(text: string, pattern: string): boolean {
  if (pattern === "") return false;
  return matches(compiled(pattern), text).next().done !== true;
}

/** What a group matched the first time, empty where nothing matched, NULL where the group took no part. */
export function regexExtract(text: string, pattern: string, group: number): string | null {
  const regex = compiled(pattern);
  for (const match of matches(regex, text)) return groupOf(regex, match, group) ?? null;
  return "";
}

/** A text with all that is matched replaced; `$1` and `${name}` are groups, a backslash makes the next character plain. */
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

/** The parts between what is matched, empty ones at the end included. */
export function regexSplit(text: string, pattern: string): DuckDBListValue {
  const parts: string[] = [];
  let end = 0;
  for (const match of matches(compiled(pattern), text)) {
    const next = match.index + match[0].length;
    // A match of nothing at the beginning parts nothing off.
    if (next === 0) continue;
    parts.push(text.slice(end, match.index));
    end = next;
  }
  return listValue([...parts, text.slice(end)]);
}

const kept = new Map<string, JavaRegex>();
const most = 256;

function compiled(pattern: string): JavaRegex {
  const known = kept.get(pattern);
  if (known) return known;
  if (kept.size >= most) kept.clear();
  try {
    const regex = compileJavaRegex(pattern);
    kept.set(pattern, regex);
    return regex;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new Error(`HiveQL: the pattern '${pattern}' has ${error.message}, which is not read as Java does`, {
      cause: error,
    });
  }
}

/** All matches, one after the other, as Java's `find` finds them. */
function* matches(regex: JavaRegex, text: string): Generator<RegExpExecArray> {
  const { expression } = regex;
  if (regex.splitsCharacters && /[\u{10000}-\u{10FFFF}]/v.test(text))
    throw new Error(`HiveQL: the pattern may match between the halves of a character beyond U+FFFF in Java`);
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    const { lastIndex } = expression;
    yield match;
    expression.lastIndex = match[0] === "" ? lastIndex + 1 : lastIndex;
  }
}

function groupOf({ groups }: JavaRegex, match: RegExpExecArray, number: number): string | undefined {
  const group = groups[number];
  if (!group) throw new Error(`HiveQL: No group ${number}`);
  if (!group.isExact) throw new Error(`HiveQL: group ${number} may hold in Java what an earlier try has left`);
  return match[group.index];
}

/** The pieces of a replacement: texts, and numbers of groups. */
function template(replacement: string, { groups, names }: JavaRegex): readonly (string | number)[] {
  const form = /\\([\s\S])|\$\{([A-Za-z][A-Za-z0-9]*)\}|\$(\d+)|[^\\$]+|([\s\S])/g;
  return [...replacement.matchAll(form)].flatMap(([piece, plain, name, digits, wrong]) => {
    if (wrong !== undefined) throw new Error("HiveQL: the replacement has a $ or \\ that nothing follows");
    if (plain !== undefined) return [plain];
    if (name !== undefined) {
      const group = names.get(name);
      if (group === undefined) throw new Error(`HiveQL: No group with name {${name}}`);
      return [group];
    }
    return digits === undefined ? [piece] : numbered(digits, groups.length - 1);
  });
}

/** The first digit is a group's; more belong to it as long as there is such a group. */
function numbered(digits: string, count: number): readonly (string | number)[] {
  let length = 1;
  while (length < digits.length && Number(digits.slice(0, length + 1)) <= count) length += 1;
  return [Number(digits.slice(0, length)), digits.slice(length)];
}
