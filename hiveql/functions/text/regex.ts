/** Functions with Java regular expressions. */
import { macro, sql } from "../../sql/fragment";
import type { Part } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { matchSql } from "../../sql/patterns";
import type { JavaRegex } from "../../runtime/java/regex/compile";
import { literalPattern } from "../../tree/patterns";
import { arrayOf, isText, quoteLiteral, typeName, types } from "../../tree/types";
import { type CallSite, scalar } from "../define";

export const regexFunctions = [
  scalar("split", {
    signature: "split(string s, string pattern)",
    doc: "the pattern is a Java regular expression; keeps trailing empty parts",
    takes: ["primitive", "string"],
    returns: arrayOf(types.string),
    emit: ([value, pattern], call) => {
      if (pattern.constant === null) throw call.invalid("does not accept NULL as pattern");
      const s = call.convert(value, types.string);
      const slow = sql`hive_regex_split(${s}, ${pattern})`;
      const known = patternOf(pattern, call);
      // DuckDB searches the rest of the text after each match as if it were a whole text.
      if (known?.mayBeEmpty !== false || known.re2?.hasBegin) return slow;
      return withRe2(s, known, slow, (source) => sql`string_split_regex(${s}, ${quoteLiteral(source)})`);
    },
  }),
  scalar("regexp_replace", {
    signature: "regexp_replace(string s, string pattern, string replacement)",
    doc: "the pattern is a Java regular expression; `$1` in the replacement is the first group",
    takes: ["text, number or date", "text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([s, pattern, replacement], call) => {
      const slow = sql`hive_regex_replace(${s}, ${pattern}, ${replacement})`;
      const known = patternOf(pattern, call);
      const text = known && replacementOf(replacement, known, call);
      if (!known || text === undefined || known.mayBeEmpty) return slow;
      return withRe2(s, known, slow, (source) => {
        return sql`regexp_replace(${s}, ${quoteLiteral(source)}, ${quoteLiteral(text)}, 'g')`;
      });
    },
  }),
  scalar("regexp_extract", {
    signature: "regexp_extract(string s, string pattern[, int group])",
    doc: "the pattern is a Java regular expression; returns the empty string without a match; the default group is 1",
    takes: ["text, number or date", "text, number or date", "int"],
    optional: 1,
    returns: types.string,
    emit: (values, call) => {
      const [s, pattern, named] = values;
      const group = values.length > 2 ? named.constant : 1;
      const number = values.length > 2 ? macro("hive_regex_group", named) : sql`1`;
      const slow = sql`hive_regex_extract(${s}, ${pattern}, ${number})`;
      const known = patternOf(pattern, call);
      if (!known || typeof group !== "number") return slow;
      checkGroup(known, group, call);
      // RE2 does not distinguish a group that did not participate from an empty one.
      if (group > 0 && /\)([?*]|\{0)|\|/.test(String(pattern.constant))) return slow;
      return withRe2(s, known, slow, (source) => sql`regexp_extract(${s}, ${quoteLiteral(source)}, ${group})`);
    },
  }),
  scalar("regexp rlike", {
    signature: "regexp(string s, string pattern)",
    takes: ["primitive", "primitive"],
    returns: types.boolean,
    emit: ([s, pattern], call) => {
      for (const value of [s, pattern]) {
        if (!isText(value.type)) throw call.invalid(`expects strings, got ${typeName(value.type)}`);
      }
      const [subject, text] = [call.convert(s, types.string), call.convert(pattern, types.string)];
      return matchSql(subject, text, literalPattern(text, call.position, `function ${call.name}`)?.re2?.test);
    },
  }),
];

const patternOf = (pattern: Typed, call: CallSite) => literalPattern(pattern, call.position, `function ${call.name}`);

/**
 * Uses RE2 when it matches as Java does. With `$` in the pattern, texts that end with a line terminator use the slow
 * JavaScript function, because Java's `$` matches before that terminator.
 */
function withRe2(subject: Typed, { re2 }: JavaRegex, slow: Part, write: (source: string) => Part): Part {
  if (!re2) return slow;
  if (!re2.hasEnd) return write(re2.text);
  return sql`CASE WHEN ${macro("hive_ends_line", subject)} THEN ${slow} ELSE ${write(re2.text)} END`;
}

function checkGroup({ groups }: JavaRegex, group: number, call: CallSite): void {
  const found = groups[group];
  if (!found) throw call.invalid(`names group ${group}, but the pattern has only ${groups.length - 1}`);
  if (!found.isExact)
    throw call.refused(
      `reads group ${group} inside a repetition, for which Java can return the match of an earlier iteration: write the pattern so that nothing around the group is repeated`,
    );
}

/** Translates a Java replacement to RE2's syntax: `$1` becomes `\\1`; undefined when RE2 cannot express it. */
function replacementOf(replacement: Typed, known: JavaRegex, call: CallSite): string | undefined {
  const count = known.groups.length - 1;
  if (typeof replacement.constant !== "string" || count > 9) return undefined;
  let isReadable = true;
  const text = replacement.constant.replaceAll(/\\([\s\S])|\$(\d)|[\\$]/g, (_match, plain?: string, digit?: string) => {
    if (plain !== undefined) return plain === "\\" ? "\\\\" : plain;
    const group = digit === undefined ? Infinity : Number(digit);
    if (group > count) isReadable = false;
    else checkGroup(known, group, call);
    return `\\${digit}`;
  });
  return isReadable ? text : undefined;
}
