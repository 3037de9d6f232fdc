/** Aggregates and window functions: where they are allowed, and what they compute. */
import { type Call, semantic, unsupported } from "../syntax";
import type { FunctionCall, Typed, Window } from "../tree/nodes";
import type { AggregateFunction, ArgumentValues, WindowFunction } from "../functions/define";
import { hasAggregate } from "../functions/kinds-of-calls";
import { callSite } from "../functions/site";
import { argumentsOf, siteOf, siteWithHelpers } from "./arguments";
import { orderKeys } from "./order";
import { expression, type Scope } from "./scope";
import { overWindow } from "./windows";

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
  if (!node.window && scope.clause === "OVER")
    throw unsupported(node.position, construct, "uses the window of the function around it: compute it in a subquery");
  if (!node.window) throw invalid("needs OVER");
  if (!scope.allowsWindows)
    throw invalid(`has OVER, which is not allowed in ${scope.clause}: compute it in a subquery`);
  const inner: Scope = { ...scope, allowsWindows: false, clause: "OVER" };
  if (entry.kind === "aggregate") {
    if (node.nulls === "ignore")
      throw unsupported(node.position, `${construct} IGNORE NULLS`, "skips NULL without it: leave it out");
    return overWindow(node, entry, inner, (window) => aggregateCall(node, entry, inner, window));
  }
  if (node.star || node.distinct) throw invalid("does not support * or DISTINCT");
  const values = argumentsOf(node, entry.takes, entry, inner);
  return overWindow(node, entry, inner, (window) => callOver(node, entry, values, inner, window));
}
