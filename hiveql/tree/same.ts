/** Equality of values by their trees. */
import { createHash } from "node:crypto";
import { isTyped } from "./fragment";
import type { OperatorNode, Part } from "./nodes";

const keys = new WeakMap<object, string>();

/** Returns a text that two values share exactly when they are computed in the same way. */
export function keyOf(part: Part): string {
  const object: object = isTyped(part) ? part.node : part;
  let key = keys.get(object);
  if (key === undefined) {
    key = shortened(describe(part));
    keys.set(object, key);
  }
  return key;
}

/** Returns true when two values are computed in the same way. */
export const same = (left: Part, right: Part): boolean => keyOf(left) === keyOf(right);

function describe(part: Part): string {
  if (isTyped(part)) {
    const { node } = part;
    switch (node.kind) {
      case "column":
        return `${node.relation}.${node.name}`;
      case "literal":
        return node.sql;
      default:
        return "operands" in node ? describeOperator(node) : keyOf(node.sql);
    }
  }
  if (part.kind === "template") return part.texts.map((text, index) => text + keyOfHole(part.parts[index])).join("");
  if (part.kind === "weighed") return keyOf(part.light);
  return `${part.name}(${part.parts.map(keyOfHole).join(", ")})`;
}

function describeOperator({ operands, ...node }: OperatorNode): string {
  return `${JSON.stringify(node)}(${operands.map(keyOf).join(", ")})`;
}

const keyOfHole = (part: Part | string | undefined) => (typeof part === "object" ? keyOf(part) : (part ?? ""));

/** Replaces a long key by its digest, so that keys of deep trees stay short. */
const shortened = (key: string) =>
  key.length <= 200 ? key : `#${createHash("sha256").update(key).digest("base64url")}#`;
