/**
 * Chars that conditions pin to a literal, as `WHERE c = 'ab'` does: Hive's optimizer puts the literal in their place,
 * filled with spaces, which some constructs then keep.
 */
import { type Expression, unsupported } from "../syntax";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { childrenOf, isPlain } from "../bind/grouping";
import { constantOf, type KnownConstants } from "../rules/constant-propagation";
import { parseType, sameType } from "../bind/types";

/** Refuses what makes another text of such a char. */
export function refuseFilled(node: Expression, environment: Environment, pins: KnownConstants) {
  // What stands in OVER's function is of rows that its window knows.
  if (pins.size === 0 || (node.kind === "call" && node.window)) return;
  const isFilled = (child: Expression) => {
    const value = isPlain(child) ? expression(child, environment) : undefined;
    return value?.type.kind === "char" && constantOf(value, pins) !== undefined;
  };
  const parts = isPlain(node) ? copied(node, environment) : [];
  const isComputed = () => joins(node) && parts.every((child) => constantOf(expression(child, environment), pins));
  if (parts.some(isFilled) && !isComputed())
    throw unsupported(
      node.position,
      "a char that a condition pins to a literal",
      "as another text, in which Hive keeps the spaces that fill it: trim it",
    );
  for (const child of childrenOf(node)) refuseFilled(child, environment, pins);
}

/** Whether Hive leaves the spaces out where it computes the whole beforehand. */
const joins = (node: Expression) =>
  node.kind === "call" ? /^concat(?:_ws)?$/.test(node.name) : node.kind === "binary" && node.operator === "||";

/** What of an expression's parts becomes a text of another type in it. */
function copied(node: Expression, environment: Environment): readonly Expression[] {
  const ofOtherType = (children: readonly Expression[]) => {
    const { type } = expression(node, environment);
    const target = type.kind === "array" ? type.element : type;
    return children.some((child) => !sameType(expression(child, environment).type, target)) ? children : [];
  };
  switch (node.kind) {
    case "case":
      return ofOtherType([...node.branches.map(({ then }) => then), ...(node.otherwise ? [node.otherwise] : [])]);
    case "cast":
      return /^(?:string|varchar)$/.test(parseType(node.type)?.kind ?? "") ? [node.operand] : [];
    case "binary":
      return node.operator === "||" ? [node.left, node.right] : [];
    case "call":
      if (/^(?:concat|concat_ws|split|printf)$/.test(node.name)) return node.arguments;
      if (node.name === "if") return ofOtherType(node.arguments.slice(1));
      return /^(?:coalesce|nvl|greatest|least|array)$/.test(node.name) ? ofOtherType(node.arguments) : [];
    default:
      return [];
  }
}
