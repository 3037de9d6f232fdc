/** Function calls: finds the declaration of the function, and binds scalar functions. */
import { type Call, didYouMean, HiveQLError, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { functionNames, functionsNamed } from "../functions";
import type { CallSite, FunctionEntry } from "../functions/define";
import { otherDialects } from "../functions/other-dialects";
import { refusalOf } from "../functions/refused";
import { bindAggregate, bindWindowed } from "./aggregates";
import { argumentsOf, siteOf, siteWithHelpers } from "./arguments";
import { groupingCall } from "./query/grouping-sets";
import type { Scope } from "./scope";

/** Binds a call of a scalar, aggregate or window function; refuses table-generating functions. */
export function bindCall(node: Call, scope: Scope): Typed {
  const entries = functionsNamed(node.name);
  if (entries.length === 0) throw unknownFunction(node);
  const call = siteWithHelpers(node, scope);
  const entry = chooseEntry(entries, node, call);
  switch (entry.kind) {
    case "scalar": {
      refuseModifiers(node, call);
      const values = argumentsOf(node, entry.takes, entry, scope);
      const type = typeof entry.returns === "function" ? entry.returns(values, call) : entry.returns;
      if (entry.means) return { node: entry.means(values, call, type).node, type };
      return { node: { kind: "call", function: entry, arguments: values, site: siteOf(node, scope), type }, type };
    }
    case "aggregate":
      return node.window ? bindWindowed(node, entry, scope) : bindAggregate(node, entry, scope);
    case "window":
      return bindWindowed(node, entry, scope);
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

/** Returns the error for a function that does not exist or is refused. */
export function unknownFunction({ name, position }: Call): HiveQLError {
  const construct = `function ${name}`;
  const instead = otherDialects.get(name);
  if (instead !== undefined) return unsupported(position, construct, `is not in Hive: write ${instead}`);
  const refusal = refusalOf(name);
  if (refusal !== undefined) return unsupported(position, construct, refusal);
  const near = didYouMean(name, functionNames);
  return near === ""
    ? unsupported(
        position,
        construct,
        "is not known; the page hiveql/functions of the documentation lists those that are",
      )
    : new HiveQLError(position, "unsupported", construct, `is not known${near}`);
}
