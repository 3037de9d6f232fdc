/** Function calls: the declaration that fits, its arguments converted, aggregates and windows where they may stand. */
import { type Call, semantic, unsupported } from "../syntax";
import { acceptArgument } from "./arguments";
import { barePaddingOfCall, mixesChars } from "../quirks/bare-chars";
import { commonType } from "./coercion";
import type { Environment } from "./scope";
import { converted, expression } from "./expression";
import { foldedTogether, type Fragment, join, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import type {
  AggregateFunction,
  AggregateSite,
  CallSite,
  FunctionEntry,
  Parameter,
  Values,
  WindowFunction,
} from "../functions/define";
import { functionNames, functionsNamed } from "../functions";
import { cutShort, hasOpenScale, hasOtherScale, isCutShort, openScale, showsSums } from "../rules/folded-decimals";
import { type Grouping, hasAggregate } from "./grouping";
import { groupingCall } from "./grouping-sets";
import { stageBoundary } from "../rules/stage-boundary";
import { orderKeys } from "../emit/order";
import { duckType, type HiveType, typeName, types } from "./types";
import { overWindow, resolveWindow } from "../emit/windows";

/** Translates a call of any kind but a table-generating function, which stands by itself. */
export function translateCall(node: Call, environment: Environment): SqlExpression {
  if (node.name === "grouping") return groupingCall(node, environment);
  const entries = functionsNamed(node.name);
  if (entries.length === 0) throw unsupported(node.position, `function ${node.name}`, unknownReason(node.name));
  const entry = choose(entries, node);
  switch (entry.kind) {
    case "scalar": {
      refuseExtras(node);
      const values = argumentsOf(node, entry.takes, entry, environment);
      const call = callSite(node, environment);
      const type = typeof entry.returns === "function" ? entry.returns(values, call) : entry.returns;
      const emitted: Fragment & Pick<SqlExpression, "textOf"> = entry.emit(values, call, type);
      const result = {
        ...typed(emitted, type),
        ...(emitted.textOf ? { textOf: emitted.textOf } : {}),
        ...barePaddingOfCall(node.name, values, type),
      };
      return seenThrough.has(node.name) && values.some((value) => value.vanishes)
        ? { ...result, vanishes: true }
        : result;
    }
    case "aggregate":
      return node.window ? windowed(node, entry, environment) : aggregated(node, entry, environment);
    case "window":
      return windowed(node, entry, environment);
    case "table":
      throw semantic(
        node.position,
        `function ${node.name}`,
        "makes rows, so it stands alone in SELECT or in LATERAL VIEW",
      );
  }
}

/** Functions into whose arguments Hive's optimizer moves IS NULL. */
const seenThrough: ReadonlySet<string> = new Set(["if", "coalesce"]);

/** What a function is told of its call. */
export function callSite(node: Call, { shared }: Pick<Environment, "shared">): CallSite {
  const construct = `function ${node.name}`;
  return {
    position: node.position,
    name: node.name,
    timeZone: shared.settings.timeZone,
    invalid: (reason) => semantic(node.position, construct, reason),
    refused: (reason) => unsupported(node.position, construct, reason),
    convert: (value, type) => converted(value, type, node, construct),
    common: (values) => {
      if (mixesChars(values))
        throw unsupported(node.position, construct, "of chars of several lengths, literals among them");
      if (hasOpenScale(values)) throw unsupported(node.position, construct, openScale);
      let type: HiveType = types.void;
      for (const value of values) {
        const next = commonType(type, value.type);
        if (!next)
          throw semantic(
            node.position,
            construct,
            `cannot give ${typeName(type)} and ${typeName(value.type)} one type`,
          );
        type = next;
      }
      return type;
    },
  };
}

/** Refuses quotients of literals but in what shows them alone. */
function checkCutShort(node: Call, given: readonly SqlExpression[]) {
  const holds = /^(?:array|map|struct|named_struct)$/.test(node.name);
  const isShown = /^(?:round|concat|typeof|positive|negative|format_number|sqrt)$/.test(node.name);
  if (holds ? given.some(hasOtherScale) : given.some(isCutShort) && (!isShown || given.some(readsColumns)))
    throw unsupported(node.position, `function ${node.name}`, cutShort);
  if (holds && given.some(({ isLongConstant }) => isLongConstant))
    throw unsupported(node.position, `function ${node.name}`, openScale);
}

/** A call's arguments as its declaration takes them. */
export function argumentsOf(
  node: Call,
  takes: readonly Parameter[],
  entry: Pick<FunctionEntry, "optional" | "variadic" | "signature">,
  environment: Environment,
): Values {
  const least = takes.length - (entry.optional ?? 0);
  const count = node.arguments.length;
  if (count < least || (count > takes.length && !entry.variadic)) {
    throw semantic(node.position, `function ${node.name}`, `has ${count} arguments; it is ${entry.signature}`);
  }
  const call = callSite(node, environment);
  const given = node.arguments.map((argument) => expression(argument, environment));
  if (given.some(({ declared }) => declared) && !showsSums.has(node.name))
    throw unsupported(node.position, `function ${node.name}`, openScale);
  const isScalar = "kind" in entry && entry.kind === "scalar";
  if (isScalar) checkCutShort(node, given);
  const values = isScalar ? foldedTogether(given) : given;
  const accepted = values.map((value, index) => {
    const parameter = takes[Math.min(index, takes.length - 1)] ?? "any";
    return acceptArgument(value, parameter, index, call);
  });
  return accepted as unknown as Values;
}

function choose(entries: readonly FunctionEntry[], node: Call): FunctionEntry {
  const wanted = node.window ? ["window", "aggregate"] : ["scalar", "aggregate", "table", "window"];
  for (const kind of wanted) {
    const entry = entries.find((candidate) => candidate.kind === kind);
    if (entry) return entry;
  }
  throw semantic(node.position, `function ${node.name}`, "cannot have OVER");
}

function refuseExtras(node: Call) {
  const construct = `function ${node.name}`;
  if (node.star) throw semantic(node.position, construct, "does not take *");
  if (node.distinct) throw semantic(node.position, construct, "does not take DISTINCT");
  if (node.withinGroup) throw unsupported(node.position, `${construct} WITHIN GROUP`);
  if (node.nulls) throw semantic(node.position, construct, "does not take a NULL treatment");
}

function aggregated(node: Call, entry: AggregateFunction, environment: Environment): SqlExpression {
  const { grouping } = environment;
  if (!grouping) return outerAggregate(node, environment);
  if (node.nulls) throw semantic(node.position, `function ${node.name}`, "takes a NULL treatment only with OVER");
  const base: Environment = { ...grouping.base, place: `function ${node.name}` };
  const { plan } = environment.shared;
  if (node.distinct && node.arguments.length > 1) plan.isBeyond = true;
  if (node.distinct && !plan.isOptimized && grouping.hasConstantKey())
    throw unsupported(
      node.position,
      `function ${node.name} with DISTINCT`,
      "beside grouping sets over a key that is constant, where Hive plans without its optimizer: group in a subquery",
    );
  const nested = node.arguments.find(hasAggregate);
  if (nested) throw semantic(nested.position, `function ${node.name}`, "cannot hold another aggregate");
  return grouping.computed(ofShownKeys(node, grouping, base, emitAggregate(node, entry, base, sql``)));
}

/** With DISTINCT Hive reads an argument that is a key as it shows it: NULL where a grouping set aggregates it away. */
function ofShownKeys(node: Call, grouping: Grouping, base: Environment, value: SqlExpression): SqlExpression {
  if (!node.distinct || !grouping.sets) return value;
  const keys = node.arguments
    .map((argument) => expression(argument, base))
    .filter((argument) => grouping.keys.some((key) => key.sql === argument.sql));
  if (keys.length === 0) return value;
  if (keys.some((key) => !grouping.isMember(key))) return typed(nothingCounted(node, value), value.type);
  const isHidden = join(
    keys.map((key) => sql`GROUPING(${key})`),
    " + ",
  );
  return typed(sql`CASE WHEN ${isHidden} > 0 THEN ${nothingCounted(node, value)} ELSE ${value} END`, value.type);
}

const nothingCounted = (node: Call, { type }: SqlExpression) =>
  sql`CAST(${node.name === "count" ? "0" : "NULL"} AS ${duckType(type)})`;

/** An aggregate in a subquery may be one of the query around it. */
function outerAggregate(node: Call, environment: Environment): SqlExpression {
  if (environment.parent?.grouping) return expression(node, environment.parent);
  throw semantic(node.position, `function ${node.name}`, `is an aggregate, which ${environment.place} cannot hold`);
}

function emitAggregate(node: Call, entry: AggregateFunction, environment: Environment, over: Fragment): SqlExpression {
  if (node.star && node.name !== "count") throw semantic(node.position, `function ${node.name}`, "does not take *");
  if (node.withinGroup && !entry.ordered)
    throw semantic(node.position, `function ${node.name}`, "does not take WITHIN GROUP");
  if (node.distinct && !entry.distinct) throw unsupported(node.position, `function ${node.name} with DISTINCT`);
  const values = node.star ? noValues : argumentsOf(node, entry.takes, entry, environment);
  if (node.name === "count" && values.length === 0 && !node.star)
    throw semantic(node.position, "function count", "needs * or an argument");
  const site = aggregateSite(node, environment, over);
  const type = typeof entry.returns === "function" ? entry.returns(values, site) : entry.returns;
  return typed(stageBoundary(entry.emit(values, site, type), type), type);
}

/** `count(*)` has none. */
const noValues = [] as unknown as Values;

function aggregateSite(node: Call, environment: Environment, over: Fragment): AggregateSite {
  return {
    ...callSite(node, environment),
    distinct: node.distinct ? "DISTINCT " : "",
    over,
    ordered: node.withinGroup ? orderKeys(node.withinGroup, environment) : [],
    isWindow: node.window !== undefined,
    isOptimized: environment.shared.plan.isOptimized,
  };
}

function windowed(node: Call, entry: AggregateFunction | WindowFunction, environment: Environment): SqlExpression {
  const construct = `function ${node.name}`;
  if (node.withinGroup) throw unsupported(node.position, `${construct} WITHIN GROUP`);
  if (!node.window && environment.around) return along(node, entry, environment);
  if (!node.window) throw semantic(node.position, construct, "needs OVER");
  if (!environment.allowsWindows)
    throw semantic(node.position, construct, `has OVER, which ${environment.place} cannot hold`);
  // Hive fails where the function around it looks along the rows itself.
  const around = entry.kind === "aggregate" || entry.framed ? { around: node.window } : {};
  const inner: Environment = { ...environment, allowsWindows: false, place: "OVER", ...around };
  if (entry.kind === "aggregate") {
    if (node.nulls === "ignore") throw unsupported(node.position, `${construct} IGNORE NULLS`);
    const compute = (over: Fragment) => emitAggregate(node, entry, inner, over);
    if ((node.name !== "sum" && node.name !== "avg") || node.distinct)
      return overWindow(node, entry, inner, { compute });
    const [value] = argumentsOf(node, entry.takes, entry, inner);
    const count = (over: Fragment) => sql`count(${value})${over}`;
    return overWindow(node, entry, inner, node.name === "sum" ? { compute, count } : { compute, countOfMean: count });
  }
  if (node.star || node.distinct) throw semantic(node.position, construct, "takes neither * nor DISTINCT");
  const values = argumentsOf(node, entry.takes, entry, inner);
  const nulls = node.nulls === "ignore" ? " IGNORE NULLS" : "";
  const compute = (over: Fragment) => {
    const site = { ...aggregateSite(node, inner, over), nulls };
    const type = typeof entry.returns === "function" ? entry.returns(values, site) : entry.returns;
    return typed(stageBoundary(entry.emit(values, site, type), type), type);
  };
  return overWindow(node, entry, inner, { compute });
}

/** LAG or LEAD inside of another function: along the rows of that one's window, of which it is computed first. */
function along(node: Call, entry: AggregateFunction | WindowFunction, environment: Environment): SqlExpression {
  const { around, before, ...rest } = environment;
  if (!around || !before || entry.kind === "aggregate" || !/^(?:lag|lead)$/.test(node.name) || node.nulls)
    throw semantic(node.position, `function ${node.name}`, "cannot look along the rows of the function around it");
  const { frame, ...window } = resolveWindow(around, environment);
  if (window.orderBy.length === 0)
    throw semantic(node.position, `function ${node.name}`, "looks along rows that the window around it does not sort");
  if (frame?.end.kind === "unbounded following")
    throw unsupported(node.position, `function ${node.name}`, "inside of a function whose frame ends at the last row");
  return before(windowed({ ...node, window }, entry, { ...rest, allowsWindows: true, place: "SELECT" }));
}

function unknownReason(name: string): string {
  const near = functionNames.find((known) => distance(known, name) <= 1);
  return near === undefined
    ? "is not supported by the embedded engine (docs/hiveql.md lists what is)"
    : `is not supported by the embedded engine; ${near} is`;
}

/** Whether two names differ by one letter is all that is asked. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 1) return 2;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return Math.max(left.length, right.length) - start - end;
}
