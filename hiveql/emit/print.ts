/** Prints fragments and typed values as SQL text. */
import { callSql } from "./calls";
import { literalSql } from "./literals";
import { operatorSql } from "./operators";
import { subquerySql } from "./queries";
import { macros } from "../runtime/macros/index";
import type { Macro } from "../runtime/macros/define";
import { overSql } from "./windows";
import { unsupported } from "../syntax";
import { isTyped } from "../tree/children";
import { isColumnOrLiteral, once } from "../sql/fragment";
import type { Fragment, MacroCall, Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { quoteIdentifier } from "../tree/types";

/** SQL text with an estimate of the work that it causes in DuckDB's binder. */
interface Printed {
  readonly text: string;
  /** The estimated number of nodes that DuckDB binds after it expands macros. */
  readonly weight: number;
}

/** Maximum weight of one expression. Larger ones are refused, since DuckDB takes seconds to bind them. */
const maxWeight = 40_000;

/** Maximum weight of the copies of one argument of a macro. */
const maxCopiedWeight = 300;

const printed = new WeakMap<object, Printed>();

/** Returns the SQL text of a part. @throws HiveQLError when DuckDB would take too long to bind it. */
export const print = (part: Part): string => printPart(part).text;

/** Returns the estimated number of nodes that DuckDB binds for a part. */
const weightOf = (part: Part): number => printPart(part).weight;

function printPart(part: Part): Printed {
  const object: object = isTyped(part) ? part.node : part;
  let result = printed.get(object);
  if (!result) {
    result = isTyped(part) ? printValue(part) : printFragment(part);
    printed.set(object, result);
  }
  if (isTyped(part) && part.position && result.weight > maxWeight)
    throw unsupported(part.position, "expression", "is too large: compute parts of it in subqueries");
  return result;
}

function printValue({ node }: Typed): Printed {
  switch (node.kind) {
    case "column": {
      const name = node.of === "rows" ? quoteIdentifier(node.name) : node.name;
      return { text: `${node.relation}.${name}`, weight: 1 };
    }
    case "literal":
      return { text: literalSql(node), weight: 1 };
    case "query":
      return printPart(subquerySql(node.subquery));
    case "call":
    case "aggregate":
    case "window":
      return printPart(callSql(node));
    default:
      return printPart(operatorSql(node));
  }
}

function printFragment(fragment: Fragment): Printed {
  if (fragment.kind === "macro") return printMacro(fragment);
  if (fragment.kind === "over") return printPart(overSql(fragment.window));
  if (fragment.kind === "weighed") {
    const weight = fragment.parts.reduce((sum, part) => sum + weightOf(part), 0);
    return printPart(weight <= fragment.limit ? fragment.light : fragment.heavy);
  }
  const { texts, parts } = fragment;
  let text = texts[0] ?? "";
  let { weight } = fragment;
  for (const [index, part] of parts.entries()) {
    const inner = printPart(part);
    text += inner.text + (texts[index + 1] ?? "");
    weight += inner.weight;
  }
  return { text, weight };
}

function printMacro({ name, parts }: MacroCall): Printed {
  const called: Macro = macros[name];
  const uses = Object.values(called.uses);
  const arguments_ = parts.map((part) => (typeof part === "object" ? printPart(part) : part));
  const isHeavy = arguments_.some(
    (each, index) => typeof each === "object" && each.weight * ((uses[index] ?? 1) - 1) > maxCopiedWeight,
  );
  if (isHeavy && parts.some((part) => !isAtom(part))) {
    const held = parts.filter((part) => typeof part === "object").filter((part) => !isAtom(part));
    return printPart(
      once(held, (values) => {
        const rest = [...values];
        return { kind: "macro", name, parts: parts.map((part) => (isAtom(part) ? part : (rest.shift() ?? part))) };
      }),
    );
  }
  let { weight } = called;
  for (const [index, each] of arguments_.entries())
    if (typeof each === "object") weight += each.weight * (uses[index] ?? 1);
  return {
    text: `${name}(${arguments_.map((each) => (typeof each === "object" ? each.text : each)).join(", ")})`,
    weight,
  };
}

const isAtom = (part: Part | string): boolean => typeof part === "string" || isColumnOrLiteral(part);
