/** Regular expressions in backticks, which select columns by name. */
import { UnsupportedRegex } from "../../runtime/java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../../runtime/java/regex/compile";

/**
 * Compiles a pattern that matches whole names in either case. Returns undefined for a pattern with a backslash, which
 * Hive may interpret differently, and for patterns that cannot be compiled.
 */
export function columnNamePattern(written: string): JavaRegex | undefined {
  if (written.includes("\\")) return undefined;
  try {
    return compileJavaRegex(String.raw`(?i)\A(?:${written})\z`);
  } catch (error) {
    if (error instanceof UnsupportedRegex) return undefined;
    throw error;
  }
}
