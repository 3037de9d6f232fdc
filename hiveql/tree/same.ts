/** Equality of values by their trees. */
import { createHash } from "node:crypto";
import { childrenOf } from "./children";
import { isTyped } from "./fragment";
import type { Fragment, Node, Part } from "./nodes";

const keys = new WeakMap<object, string>();

/** Returns a text that two values share exactly when they are computed in the same way. */
export function keyOf(part: Part): string {
  const object: object = isTyped(part) ? part.node : part;
  let key = keys.get(object);
  if (key === undefined) {
    key = shortened(isTyped(part) ? describeNode(part) : describeFragment(part));
    keys.set(object, key);
  }
  return key;
}

/** Returns true when two values are computed in the same way. */
export const same = (left: Part, right: Part): boolean => keyOf(left) === keyOf(right);

function describeNode(value: Extract<Part, { node: Node }>): string {
  const { node } = value;
  switch (node.kind) {
    case "column":
      return `${node.relation}.${node.name}`;
    case "literal":
      return node.sql;
    default:
      if ("sql" in node) return keyOf(node.sql);
      return `${JSON.stringify(node, withoutChildren(value))}(${childrenOf(value).map(keyOf).join(", ")})`;
  }
}

function describeFragment(fragment: Fragment): string {
  switch (fragment.kind) {
    case "template":
      return fragment.texts.map((text, index) => text + keyOfHole(fragment.parts[index])).join("");
    case "weighed":
      return keyOf(fragment.light);
    case "macro":
      return `${fragment.name}(${fragment.parts.map(keyOfHole).join(", ")})`;
    case "over":
      return `${JSON.stringify(fragment, withoutChildren(fragment))}(${childrenOf(fragment).map(keyOf).join(", ")})`;
  }
}

/** Returns what replaces the children of a part in its JSON, whose keys stand beside it. */
function withoutChildren(part: Part) {
  const children = new Set<unknown>(childrenOf(part));
  return (_name: string, value: unknown) => (children.has(value) ? 0 : value);
}

const keyOfHole = (part: Part | string | undefined) => (typeof part === "object" ? keyOf(part) : (part ?? ""));

/** Replaces a long key by its digest, so that keys of deep trees stay short. */
const shortened = (key: string) =>
  key.length <= 200 ? key : `#${createHash("sha256").update(key).digest("base64url")}#`;
