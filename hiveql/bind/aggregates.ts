/** Aggregates and window functions: where they are allowed, and what they compute. */
import { type Call, semantic, unsupported } from "../syntax";
import type { FunctionCall, Typed, Window } from "../tree/nodes";
import type { AggregateFunction, ArgumentValues, WindowFunction } from "../functions/define";
import { hasAggregate } from "../functions/kinds-of-calls";
import { callSite } from "../functions/site";
import { argumentsOf, siteOf, siteWithHelpers } from "./arguments";
import { orderKeys } from "./order";
import { expression, type Scope } from "./scope";
import { overWindow, resolveWindow } from "./windows";

/** Binds an aggregate of groups. */
export function bindAggregate(node: Call, entry: AggregateFunction, scope: Scope): Typed {
  const { grouping } = scope;
  const { invalid } = siteWithHelpers(node, scope);
  if (!grouping) return outerAggregate(node, scope);
  if (node.nulls) throw invalid("supports IGNORE NULLS and RESPECT NULLS only with OVER");
  const base: Scope = { ...grouping.base, clause: `function ${node.name}` };
  const nested = node.arguments.find(hasAggregate);
  if (nested)
    throw semantic(
      nested.position,
      `function ${node.name}`,
      "cannot contain another aggregate: compute the inner one in a subquery",
    );
  return grouping.computed(aggregateCall(node, entry, base));
}

/** Binds an aggregate of the outer query that a correlated subquery uses. */
function outerAggregate(node: Call, scope: Scope): Typed {
  if (scope.parent?.grouping) return expression(node, scope.parent);
  throw siteWithHelpers(node, scope).invalid(
    `is an aggregate, which is not allowed in ${scope.clause}: compute it in a subquery`,
  );
}

function aggregateCall(node: Call, entry: AggregateFunction, scope: Scope, over?: Window): Typed {
  const { invalid } = siteWithHelpers(node, scope);
  if (node.star && !entry.acceptsStar) throw invalid("does not support *");
  if (node.withinGroup && !entry.ordered) throw invalid("does not support WITHIN GROUP");
  if (node.distinct && !entry.distinct) throw unsupported(node.position, `function ${node.name} with DISTINCT`);
  const values = node.star ? noValues : argumentsOf(node, entry.takes, entry, scope);
  if (entry.acceptsStar && values.length === 0 && !node.star && !node.window)
    throw invalid(`needs an argument: write ${node.name}(*) or ${node.name}(column)`);
  return callOver(node, entry, values, scope, over);
}

/** The arguments of `count(*)`. */
const noValues = [] as unknown as ArgumentValues;

/** Returns the call of an aggregate or window function. */
function callOver(
  node: Call,
  entry: AggregateFunction | WindowFunction,
  values: ArgumentValues,
  scope: Scope,
  over?: Window,
): Typed {
  const site = siteOf(node, scope);
  const type = typeof entry.returns === "function" ? entry.returns(values, callSite(site)) : entry.returns;
  const call: FunctionCall = {
    kind: node.window ? "window" : "aggregate",
    function: entry,
    arguments: values,
    site,
    type,
    isDistinct: node.distinct,
    ordered: node.withinGroup ? orderKeys(node.withinGroup, scope) : [],
    ...(over ? { over } : {}),
    ignoresNulls: node.nulls === "ignore",
  };
  return { node: call, type };
}

/** Binds an aggregate or a window function with OVER. */
export function bindWindowed(node: Call, entry: AggregateFunction | WindowFunction, scope: Scope): Typed {
  const construct = `function ${node.name}`;
  const { invalid } = siteWithHelpers(node, scope);
  if (node.withinGroup) throw unsupported(node.position, `${construct} WITHIN GROUP`);
  if (!node.window && scope.enclosingWindow) return lagInEnclosingWindow(node, entry, scope);
  if (!node.window) throw invalid("needs OVER");
  if (!scope.allowsWindows)
    throw invalid(`has OVER, which is not allowed in ${scope.clause}: compute it in a subquery`);
  // Hive fails on lag or lead inside of a function without a frame, such as rank or another lag.
  const enclosing = entry.kind === "aggregate" || entry.framed ? { enclosingWindow: node.window } : {};
  const inner: Scope = { ...scope, allowsWindows: false, clause: "OVER", ...enclosing };
  if (entry.kind === "aggregate") {
    if (node.nulls === "ignore")
      throw unsupported(node.position, `${construct} IGNORE NULLS`, "skips NULL without it: leave it out");
    return overWindow(node, entry, inner, (window) => aggregateCall(node, entry, inner, window));
  }
  if (node.star || node.distinct) throw invalid("does not support * or DISTINCT");
  const values = argumentsOf(node, entry.takes, entry, inner);
  return overWindow(node, entry, inner, (window) => callOver(node, entry, values, inner, window));
}

/** Binds LAG or LEAD inside of another window function: it is computed first, over the window of that function. */
function lagInEnclosingWindow(node: Call, entry: AggregateFunction | WindowFunction, scope: Scope): Typed {
  const { enclosingWindow, precompute, ...rest } = scope;
  const { invalid } = siteWithHelpers(node, scope);
  if (!enclosingWindow || !precompute || entry.kind === "aggregate" || !entry.usesEnclosingWindow || node.nulls)
    throw invalid("needs OVER: only lag and lead can use the window of the enclosing function");
  const { frame, ...window } = resolveWindow(enclosingWindow, scope);
  if (window.orderBy.length === 0) throw invalid("needs ORDER BY in the OVER of the enclosing function");
  if (frame?.end.kind === "unbounded following")
    throw unsupported(
      node.position,
      `function ${node.name}`,
      "is used inside of a function whose frame ends at UNBOUNDED FOLLOWING: compute it in a subquery",
    );
  return precompute(bindWindowed({ ...node, window }, entry, { ...rest, allowsWindows: true, clause: "SELECT" }));
}
