/**
 * Function calls: finds the declaration, converts the arguments, and checks where aggregates and windows are allowed.
 */
import { keyWithoutNegativeZero } from "../quirks/signed-zero";
import { isTyped, join, sql } from "../tree/fragment";
import { computedBy, typed } from "../tree/typed";
import { same } from "../tree/same";
import { type Call, semantic, unsupported } from "../syntax";
import { acceptArgument } from "./arguments";
import { foldedCharReason, isFoldedChar, mixesCharLengths, paddedCharReason } from "../quirks/char-padding";
import { commonType } from "../tree/coercion";
import { expression, type Grouping, type Scope } from "./scope";
import { implicitCast } from "./implicit-cast";
import type { Part, Typed } from "../tree/nodes";
import type {
  AggregateFunction,
  AggregateSite,
  CallSite,
  FunctionEntry,
  Parameter,
  ArgumentValues,
  WindowFunction,
} from "../functions/define";
import { functionNames, functionsNamed } from "../functions";
import { hasUncertainScale, hiddenDigitsReason, hidesDigits, uncertainScaleReason } from "../rules/folded-decimals";
import { hasAggregate } from "../functions/kinds-of-calls";
import { groupingCall } from "./query/grouping-sets";
import { stageBoundary } from "../quirks/stage-boundary";
import { orderKeys } from "./order";
import { duckType, type HiveType, typeName, types } from "../tree/types";
import { overWindow, resolveWindow } from "./windows";

/** Translates a call of a scalar, aggregate or window function; refuses table-generating functions. */
export function translateCall(node: Call, scope: Scope): Typed {
  if (node.name === "grouping") return groupingCall(node, scope);
  const entries = functionsNamed(node.name);
  if (entries.length === 0) throw unsupported(node.position, `function ${node.name}`, unknownReason(node.name));
  const entry = chooseEntry(entries, node);
  switch (entry.kind) {
    case "scalar": {
      refuseModifiers(node);
      const values = argumentsOf(node, entry.takes, entry, scope);
      const call = callSite(node, scope);
      const type = typeof entry.returns === "function" ? entry.returns(values, call) : entry.returns;
      if (entry.makesChar && type.kind === "char")
        throw unsupported(node.position, `function ${node.name}`, paddedCharReason);
      const emitted = entry.emit(values, call, type);
      const textSourceType = isTyped(emitted) ? emitted.textSourceType : undefined;
      const result: Typed = {
        node: isTyped(emitted) ? emitted.node : { kind: "call", function: entry, sql: emitted },
        type,
        ...(textSourceType ? { textSourceType } : {}),
      };
      return entry.isNullTestedByArguments && values.some((value) => value.introducesNull)
        ? { ...result, introducesNull: true }
        : result;
    }
    case "aggregate":
      return node.window ? translateWindowed(node, entry, scope) : translateAggregate(node, entry, scope);
    case "window":
      return translateWindowed(node, entry, scope);
    case "table":
      throw semantic(
        node.position,
        `function ${node.name}`,
        "returns rows: use it as the only expression of SELECT or in LATERAL VIEW",
      );
  }
}

/** Returns the details of a call that a function's declaration may need. */
export function callSite(node: Call, { context }: Pick<Scope, "context">): CallSite {
  const construct = `function ${node.name}`;
  return {
    position: node.position,
    name: node.name,
    timeZone: context.settings.timeZone,
    invalid: (reason) => semantic(node.position, construct, reason),
    refused: (reason) => unsupported(node.position, construct, reason),
    convert: (value, type) => implicitCast(value, type, node, construct),
    common: (values) => {
      if (mixesCharLengths(values))
        throw unsupported(
          node.position,
          construct,
          "has chars of different lengths, some of them literals, whose result Hive pads inconsistently: cast them to string",
        );
      if (hasUncertainScale(values)) throw unsupported(node.position, construct, uncertainScaleReason);
      let type: HiveType = types.void;
      for (const value of values) {
        const next = commonType(type, value.type);
        if (!next)
          throw semantic(
            node.position,
            construct,
            `has no common type for ${typeName(type)} and ${typeName(value.type)}: cast one of them`,
          );
        type = next;
      }
      return type;
    },
  };
}

