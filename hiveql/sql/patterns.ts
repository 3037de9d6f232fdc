/** LIKE and Java regular expressions as DuckDB SQL. */
import { macro, sql } from "./fragment";
import type { Part } from "./fragment";
import type { Typed } from "../tree/nodes";
import { quoteLiteral } from "../tree/types";

/** Translates LIKE. A backslash escapes `%` and `_`; before any other character it is a plain backslash. */
export function likePattern(subject: Part, pattern: Typed): Part {
  if (typeof pattern.constant !== "string") return macro("hive_like", subject, pattern);
  // DuckDB has faster ways for patterns without an escape character.
  if (!pattern.constant.includes("\\")) return sql`${subject} LIKE ${quoteLiteral(pattern.constant)}`;
  const escaped = pattern.constant.replaceAll(/\\([%_])|\\/g, (_match, wildcard?: string) => `\\${wildcard ?? "\\"}`);
  return sql`${subject} LIKE ${quoteLiteral(escaped)} ESCAPE '\\'`;
}

/** Returns the SQL of a match of a Java pattern. @param re2 the equivalent pattern for RE2, if there is one. */
export function matchSql(subject: Part, pattern: Typed, re2: string | undefined): Part {
  // In Hive an empty pattern matches nothing.
  if (pattern.constant === "") return sql`CASE WHEN ${subject} IS NOT NULL THEN FALSE END`;
  if (re2 === undefined) return sql`hive_regex_test(${subject}, ${pattern})`;
  return sql`regexp_matches(${subject}, ${quoteLiteral(re2)})`;
}
