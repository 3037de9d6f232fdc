/** Conditions: values that are used as a boolean. */
import { type Expression, semantic, unsupported } from "../syntax";
import { cast } from "../tree/cast";
import { inferredIn, readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { isNumber, typeName, types } from "../tree/types";
import { expression, type Scope } from "./scope";

/** Binds a condition, which must be a boolean, a number, a string or NULL. */
export function condition(node: Expression, scope: Scope): Typed {
  const value = expression(node, scope);
  if (value.type.kind === "boolean") return value;
  const asBoolean =
    isNumber(value.type) || value.type.kind === "void" || value.type.kind === "string"
      ? cast(value, types.boolean)
      : undefined;
  if (!asBoolean)
    throw semantic(node.position, scope.clause, `needs a boolean, not ${typeName(value.type)}`).blame(
      inferredIn([value]),
    );
  // Hive 4.0.1 drops all rows or none for such a constant, depending on the plan.
  if (value.type.kind !== "void" && !readsColumns(value))
    throw unsupported(
      node.position,
      scope.clause,
      "has a constant that is no boolean: write a comparison, such as 1 = 1",
    );
  return asBoolean;
}

/** Binds the condition of WHEN in a CASE without an operand, which Hive 4 requires to be a boolean. */
export function caseCondition(node: Expression, scope: Scope): Typed {
  const value = expression(node, scope);
  if (value.type.kind !== "boolean")
    throw semantic(
      node.position,
      "WHEN",
      `needs a boolean, not ${typeName(value.type)}: write a comparison, such as x <> 0 or x IS NOT NULL`,
    );
  return value;
}
