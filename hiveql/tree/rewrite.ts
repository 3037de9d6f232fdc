/** Rewriting of the typed tree: passes go once over all values of a query. */
import { isData, isPart, withChildren } from "./children";
import { contains } from "./facts";
import { isColumnOrLiteral, isTyped } from "./fragment";
import type { Part, Select, Typed } from "./nodes";

/**
 * A pass. It sees each value but columns and literals, before or after the values inside of it.
 * `isFilter` is true for the conditions of WHERE and ON, and for the operands of their ANDs and ORs, in which FALSE and
 * NULL have the same effect.
 */
export interface Pass {
  readonly before?: (value: Typed, isFilter: boolean) => Typed;
  readonly after?: (value: Typed, isFilter: boolean) => Typed;
}

const isFilterField = (field: string) => field === "where" || field === "on";

/** Returns a query, or other data of the tree, as passes rewrite it; each value is seen by them in their order. */
export function rewrite<Data extends object>(data: Data, passes: readonly Pass[]): Data {
  const done = { filters: new Map<object, Part>(), others: new Map<object, Part>() };
  const inside = (child: Part) => visit(child, false);
  const rewritten = (part: Part, isFilter: boolean): Part => {
    if (!isTyped(part)) return withChildren(part, inside);
    const given = passes.reduce((value, { before }) => before?.(value, isFilter) ?? value, part);
    const isCondition = isFilter && (given.node.kind === "and" || given.node.kind === "or");
    const whole = withChildren(given, (child, field) => visit(child, isCondition || isFilterField(field)));
    return passes.reduce((value, { after }) => after?.(value, isFilter) ?? value, whole);
  };
  const visit = (part: Part, isFilter: boolean): Part => {
    if (isColumnOrLiteral(part) || ("parts" in part && part.parts.length === 0)) return part;
    const known = done[isFilter ? "filters" : "others"];
    const found = known.get(part) ?? rewritten(part, isFilter);
    known.set(part, found);
    return found;
  };
  return withChildren(data, (child, field) => visit(child, isFilterField(field)));
}

/** Returns a statement, or other data of the tree, with each SELECT replaced, after those inside of it. */
export function rewriteSelects<Data extends object>(data: Data, by: (select: Select) => Select): Data {
  const done = new Map<object, object>();
  const visit = (given: object): object => {
    if (isPart(given) && !contains(given, "query")) return given;
    const known = done.get(given);
    if (known) return known;
    const entries = Object.entries(given).map(([name, value]: [string, unknown]) => {
      return [name, isData(name, value) ? visit(value) : value] as const;
    });
    const isSame = entries.every(([name, value]) => value === (given as Readonly<Record<string, unknown>>)[name]);
    const copy = Array.isArray(given) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
    const whole: object = isSame ? given : copy;
    const result = "kind" in whole && whole.kind === "select" ? by(whole as Select) : whole;
    done.set(given, result);
    return result;
  };
  return visit(data) as Data;
}
