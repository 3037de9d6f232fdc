/** The conditions of WHERE and HAVING: refused is what Hive's optimizer mistakes in them. */
import type { Expression } from "../syntax";
import { checkLinks } from "../quirks/correlation";
import type { Environment } from "../bind/scope";
import { condition, filterCondition } from "../bind/expression";
import { refuseDroppedFilters } from "./lateral-view-pushdown";
import type { SqlExpression } from "../emit/fragment";
import { refuseMisjoined } from "../quirks/misjoined-subqueries";

export function whereCondition(node: Expression, environment: Environment): SqlExpression {
  const test = filterCondition(node, environment);
  refuseDroppedFilters(node, environment);
  refuseMisjoined(node, environment);
  if (environment.parent?.use) checkLinks(node, environment, environment.parent.use);
  return test;
}

export function havingCondition(node: Expression, environment: Environment): SqlExpression {
  const test = condition(node, environment);
  refuseDroppedFilters(node, environment);
  refuseMisjoined(node, environment);
  return test;
}
