/**
 * The children of a part of the typed tree. Nodes are plain data, in which values and fragments stand at any depth; so
 * no kind of node, clause or relation needs a case here.
 */
import { isTyped } from "./fragment";
import type { Part } from "./nodes";

const fragmentKinds: ReadonlySet<unknown> = new Set(["template", "macro", "weighed", "over"]);

/** Returns true for a value or a fragment, and not for other data of the tree. */
export const isPart = (data: object): data is Part =>
  "node" in data || ("kind" in data && fragmentKinds.has(data.kind));

/** Returns true for an object of the tree; the entry of a function in a call is none. */
export const isData = (name: string, data: unknown): data is object =>
  typeof data === "object" && data !== null && name !== "function";

/** Returns the values and fragments that a part holds. */
export function childrenOf(part: Part): readonly Part[] {
  if (!isTyped(part) && part.kind === "weighed") return part.parts;
  const found: Part[] = [];
  const collect = (data: object) => {
    for (const name of Object.keys(data)) {
      const value = (data as Readonly<Record<string, unknown>>)[name];
      if (!isData(name, value)) continue;
      if (isPart(value)) found.push(value);
      else collect(value);
    }
  };
  collect(isTyped(part) ? part.node : part);
  return found;
}
