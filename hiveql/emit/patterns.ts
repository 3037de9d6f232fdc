/** LIKE and Java regular expressions as DuckDB reads them. */
import { type Position, unsupported } from "../syntax";
import { type Fragment, macro, readsColumns, sql, type SqlExpression } from "./fragment";
import { readJavaPattern } from "../runtime/java/pattern";
import { Unreadable } from "../runtime/java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../runtime/java/regex/script";
import { quoteString } from "../bind/types";

/** LIKE with Hive's escape: a backslash before `%` and `_`; before any other character it stands for itself. */
export function likePattern(subject: Fragment, pattern: SqlExpression): Fragment {
  if (typeof pattern.constant !== "string") return macro("hive_like", subject, pattern);
  const escaped = pattern.constant.replaceAll(/\\([%_])|\\/g, (_match, wildcard?: string) => `\\${wildcard ?? "\\"}`);
  return sql`${subject} LIKE ${quoteString(escaped)} ESCAPE '\\'`;
}

/** Whether a value contains what a Java pattern describes; both are strings. */
export function containsPattern(subject: Fragment, pattern: SqlExpression, position: Position, construct: string): Fragment {
  // Hive takes an empty pattern for one that nothing matches.
  if (pattern.constant === "") return sql`CASE WHEN ${subject} IS NOT NULL THEN FALSE END`;
  const quick = literalPattern(pattern, position, construct, true)?.quick;
  if (!quick) return sql`hive_regex_test(${subject}, ${pattern})`;
  return sql`regexp_matches(${subject}, ${quoteString(quick.pattern)})`;
}

/** Whether a value is a char that Hive computes before it looks at a row, and then with the spaces at its end. */
export const isFoldedChar = (value: SqlExpression) => value.type.kind === "char" && !readsColumns(value);

/** What is known of a Java pattern that is a literal. */
export interface LiteralPattern {
  readonly regex: JavaRegex;
  /** As RE2 matches the same, without quotes; absent where it does not. */
  readonly quick?: { readonly pattern: string; readonly hasEnd: boolean };
}

/**
 * Reads a pattern that is a literal, and refuses what would be matched otherwise than in Java; absent where the pattern
 * is known at run time alone.
 * @param isTest whether only the fact of a match counts, and not what is matched.
 */
export function literalPattern(
  pattern: SqlExpression,
  position: Position,
  construct: string,
  isTest: boolean,
): LiteralPattern | undefined {
  if (typeof pattern.constant !== "string") return undefined;
  try {
    const regex = compileJavaRegex(pattern.constant);
    const quick = readJavaPattern(pattern.constant, isTest);
    return quick ? { regex, quick } : { regex };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const reason = `has ${error.message}, which the embedded engine does not read as Java`;
    throw unsupported(position, `${construct} '${pattern.constant}'`, reason);
  }
}
