/** Functions of Java regular expressions. */
import { type Fragment, macro, sql, type SqlExpression } from "../emit/fragment";
import { containsPattern, isFoldedChar, type LiteralPattern, literalPattern } from "../emit/patterns";
import { arrayOf, isText, quoteString, typeName, types } from "../bind/types";
import { type CallSite, scalar } from "./define";

export const regexFunctions = [
  scalar("split", {
    signature: "split(string s, string pattern)",
    doc: "takes a Java regular expression and keeps empty parts at the end",
    takes: ["primitive", "string"],
    returns: arrayOf(types.string),
    emit: ([value, pattern], call) => {
      if (pattern.constant === null) throw call.invalid("takes no NULL as its pattern");
      if (isFoldedChar(value))
        throw call.refused(
          "of a char that is a literal, which Hive fills with spaces, is not supported by the embedded engine",
        );
      const s = call.convert(value, types.string);
      const slow = sql`hive_regex_split(${s}, ${pattern})`;
      const known = patternOf(pattern, call);
      if (known?.regex.mayBeEmpty !== false) return slow;
      return quickly(s, known, slow, (source) => sql`string_split_regex(${s}, ${quoteString(source)})`);
    },
  }),
  scalar("regexp_replace", {
    signature: "regexp_replace(string s, string pattern, string replacement)",
    doc: "takes a Java regular expression; `$1` is its first group",
    takes: ["text, number or date", "text, number or date", "text, number or date"],
    returns: types.string,
    emit: ([s, pattern, replacement], call) => {
      const slow = sql`hive_regex_replace(${s}, ${pattern}, ${replacement})`;
      const known = patternOf(pattern, call);
      const text = known && replacementOf(replacement, known, call);
      if (!known || text === undefined || known.regex.mayBeEmpty) return slow;
      return quickly(s, known, slow, (source) => {
        return sql`regexp_replace(${s}, ${quoteString(source)}, ${quoteString(text)}, 'g')`;
      });
    },
  }),
  scalar("regexp_extract", {
    signature: "regexp_extract(string s, string pattern[, int group])",
    doc: "takes a Java regular expression; is empty where nothing matches; the group is 1 where none is named",
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
      // RE2 does not tell a group that took no part from an empty one.
      if (group > 0 && /\)([?*]|\{0)|\|/.test(String(pattern.constant))) return slow;
      return quickly(s, known, slow, (source) => sql`regexp_extract(${s}, ${quoteString(source)}, ${group})`);
    },
  }),
  scalar("regexp rlike", {
    signature: "regexp(string s, string pattern)",
    takes: ["primitive", "primitive"],
    returns: types.boolean,
    emit: ([s, pattern], call) => {
      for (const value of [s, pattern]) {
        if (!isText(value.type)) throw call.invalid(`takes strings and not ${typeName(value.type)}`);
        if (isFoldedChar(value))
          throw call.refused("of a char that is a literal is not supported by the embedded engine");
      }
      const [subject, text] = [call.convert(s, types.string), call.convert(pattern, types.string)];
      return containsPattern(subject, text, call.position, `function ${call.name}`);
    },
  }),
];

const patternOf = (pattern: SqlExpression, call: CallSite) =>
  literalPattern(pattern, call.position, `function ${call.name}`, false);

/** RE2 where it matches the same; what ends in a line terminator, before which `$` matches, is left to the slow way. */
function quickly(
  subject: SqlExpression,
  { quick }: LiteralPattern,
  slow: Fragment,
  write: (source: string) => Fragment,
): Fragment {
  if (!quick) return slow;
  if (!quick.hasEnd) return write(quick.pattern);
  return sql`CASE WHEN ${macro("hive_ends_line", subject)} THEN ${slow} ELSE ${write(quick.pattern)} END`;
}

function checkGroup({ regex }: LiteralPattern, group: number, call: CallSite): void {
  const found = regex.groups[group];
  if (!found) throw call.invalid(`names group ${group} of a pattern that has ${regex.groups.length - 1}`);
  if (!found.isExact)
    throw call.refused(
      `of group ${group}, of which Java may keep an earlier turn, is not supported by the embedded engine`,
    );
}

/** A Java replacement as RE2 writes it: `$1` is `\\1`, a backslash makes the next character plain; absent where RE2 has no form. */
function replacementOf(replacement: SqlExpression, known: LiteralPattern, call: CallSite): string | undefined {
  const count = known.regex.groups.length - 1;
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
