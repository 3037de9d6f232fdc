/** Function calls: finds the declaration of the function, and binds scalar functions. */
import { type Call, unsupported } from "../syntax";
import { isTyped } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import { callOf } from "../tree/typed";
import { functionNames, functionsNamed } from "../functions";
import type { CallSite, FunctionEntry } from "../functions/define";
import { otherDialects } from "../functions/other-dialects";
import { refusalOf } from "../functions/refused";
import { translateAggregate, translateWindowed } from "./aggregates";
import { argumentsOf, callSite } from "./arguments";
import { groupingCall } from "./query/grouping-sets";
import type { Scope } from "./scope";

/** Translates a call of a scalar, aggregate or window function; refuses table-generating functions. */
export function translateCall(node: Call, scope: Scope): Typed {
  const entries = functionsNamed(node.name);
  if (entries.length === 0) throw unsupported(node.position, `function ${node.name}`, unknownReason(node.name));
  const call = callSite(node, scope);
  const entry = chooseEntry(entries, node, call);
  switch (entry.kind) {
    case "scalar": {
      refuseModifiers(node, call);
      const values = argumentsOf(node, entry.takes, entry, scope);
      const type = typeof entry.returns === "function" ? entry.returns(values, call) : entry.returns;
      const emitted = entry.emit(values, call, type);
      return isTyped(emitted) ? { node: emitted.node, type } : callOf("call", entry, emitted, type);
    }
    case "aggregate":
      return node.window ? translateWindowed(node, entry, scope) : translateAggregate(node, entry, scope);
    case "window":
      return translateWindowed(node, entry, scope);
    case "grouping":
      return groupingCall(node, scope);
    case "identity":
      throw call.invalid("takes a table: use it in FROM");
    case "table":
      throw call.invalid("returns rows: use it as the only expression of SELECT or in LATERAL VIEW");
  }
}

function chooseEntry(entries: readonly FunctionEntry[], node: Call, { invalid }: CallSite): FunctionEntry {
  const wanted = node.window
    ? ["window", "aggregate"]
    : ["scalar", "aggregate", "table", "window", "grouping", "identity"];
  for (const kind of wanted) {
    const entry = entries.find((candidate) => candidate.kind === kind);
    if (entry) return entry;
  }
  throw invalid("does not support OVER");
}

function refuseModifiers(node: Call, { invalid }: CallSite) {
  if (node.star) throw invalid("does not support *");
  if (node.distinct) throw invalid("does not support DISTINCT");
  if (node.withinGroup) throw unsupported(node.position, `function ${node.name} WITHIN GROUP`);
  if (node.nulls) throw invalid("does not support IGNORE NULLS or RESPECT NULLS");
}

function unknownReason(name: string): string {
  const instead = otherDialects.get(name);
  if (instead !== undefined) return `is not in Hive: write ${instead}`;
  const refusal = refusalOf(name);
  if (refusal !== undefined) return refusal;
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
