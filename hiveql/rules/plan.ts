/**
 * Whether Hive plans a statement with its optimizer. Some constructs it plans without, together with all that stands in
 * the statement beside them, and what the optimizer makes of expressions it then does not make.
 */
import type { SqlExpression } from "../emit/fragment";

export interface Plan {
  /** Whether the statement is translated as one that Hive's optimizer plans. */
  readonly isOptimized: boolean;
  /** Whether something was met that Hive plans without its optimizer. */
  isBeyond: boolean;
}

/** A value as the optimizer has not seen it. */
export function asWritten(value: SqlExpression, { isOptimized }: Plan): SqlExpression {
  if (isOptimized) return value;
  const {
    comparison: _range,
    vanishes: _null,
    operands: _asked,
    textOf: _cast,
    zeroTest: _list,
    points: _lookup,
    ...rest
  } = value;
  return rest;
}

/**
 * Translates for Hive's optimizer, and once more without where something is beyond it.
 * @param isOptimized whether the optimizer is on.
 */
export function planned<Result>(isOptimized: boolean, translateFor: (plan: Plan) => Result): Result {
  const plan: Plan = { isOptimized, isBeyond: false };
  const result = translateFor(plan);
  return isOptimized && plan.isBeyond ? translateFor({ isOptimized: false, isBeyond: true }) : result;
}