/** Returns the arguments of a call, converted to the types of its parameters. */
export function argumentsOf(
  node: Call,
  takes: readonly Parameter[],
  entry: Pick<FunctionEntry, "kind" | "optional" | "variadic" | "signature" | "chooses" | "holdsArguments">,
  scope: Scope,
): ArgumentValues {
  const least = takes.length - (entry.optional ?? 0);
  const count = node.arguments.length;
  if (count < least || (count > takes.length && !entry.variadic)) {
    throw semantic(
      node.position,
      `function ${node.name}`,
      `cannot have ${count} arguments; its signature is ${entry.signature}`,
    );
  }
  const call = callSite(node, scope);
  const given = node.arguments.map((argument) => expression(argument, scope));
  const isScalar = entry.kind === "scalar";
  const keepsChars = entry.chooses !== undefined || entry.holdsArguments === true;
  if (given.some((value) => hidesDigits(value) || (isScalar && value.isFolded)))
    throw unsupported(node.position, `function ${node.name}`, hiddenDigitsReason);
  if (!keepsChars && given.some(isFoldedChar))
    throw unsupported(node.position, `function ${node.name}`, foldedCharReason);
  const accepted = given.map((value, index) => {
    const parameter = takes[Math.min(index, takes.length - 1)] ?? "any";
    return acceptArgument(value, parameter, index, call);
  });
  return accepted as unknown as ArgumentValues;
}

function chooseEntry(entries: readonly FunctionEntry[], node: Call): FunctionEntry {
  const wanted = node.window ? ["window", "aggregate"] : ["scalar", "aggregate", "table", "window"];
  for (const kind of wanted) {
    const entry = entries.find((candidate) => candidate.kind === kind);
    if (entry) return entry;
  }
  throw semantic(node.position, `function ${node.name}`, "does not support OVER");
}

function refuseModifiers(node: Call) {
  const construct = `function ${node.name}`;
  if (node.star) throw semantic(node.position, construct, "does not support *");
  if (node.distinct) throw semantic(node.position, construct, "does not support DISTINCT");
  if (node.withinGroup) throw unsupported(node.position, `${construct} WITHIN GROUP`);
  if (node.nulls) throw semantic(node.position, construct, "does not support IGNORE NULLS or RESPECT NULLS");
}

function translateAggregate(node: Call, entry: AggregateFunction, scope: Scope): Typed {
  const { grouping } = scope;
  if (!grouping) return outerAggregate(node, scope);
  if (node.nulls)
    throw semantic(node.position, `function ${node.name}`, "supports IGNORE NULLS and RESPECT NULLS only with OVER");
  const base: Scope = { ...grouping.base, clause: `function ${node.name}` };
  const { plan } = scope.context;
  if (node.distinct && !plan.isOptimized && grouping.hasConstantKey())
    throw unsupported(
      node.position,
      `function ${node.name} with DISTINCT`,
      "is combined with grouping sets over a constant key, and Hive plans this statement without its optimizer: compute the groups in a subquery",
    );
  const nested = node.arguments.find(hasAggregate);
  if (nested)
    throw semantic(
      nested.position,
      `function ${node.name}`,
      "cannot contain another aggregate: compute the inner one in a subquery",
    );
  return grouping.computed(
    distinctOverGroupingKeys(node, entry, grouping, base, emitAggregate(node, entry, base, sql``)),
  );
}

/** Translates DISTINCT over keys of grouping sets: Hive reads a key as NULL in the sets that aggregate it away. */
function distinctOverGroupingKeys(
  node: Call,
  entry: AggregateFunction,
  grouping: Grouping,
  base: Scope,
  value: Typed,
): Typed {
  if (!node.distinct || !grouping.sets) return value;
  const keys = node.arguments
    .map((argument) => expression(argument, base))
    .filter((argument) => grouping.keys.some((key) => same(key, argument)));
  if (keys.length === 0) return value;
  if (keys.some((key) => !grouping.isMember(key))) return typed(overNoRows(entry, value), value.type);
  const isHidden = join(
    keys.map((key) => sql`GROUPING(${keyWithoutNegativeZero(key)})`),
    " + ",
  );
  return typed(sql`CASE WHEN ${isHidden} > 0 THEN ${overNoRows(entry, value)} ELSE ${value} END`, value.type);
}

const overNoRows = (entry: AggregateFunction, { type }: Typed) =>
  sql`CAST(${entry.overNoRows ?? "NULL"} AS ${duckType(type)})`;

/** Translates an aggregate of the outer query that a correlated subquery uses. */
function outerAggregate(node: Call, scope: Scope): Typed {
  if (scope.parent?.grouping) return expression(node, scope.parent);
  throw semantic(node.position, `function ${node.name}`, `is an aggregate, which is not allowed in ${scope.clause}`);
}

