/** The conditions of WHERE and HAVING: refused is what Hive's optimizer mistakes in them. */
import type { Expression } from "../../../../provider/hiveql";
import { checkLinks } from "./correlation";
import type { Environment } from "./environment";
import { condition, filterCondition } from "./expression";
import { refuseForgotten } from "./forgottenFilters";
import type { Typed } from "./fragment";
import { refuseMisjoined } from "./misjoined";

export function whereCondition(node: Expression, environment: Environment): Typed {
  const test = filterCondition(node, environment);
  refuseForgotten(node, environment);
  refuseMisjoined(node, environment);
  if (environment.parent?.use) checkLinks(node, environment, environment.parent.use);
  return test;
}

export function havingCondition(node: Expression, environment: Environment): Typed {
  const test = condition(node, environment);
  refuseForgotten(node, environment);
  refuseMisjoined(node, environment);
  return test;
}
