/**
 * Use of Hive's optimizer. Hive 4.0.1 plans a whole statement without its optimizer when the statement contains certain
 * constructs, such as DISTRIBUTE BY or an alias in HAVING. The optimizer's rewrites of expressions then do not apply.
 * Example: `SELECT id FROM t WHERE k NOT BETWEEN 5 AND n` drops a row with `k` 1 and `n` NULL, and with DISTRIBUTE BY
 * keeps it.
 * The translation assumes the optimizer first and translates again without it when it meets such a construct.
 */
import type { Typed } from "../tree/nodes";

/** The plan of a statement: with or without Hive's optimizer. */
export interface Plan {
  /** True when the statement is translated as one that Hive's optimizer plans. */
  readonly isOptimized: boolean;
  /** True once the translation met a construct that Hive plans without its optimizer. */
  needsUnoptimizedPlan: boolean;
}

/** Removes the properties of a value that only the optimizer uses, if the statement is planned without it. */
export function withoutOptimizer(value: Typed, { isOptimized }: Plan): Typed {
  if (isOptimized) return value;
  const {
    comparison: _range,
    introducesNull: _null,
    nullTestOperands: _asked,
    textSourceType: _cast,
    zeroTest: _list,
    literalEqualities: _lookup,
    ...rest
  } = value;
  return rest;
}

/**
 * Translates a statement for Hive's optimizer, and again without it if a construct requires that.
 * @param isOptimized true when the optimizer is enabled.
 */
export function translateWithPlan<Result>(isOptimized: boolean, translateFor: (plan: Plan) => Result): Result {
  const plan: Plan = { isOptimized, needsUnoptimizedPlan: false };
  const result = translateFor(plan);
  return isOptimized && plan.needsUnoptimizedPlan
    ? translateFor({ isOptimized: false, needsUnoptimizedPlan: true })
    : result;
}
