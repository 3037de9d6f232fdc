/** The statements of list responses, which are shortened so that a page stays small. */
import { shortened } from "./printable";
import { limits } from "./values";

/**
 * Returns a statement as lists show it: whole up to {@link limits}`.listedStatement` characters, else its first ones,
 * followed by `…`.
 */
export function excerptOf(statement: string): string {
  return shortened(statement, limits.listedStatement);
}
