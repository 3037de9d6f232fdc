/** The children of the nodes of the typed tree: what facts of a tree are made of. */
import { isTyped } from "./fragment";
import type { Fragment, Node, Part, Window, WindowCheck } from "./nodes";

/** Returns the values and fragments that a part holds. */
export const childrenOf = (part: Part): readonly Part[] =>
  isTyped(part) ? childrenOfNode(part.node) : childrenOfFragment(part);

function childrenOfNode(node: Node): readonly Part[] {
  switch (node.kind) {
    case "column":
    case "literal":
      return [];
    case "checked window":
      return [node.value, ...childrenOfCheck(node.check)];
    case "null frame":
      return [node.key, node.ofNulls, node.value];
    default:
      return "operands" in node ? node.operands : [node.sql];
  }
}

function childrenOfFragment(fragment: Fragment): readonly Part[] {
  if (fragment.kind === "over") return childrenOfWindow(fragment.window);
  return (fragment.parts as readonly (Part | string)[]).filter((part) => typeof part === "object");
}

const childrenOfWindow = ({ partitionBy, orderBy }: Window): readonly Part[] => [
  ...partitionBy,
  ...orderBy.map(({ value }) => value),
];

function childrenOfCheck(check: WindowCheck): readonly Part[] {
  const inWindow = childrenOfWindow(check.window);
  if (check.kind === "null keys") return [check.key, ...inWindow];
  return [check.counted, ...(check.key ? [check.key] : []), ...inWindow, ...childrenOfWindow(check.before)];
}
