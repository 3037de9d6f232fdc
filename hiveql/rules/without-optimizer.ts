/** Facts that only Hive's optimizer uses. */
import type { Typed } from "../tree/nodes";
import type { Plan } from "./plan";

/** Removes the properties of a value that only the optimizer uses, if the statement is planned without it. */
export function withoutOptimizer(value: Typed, { isOptimized }: Plan): Typed {
  if (isOptimized) return value;
  const {
    comparison: _range,
    introducesNull: _null,
    nullTestOperands: _asked,
    textSourceType: _cast,
    literalEqualities: _lookup,
    ...rest
  } = value;
  return rest;
}
