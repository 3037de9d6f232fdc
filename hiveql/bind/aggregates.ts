/** Aggregates and window functions: where they are allowed, and what they compute. */
import { type Call, semantic, unsupported } from "../syntax";
import { join, over } from "../tree/fragment";
import type { Typed, Window } from "../tree/nodes";
import { callOf } from "../tree/typed";
import type { AggregateFunction, AggregateSite, ArgumentValues, WindowFunction } from "../functions/define";
import { hasAggregate } from "../functions/kinds-of-calls";
import { argumentsOf, callSite } from "./arguments";
import { orderKeys } from "./order";
import { expression, type Scope } from "./scope";
import { overWindow, resolveWindow } from "./windows";

/** Binds an aggregate of groups. */
export function bindAggregate(node: Call, entry: AggregateFunction, scope: Scope): Typed {
  const { grouping } = scope;
  const { invalid } = callSite(node, scope);
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
  return grouping.computed(emitAggregate(node, entry, base));
}

/** Binds an aggregate of the outer query that a correlated subquery uses. */
function outerAggregate(node: Call, scope: Scope): Typed {
  if (scope.parent?.grouping) return expression(node, scope.parent);
  throw callSite(node, scope).invalid(
    `is an aggregate, which is not allowed in ${scope.clause}: compute it in a subquery`,
  );
}

function emitAggregate(node: Call, entry: AggregateFunction, scope: Scope, window?: Window): Typed {
  const { invalid } = callSite(node, scope);
  if (node.star && !entry.acceptsStar) throw invalid("does not support *");
  if (node.withinGroup && !entry.ordered) throw invalid("does not support WITHIN GROUP");
  if (node.distinct && !entry.distinct) throw unsupported(node.position, `function ${node.name} with DISTINCT`);
  const values = node.star ? noValues : argumentsOf(node, entry.takes, entry, scope);
  if (entry.acceptsStar && values.length === 0 && !node.star && !node.window)
    throw invalid(`needs an argument: write ${node.name}(*) or ${node.name}(column)`);
  const site = aggregateSite(node, scope, window);
  const type = typeof entry.returns === "function" ? entry.returns(values, site) : entry.returns;
  const emitted = entry.emit(values, site, type);
  return callOf(node.window ? "window" : "aggregate", entry, emitted, type);
}

/** The arguments of `count(*)`. */
const noValues = [] as unknown as ArgumentValues;

function aggregateSite(node: Call, scope: Scope, window?: Window): AggregateSite {
  return {
    ...callSite(node, scope),
    distinct: node.distinct ? "DISTINCT " : "",
    over: window ? over(window) : join([]),
    ordered: node.withinGroup ? orderKeys(node.withinGroup, scope) : [],
    isWindow: node.window !== undefined,
  };
}

/** Binds an aggregate or a window function with OVER. */
export function bindWindowed(node: Call, entry: AggregateFunction | WindowFunction, scope: Scope): Typed {
  const construct = `function ${node.name}`;
  const { invalid } = callSite(node, scope);
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
    const compute = (window: Window) => emitAggregate(node, entry, inner, window);
    return overWindow(node, entry, inner, compute);
  }
  if (node.star || node.distinct) throw invalid("does not support * or DISTINCT");
  const values = argumentsOf(node, entry.takes, entry, inner);
  const nulls = node.nulls === "ignore" ? " IGNORE NULLS" : "";
  const compute = (window: Window) => {
    const site = { ...aggregateSite(node, inner, window), nulls };
    const type = typeof entry.returns === "function" ? entry.returns(values, site) : entry.returns;
    return callOf("window", entry, entry.emit(values, site, type), type);
  };
  return overWindow(node, entry, inner, compute);
}

/** Binds LAG or LEAD inside of another window function: it is computed first, over the window of that function. */
function lagInEnclosingWindow(node: Call, entry: AggregateFunction | WindowFunction, scope: Scope): Typed {
  const { enclosingWindow, precompute, ...rest } = scope;
  const { invalid } = callSite(node, scope);
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
