/**
 * The children of a value of the typed tree. Nodes are plain data, in which values stand at any depth; so no kind of node,
 * clause or relation needs a case here.
 */
import type { Typed } from "./nodes";

/** Returns true for a value, and not for other data of the tree. */
export const isTyped = (data: object): data is Typed => "node" in data;

/** Returns true for an object of the tree; the entry of a function in a call is none. */
export const isData = (name: string, data: unknown): data is object =>
  typeof data === "object" && data !== null && name !== "function";

/** Returns the values that a value is computed from. */
export function childrenOf({ node }: Typed): readonly Typed[] {
  const found: Typed[] = [];
  const collect = (data: object) => {
    for (const name of Object.keys(data)) {
      const value = (data as Readonly<Record<string, unknown>>)[name];
      if (!isData(name, value)) continue;
      if (isTyped(value)) found.push(value);
      else collect(value);
    }
  };
  collect(node);
  return found;
}
