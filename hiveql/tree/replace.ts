/** Replacement of columns in a value. */
import { withChildren } from "./children";
import { identity } from "./facts";
import { isTyped } from "./fragment";
import type { Part, Typed } from "./nodes";

/** Returns a value with columns replaced by other values, which are found by the identity of the column. */
export function replaceColumns(value: Typed, by: ReadonlyMap<string, Typed>): Typed {
  const replace = (part: Part): Part =>
    (isTyped(part) && part.node.kind === "column" ? by.get(identity(part.node)) : undefined) ??
    withChildren(part, replace);
  return replace(value) as Typed;
}