function emitAggregate(node: Call, entry: AggregateFunction, scope: Scope, over: Part): Typed {
  if (node.star && !entry.acceptsStar) throw semantic(node.position, `function ${node.name}`, "does not support *");
  if (node.withinGroup && !entry.ordered)
    throw semantic(node.position, `function ${node.name}`, "does not support WITHIN GROUP");
  if (node.distinct && !entry.distinct) throw unsupported(node.position, `function ${node.name} with DISTINCT`);
  const given = node.star ? noValues : argumentsOf(node, entry.takes, entry, scope);
  const values = node.distinct ? (given.map(keyWithoutNegativeZero) as unknown as ArgumentValues) : given;
  if (entry.acceptsStar && values.length === 0 && !node.star && !node.window)
    throw semantic(
      node.position,
      `function ${node.name}`,
      `needs an argument: write ${node.name}(*) or ${node.name}(column)`,
    );
  const site = aggregateSite(node, scope, over);
  const type = typeof entry.returns === "function" ? entry.returns(values, site) : entry.returns;
  return computedBy(
    node.window ? "window" : "aggregate",
    sql`${stageBoundary(entry.emit(values, site, type), type)}`,
    type,
  );
}

/** The arguments of `count(*)`. */
const noValues = [] as unknown as ArgumentValues;

function aggregateSite(node: Call, scope: Scope, over: Part): AggregateSite {
  return {
    ...callSite(node, scope),
    distinct: node.distinct ? "DISTINCT " : "",
    over,
    ordered: node.withinGroup ? orderKeys(node.withinGroup, scope) : [],
    isWindow: node.window !== undefined,
    isOptimized: scope.context.plan.isOptimized,
  };
}

function translateWindowed(node: Call, entry: AggregateFunction | WindowFunction, scope: Scope): Typed {
  const construct = `function ${node.name}`;
  if (node.withinGroup) throw unsupported(node.position, `${construct} WITHIN GROUP`);
  if (!node.window && scope.enclosingWindow) return lagInEnclosingWindow(node, entry, scope);
  if (!node.window) throw semantic(node.position, construct, "needs OVER");
  if (!scope.allowsWindows)
    throw semantic(
      node.position,
      construct,
      `has OVER, which is not allowed in ${scope.clause}: compute it in a subquery`,
    );
  // Hive fails on lag or lead inside of a function without a frame, such as rank or another lag.
  const enclosing = entry.kind === "aggregate" || entry.framed ? { enclosingWindow: node.window } : {};
  const inner: Scope = { ...scope, allowsWindows: false, clause: "OVER", ...enclosing };
  if (entry.kind === "aggregate") {
    if (node.nulls === "ignore") throw unsupported(node.position, `${construct} IGNORE NULLS`);
    const compute = (over: Part) => emitAggregate(node, entry, inner, over);
    if (!entry.isUpdatedOver || node.distinct) return overWindow(node, entry, inner, { compute });
    const [value] = argumentsOf(node, entry.takes, entry, inner);
    const count = (over: Part) => sql`count(${value})${over}`;
    return overWindow(node, entry, inner, {
      compute,
      [entry.isUpdatedOver === "range" ? "count" : "averageCount"]: count,
    });
  }
  if (node.star || node.distinct) throw semantic(node.position, construct, "does not support * or DISTINCT");
  const values = argumentsOf(node, entry.takes, entry, inner);
  const nulls = node.nulls === "ignore" ? " IGNORE NULLS" : "";
  const compute = (over: Part) => {
    const site = { ...aggregateSite(node, inner, over), nulls };
    const type = typeof entry.returns === "function" ? entry.returns(values, site) : entry.returns;
    return computedBy("window", sql`${stageBoundary(entry.emit(values, site, type), type)}`, type);
  };
  return overWindow(node, entry, inner, { compute });
}

/** Translates LAG or LEAD inside of another window function: it is computed first, over the window of that function. */
function lagInEnclosingWindow(node: Call, entry: AggregateFunction | WindowFunction, scope: Scope): Typed {
  const { enclosingWindow, precompute, ...rest } = scope;
  if (!enclosingWindow || !precompute || entry.kind === "aggregate" || !entry.usesEnclosingWindow || node.nulls)
    throw semantic(
      node.position,
      `function ${node.name}`,
      "needs OVER: only lag and lead can use the window of the enclosing function",
    );
  const { frame, ...window } = resolveWindow(enclosingWindow, scope);
  if (window.orderBy.length === 0)
    throw semantic(node.position, `function ${node.name}`, "needs ORDER BY in the OVER of the enclosing function");
  if (frame?.end.kind === "unbounded following")
    throw unsupported(
      node.position,
      `function ${node.name}`,
      "is used inside of a function whose frame ends at UNBOUNDED FOLLOWING: compute it in a subquery",
    );
  return precompute(translateWindowed({ ...node, window }, entry, { ...rest, allowsWindows: true, clause: "SELECT" }));
}

function unknownReason(name: string): string {
  const near = functionNames.find((known) => distance(known, name) <= 1);
  return near === undefined
    ? "is not known; docs/hiveql.md lists the supported functions"
    : `is not known; a similar function is ${near}`;
}

/** Returns the edit distance of two names if it is 0 or 1, and a larger number otherwise. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 1) return 2;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return Math.max(left.length, right.length) - start - end;
}
