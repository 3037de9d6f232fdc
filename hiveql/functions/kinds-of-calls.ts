/** Which expressions contain aggregates, window functions or subqueries. */
import { type Expression, queryIn, subexpressions } from "../syntax";
import { functionsNamed } from "./index";

const isAggregate = (name: string) => functionsNamed(name).some(({ kind }) => kind === "aggregate");

const aggregateMemo = new WeakMap<object, boolean>();

/**
 * Returns true when an expression contains an aggregate, also in the arguments of a window function, but not in
 * subqueries.
 */
export function hasAggregate(node: Expression): boolean {
  return memoize(aggregateMemo, node, () => {
    if (node.kind === "call" && node.window === undefined && isAggregate(node.name)) return true;
    return subexpressions(node).some(hasAggregate);
  });
}

const groupKeyMemo = new WeakMap<object, boolean>();

/**
 * Returns true when an expression contains no aggregate, window function or subquery, so that it can be a GROUP BY key.
 */
export function canBeGroupKey(node: Expression): boolean {
  return memoize(groupKeyMemo, node, () => {
    if (node.kind === "call" && !functionsNamed(node.name).some(({ kind }) => kind === "scalar")) return false;
    if (node.kind === "call" && (node.window !== undefined || isAggregate(node.name))) return false;
    return queryIn(node) === undefined && subexpressions(node).every(canBeGroupKey);
  });
}

function memoize(memo: WeakMap<object, boolean>, node: Expression, compute: () => boolean): boolean {
  let known = memo.get(node);
  if (known === undefined) {
    known = compute();
    memo.set(node, known);
  }
  return known;
}
