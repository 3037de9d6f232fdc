/** LIKE and Java regular expressions as DuckDB SQL. */
import { type Position, unsupported } from "../syntax";
import { macro, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { toRe2 } from "../runtime/java/regex/re2";
import { UnsupportedRegex } from "../runtime/java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../runtime/java/regex/ecmascript";
import { quoteLiteral } from "../tree/types";

/** Translates LIKE. A backslash escapes `%` and `_`; before any other character it is a plain backslash. */
export function likePattern(subject: Part, pattern: Typed): Part {
  if (typeof pattern.constant !== "string") return macro("hive_like", subject, pattern);
  const escaped = pattern.constant.replaceAll(/\\([%_])|\\/g, (_match, wildcard?: string) => `\\${wildcard ?? "\\"}`);
  return sql`${subject} LIKE ${quoteLiteral(escaped)} ESCAPE '\\'`;
}

/** Translates the test whether a string contains a match of a Java pattern. */
export function containsPattern(subject: Part, pattern: Typed, position: Position, construct: string): Part {
  return matchSql(subject, pattern, literalPattern(pattern, position, construct, true)?.re2?.pattern);
}

/** Returns the SQL of a match of a Java pattern. @param re2 the equivalent pattern for RE2, if there is one. */
export function matchSql(subject: Part, pattern: Typed, re2: string | undefined): Part {
  // In Hive an empty pattern matches nothing.
  if (pattern.constant === "") return sql`CASE WHEN ${subject} IS NOT NULL THEN FALSE END`;
  if (re2 === undefined) return sql`hive_regex_test(${subject}, ${pattern})`;
  return sql`regexp_matches(${subject}, ${quoteLiteral(re2)})`;
}

/** A Java pattern that is a literal. */
export interface LiteralPattern {
  readonly regex: JavaRegex;
  /** The equivalent pattern for RE2, without quotes; undefined when RE2 matches differently. */
  readonly re2?: { readonly pattern: string; readonly hasEnd: boolean };
}

/**
 * Compiles a pattern that is a literal; refuses one that would match differently than in Java. Returns undefined when
 * the pattern is known only at run time.
 * @param isTest true when only the existence of a match matters, not the matched text.
 */
export function literalPattern(
  pattern: Typed,
  position: Position,
  construct: string,
  isTest: boolean,
): LiteralPattern | undefined {
  if (typeof pattern.constant !== "string") return undefined;
  try {
    const regex = compileJavaRegex(pattern.constant);
    const re2 = toRe2(pattern.constant, isTest);
    return re2 ? { regex, re2 } : { regex };
  } catch (error) {
    if (!(error instanceof UnsupportedRegex)) throw error;
    const reason = `has ${error.message}, which cannot be matched exactly as in Java: write the pattern without it`;
    throw unsupported(position, `${construct} '${pattern.constant}'`, reason);
  }
}
