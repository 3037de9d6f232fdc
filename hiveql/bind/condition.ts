/** Conditions: values that are used as a boolean. */
import { castBy } from "../quirks/decimal-conversion";
import { type Expression, semantic } from "../syntax";
import type { Typed } from "../tree/nodes";
import { isNumber, typeName, types } from "../tree/types";
import { expression, type Scope } from "./scope";

/** Translates a condition, which must be a boolean, a number, a string or NULL. */
export function condition(node: Expression, scope: Scope): Typed {
  const value = expression(node, scope);
  if (value.type.kind === "boolean") return value;
  const asBoolean =
    isNumber(value.type) || value.type.kind === "void" || value.type.kind === "string"
      ? castBy("operator", value, types.boolean)
      : undefined;
  if (!asBoolean) throw semantic(node.position, scope.clause, `needs a boolean, not ${typeName(value.type)}`);
  return asBoolean;
}
