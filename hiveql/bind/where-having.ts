/**
 * Conditions of WHERE and HAVING. Hive 4.0.1 answers some of them wrongly, for example `WHERE v.x > p.id` after
 * `p LATERAL VIEW explode(…) v AS x`, which it drops. The translation refuses such conditions.
 */
import type { Expression } from "../syntax";
import { checkCorrelatedCondition } from "../quirks/correlated-conditions";
import type { Scope } from "./scope";
import { condition } from "./condition";
import type { Typed } from "../tree/nodes";
import { refuseSubqueryOrder } from "../quirks/subquery-order";

/** Translates the condition of WHERE. */
export function whereCondition(node: Expression, scope: Scope): Typed {
  const test = condition(node, scope);
  refuseSubqueryOrder(node, scope);
  if (scope.parent?.subqueryUse) checkCorrelatedCondition(node, scope, scope.parent.subqueryUse);
  return test;
}

/** Translates the condition of HAVING. */
export function havingCondition(node: Expression, scope: Scope): Typed {
  const test = condition(node, scope);
  refuseSubqueryOrder(node, scope);
  return test;
}
