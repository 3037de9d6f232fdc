/** Java regular expressions that are literals. */
import { toRe2 } from "../runtime/java/regex/re2";
import { UnsupportedRegex } from "../runtime/java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../runtime/java/regex/ecmascript";
import { type Position, unsupported } from "../syntax";
import type { Typed } from "./nodes";

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
