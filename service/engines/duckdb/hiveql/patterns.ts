/** LIKE and Java regular expressions as DuckDB reads them. */
import { type Position, unsupported } from "../../../../provider/hiveql";
import { type Fragment, macro, sql, type Typed } from "./fragment";
import { readJavaPattern } from "./javaPattern";
import { quoteString } from "./types";

/** LIKE with Hive's escape: a backslash before `%` and `_`; before any other character it stands for itself. */
export function likePattern(subject: Fragment, pattern: Typed): Fragment {
  if (typeof pattern.constant !== "string") return macro("hive_like", subject, pattern);
  const escaped = pattern.constant.replaceAll(/\\([%_])|\\/g, (_match, wildcard?: string) => `\\${wildcard ?? "\\"}`);
  return sql`${subject} LIKE ${quoteString(escaped)} ESCAPE '\\'`;
}

/** Whether a value contains what a Java pattern describes. */
export function javaPattern(subject: Fragment, pattern: Typed, position: Position, construct: string): Fragment {
  // Hive takes an empty pattern for one that nothing matches.
  if (pattern.constant === "") return sql`CASE WHEN ${subject} IS NOT NULL THEN FALSE END`;
  return sql`regexp_matches(${subject}, ${quoteString(readPattern(pattern, position, construct, true).pattern)})`;
}

/** A subject and a pattern for functions that give what is matched. */
export interface MatchedPattern {
  readonly subject: Fragment;
  /** As RE2 reads it, without quotes. */
  readonly pattern: string;
}

/** A constant Java pattern as RE2 matches the same; refuses what it would match otherwise. */
export function matchedPattern(
  subject: Fragment,
  pattern: Typed,
  position: Position,
  construct: string,
): MatchedPattern {
  const read = readPattern(pattern, position, construct, false);
  return { pattern: read.pattern, subject: read.hasEnd ? macro("hive_without_final_newline", subject) : subject };
}

function readPattern(pattern: Typed, position: Position, construct: string, isTest: boolean) {
  if (typeof pattern.constant !== "string") {
    throw unsupported(position, construct, "takes a pattern that is a literal in the embedded engine");
  }
  const read = readJavaPattern(pattern.constant, isTest);
  if ("pattern" in read) return read;
  const reason = `has ${read.problem}, which the embedded engine does not read as Java`;
  throw unsupported(position, `${construct} '${pattern.constant}'`, reason);
}
