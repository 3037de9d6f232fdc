/** Weakens conditions to those on some columns. */
import { type Expression, queryIn, subexpressions } from "../syntax";

/**
 * Returns a condition that holds wherever the given one holds, and reads only columns that pass a test; undefined when
 * there is none. `a = 1 AND b = 2` becomes `a = 1`, and `(a = 1 AND b = 2) OR a = 3` becomes `a = 1 OR a = 3`.
 * @param isTaken false for a part of a condition that is left out, as if it read another column
 */
export function weaken(
  node: Expression,
  isKnown: (column: Expression) => boolean,
  isTaken: (part: Expression) => boolean = () => true,
): Expression | undefined {
  if (node.kind === "logical") {
    const parts = node.operands.map((operand) => weaken(operand, isKnown, isTaken));
    const known = parts.filter((part) => part !== undefined);
    if (node.operator === "or" && known.length < parts.length) return undefined;
    return known.length > 1 ? { ...node, operands: known } : known[0];
  }
  return readsOnly(node, isKnown) && readsSome(node) && isTaken(node) ? node : undefined;
}

function readsOnly(node: Expression, isKnown: (column: Expression) => boolean): boolean {
  if (queryIn(node)) return false;
  if (isColumn(node)) return isKnown(node);
  return subexpressions(node).every((child) => readsOnly(child, isKnown));
}

const readsSome = (node: Expression): boolean => isColumn(node) || subexpressions(node).some(readsSome);

const isColumn = (node: Expression) => node.kind === "name" || node.kind === "field";

/** Returns an expression with other columns. It contains no subquery. */
export function mapColumns(node: Expression, map: (column: Expression) => Expression): Expression {
  if (isColumn(node)) return map(node);
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) copy[key] = mapped(value, map);
  return copy as unknown as Expression;
}

function mapped(value: unknown, map: (column: Expression) => Expression): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, map));
  if (typeof value !== "object" || value === null) return value;
  if ("kind" in value && "position" in value) return mapColumns(value as Expression, map);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, map)]));
}
