/** Replacement of columns in a value. */
import { identity } from "./facts";
import { isTyped } from "./fragment";
import type { Fragment, Node, Part, Typed } from "./nodes";

/**
 * Returns a value of one row with columns replaced by other values, which are found by the identity of the column.
 * Aggregates, windows and queries stay as they are: they read more rows than one.
 */
export function replaceColumns(value: Typed, by: ReadonlyMap<string, Typed>): Typed {
  const { node } = value;
  if (node.kind === "column") return by.get(identity(node)) ?? value;
  if ("operands" in node) {
    const operands = node.operands.map((operand) => replaceColumns(operand, by));
    return { ...value, node: { ...node, operands } as Node };
  }
  const isOfOneRow = node.kind === "call" || node.kind === "sql" || node.kind === "pinned";
  return isOfOneRow ? { ...value, node: { ...node, sql: inFragment(node.sql, by) } } : value;
}

function inFragment(fragment: Fragment, by: ReadonlyMap<string, Typed>): Fragment {
  const inPart = (part: Part): Part => (isTyped(part) ? replaceColumns(part, by) : inFragment(part, by));
  switch (fragment.kind) {
    case "template":
      return { ...fragment, parts: fragment.parts.map(inPart) };
    case "macro":
      return { ...fragment, parts: fragment.parts.map((part) => (typeof part === "object" ? inPart(part) : part)) };
    case "weighed":
      return {
        ...fragment,
        parts: fragment.parts.map(inPart),
        light: inFragment(fragment.light, by),
        heavy: inFragment(fragment.heavy, by),
      };
    case "over":
      return fragment;
  }
}
