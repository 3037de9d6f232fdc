/** Rewriting of the typed tree: a pass goes once over all values of a query. */
import { withChildren } from "./children";
import { isTyped } from "./fragment";
import type { Part, Typed } from "./nodes";

/**
 * A pass. It sees each value before and after the values inside of it.
 * `isFilter` is true for the conditions of WHERE and ON, and for the operands of their ANDs and ORs, in which FALSE and
 * NULL have the same effect.
 */
export interface Pass {
  readonly before?: (value: Typed, isFilter: boolean) => Typed;
  readonly after?: (value: Typed, isFilter: boolean) => Typed;
}

/** Returns a query, or other data of the tree, as a pass rewrites it. */
export function rewrite<Data extends object>(data: Data, { before, after }: Pass): Data {
  const done = { filters: new Map<object, Part>(), others: new Map<object, Part>() };
  const rewritten = (part: Part, isFilter: boolean): Part => {
    if (!isTyped(part)) return withChildren(part, (child) => visit(child, false));
    const given = before?.(part, isFilter) ?? part;
    const isConnective = given.node.kind === "and" || given.node.kind === "or";
    const whole = withChildren(given, (child, field) =>
      visit(child, field === "where" || field === "on" || (isFilter && isConnective)),
    );
    return after?.(whole, isFilter) ?? whole;
  };
  const visit = (part: Part, isFilter: boolean): Part => {
    const known = done[isFilter ? "filters" : "others"];
    const found = known.get(part) ?? rewritten(part, isFilter);
    known.set(part, found);
    return found;
  };
  return withChildren(data, (child, field) => visit(child, field === "where" || field === "on"));
}
