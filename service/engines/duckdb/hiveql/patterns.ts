/** LIKE and Java regular expressions as DuckDB reads them. */
import { type Position, unsupported } from "../../../../provider/hiveql";
import { type Fragment, sql, type Typed } from "./fragment";
import { quoteString } from "./types";

/** LIKE with Hive's escape `\`. */
export function likePattern(subject: Fragment, pattern: Typed, position: Position): Fragment {
  if (typeof pattern.constant === "string")
    return sql`${subject} LIKE ${quoteString(escaped(pattern.constant))} ESCAPE '\\'`;
  void position;
  return sql`${subject} LIKE ${pattern} ESCAPE '\\'`;
}

/** A backslash before another character than `%`, `_` and itself stands for itself in Hive. */
function escaped(pattern: string): string {
  return pattern.replaceAll(/\\([\s\S]?)/g, (found, next: string) =>
    next === "%" || next === "_" || next === "\\" ? found : `\\\\${next}`,
  );
}

/** Whether a value contains what a Java pattern describes. */
export function javaPattern(subject: Fragment, pattern: Typed, position: Position, construct: string): Fragment {
  return sql`regexp_matches(${subject}, ${quoteString(re2Of(pattern, position, construct))}, 's')`;
}

/** Constructs that Java has and RE2 has not, or reads otherwise. */
const differing: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, "look-around"],
  [/\(\?>/, "an atomic group"],
  [/\\[1-9]/, "a back reference"],
  [/\\[kGZXRhHvVN]/, "an escape that only Java has"],
  [/[*+?}]\+/, "a possessive quantifier"],
  [/&&/, "an intersection of classes"],
  [/\(\?[a-zA-Z]*[xudU]/, "a flag that only Java has"],
  [/\\[pP]\{(?!L\}|Lu\}|Ll\}|N\}|Nd\})/, "a class that only Java has"],
  [/\[[^\]]*\[(?!:)/, "a class inside a class"],
  [/\{\d{4,}/, "a repetition above 999"],
];

/** A constant Java pattern as RE2 reads the same; refuses what it would read otherwise. */
export function re2Of(pattern: Typed, position: Position, construct: string): string {
  if (typeof pattern.constant !== "string")
    throw unsupported(position, construct, "takes a pattern that is a literal in the embedded engine");
  const source = pattern.constant;
  const found = differing.find(([form]) => form.test(source.replaceAll("\\\\", "")));
  if (found)
    throw unsupported(
      position,
      `${construct} '${source}'`,
      `uses ${found[1]}, which the embedded engine does not have`,
    );
  return source;
}
