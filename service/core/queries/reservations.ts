/** Describes reserved output folders: no other writer may use the same folder, a parent or a child of it (design §3). */
import { formatLocation } from "../../../contract";
import type { Overlap } from "../ports/state";

/** Describes the other writer for an error message. */
export function describeOverlap({ folder, owner }: Overlap): string {
  return `${owner} writes to ${formatLocation(folder)}`;
}
