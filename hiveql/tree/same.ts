/** Equality of values by their trees. */
import { createHash } from "node:crypto";
import { childrenOf } from "./children";
import type { Node, Typed } from "./nodes";

const keys = new WeakMap<Node, string>();

/** Returns a text that two values share exactly when they are computed in the same way. */
export function keyOf(value: Typed): string {
  let key = keys.get(value.node);
  if (key === undefined) {
    key = shortened(describe(value));
    keys.set(value.node, key);
  }
  return key;
}

/** Returns true when two values are computed in the same way. */
export const same = (left: Typed, right: Typed): boolean => keyOf(left) === keyOf(right);

function describe(value: Typed): string {
  const { node } = value;
  if (node.kind === "column") return `${node.relation}.${node.name}`;
  const children = childrenOf(value);
  const withoutChildren = (name: string, part: unknown) => {
    if (name === "function") return (part as { readonly names: readonly string[] }).names[0];
    return name === "site" || children.includes(part as Typed) ? 0 : part;
  };
  return `${JSON.stringify(node, withoutChildren)}(${children.map(keyOf).join(", ")})`;
}

/** Replaces a long key by its digest, so that keys of deep trees stay short. */
const shortened = (key: string) =>
  key.length <= 200 ? key : `#${createHash("sha256").update(key).digest("base64url")}#`;
