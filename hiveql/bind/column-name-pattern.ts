/** Regular expressions in backticks, which name columns. */
import { Unreadable } from "../runtime/java/regex/reader";
import { compileJavaRegex, type JavaRegex } from "../runtime/java/regex/script";

/** A pattern over whole names, in either case; backslashes may be read otherwise in Hive. */
export function namesPattern(written: string): JavaRegex | undefined {
  if (written.includes("\\")) return undefined;
  try {
    return compileJavaRegex(String.raw`(?i)\A(?:${written})\z`);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
