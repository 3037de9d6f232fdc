/**
 * Padding of char columns that WHERE fixes to a literal. Hive 4.0.1 replaces the column by the literal padded with
 * spaces, and conversions of it to another text type keep the spaces.
 * Example: `SELECT cast(c AS string) FROM t WHERE c = 'Bob'` with a char(4) answers `Bob ` and not `Bob`.
 * The translation refuses expressions that convert such a column to another text type.
 */
import type { KnownConstants } from "../tree/row-facts";
import { type Expression, subexpressions, unsupported } from "../syntax";
import { expression, type Scope } from "../bind/scope";
import { canBeGroupKey } from "../functions/kinds-of-calls";
import { constantValue } from "../rules/constant-propagation";
import { parseType, sameType } from "../tree/types";

/** Refuses expressions that convert a char with a known constant value to another text type. */
export function refusePaddedConstants(node: Expression, scope: Scope, constants: KnownConstants) {
  // Arguments of a window function can contain lag and lead, which translate only inside of it.
  if (constants.size === 0 || (node.kind === "call" && node.window)) return;
  const isPaddedConstant = (child: Expression) => {
    const value = canBeGroupKey(child) ? expression(child, scope) : undefined;
    return value?.type.kind === "char" && constantValue(value, constants) !== undefined;
  };
  const parts = canBeGroupKey(node) ? convertedOperands(node, scope) : [];
  const isComputed = () =>
    isConcatenation(node) && parts.every((child) => constantValue(expression(child, scope), constants));
  if (parts.some(isPaddedConstant) && !isComputed())
    throw unsupported(
      node.position,
      "char column with a constant value",
      "is converted to another text type, where Hive keeps the spaces that pad it: wrap the column in trim()",
    );
  for (const child of subexpressions(node)) refusePaddedConstants(child, scope, constants);
}

/** Returns true for concat, concat_ws and `||`: Hive drops the padding when it folds the whole call. */
const isConcatenation = (node: Expression) =>
  node.kind === "call" ? /^concat(?:_ws)?$/.test(node.name) : node.kind === "binary" && node.operator === "||";

/** Returns the operands that an expression converts to another text type. */
function convertedOperands(node: Expression, scope: Scope): readonly Expression[] {
  const ofOtherType = (children: readonly Expression[]) => {
    const { type } = expression(node, scope);
    const target = type.kind === "array" ? type.element : type;
    return children.some((child) => !sameType(expression(child, scope).type, target)) ? children : [];
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
