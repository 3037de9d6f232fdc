/** The statements of list responses, which are shortened so that a page stays small. */
import { limits } from "./values";

/** Ends a shortened statement. */
const mark = "…";

/**
 * Returns a statement as lists show it: whole up to {@link limits}`.listedStatement` characters, else its first ones,
 * followed by `…`.
 */
export function excerptOf(statement: string): string {
  if (statement.length <= limits.listedStatement) return statement;
  const start = statement.slice(0, limits.listedStatement);
  const last = start.charCodeAt(start.length - 1);
  // Half of a character outside the basic plane is not valid text.
  const endsInHalf = last >= 0xd800 && last <= 0xdbff;
  return `${endsInHalf ? start.slice(0, -1) : start}${mark}`;
}
