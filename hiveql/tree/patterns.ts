/** Java regular expressions that are literals. */
import { compileJavaRegex, type JavaRegex } from "../runtime/java/regex/compile";
import { UnsupportedRegex } from "../runtime/java/regex/reader";
import { type Position, unsupported } from "../syntax";
import type { Typed } from "./nodes";

/**
 * Compiles a pattern that is a literal; refuses one that would match differently than in Java. Returns undefined when
 * the pattern is known only at run time.
 */
export function literalPattern(pattern: Typed, position: Position, construct: string): JavaRegex | undefined {
  if (typeof pattern.constant !== "string") return undefined;
  try {
    return compileJavaRegex(pattern.constant);
  } catch (error) {
    if (!(error instanceof UnsupportedRegex)) throw error;
    const reason = `has ${error.message}, which cannot be matched exactly as in Java: write the pattern without it`;
    throw unsupported(position, `${construct} '${pattern.constant}'`, reason);
  }
}
