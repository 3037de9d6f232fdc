/** IS NULL and COALESCE of arithmetic. */
import { type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { types } from "../tree/types";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "null-tests",
  hive: "4.0.1",
  title: "IS NULL and COALESCE of arithmetic",
  why: "The optimizer of Hive 4.0.1 replaces `IS NULL` of arithmetic and comparisons by `IS NULL` of the operands. It therefore misses the NULL of a division by zero and of a decimal that does not fit.",
  example: "`x / 0 IS NULL` answers false, and `coalesce(x / 0, -1)` answers NULL.",
  rewrites:
    "The translation tests the operands too, and refuses tests whose answer depends on how Hive merges queries.",
};

/**
 * Returns `value IS NULL` as Hive computes it.
 * @throws HiveQLError when it depends on how Hive's optimizer merges queries and branches.
 */
export function isNull(value: Typed, position: Position): Typed {
  if (!value.introducesNull) return operation({ kind: "is null", operands: [value] }, types.boolean);
  if (!value.nullTestOperands)
    throw unsupported(
      position,
      "IS NULL",
      "tests a division, or a decimal that may not fit, inside CASE or a subquery, and its answer depends on how Hive merges them: test the operands instead, as in divisor = 0, or use nvl",
    );
  const operands = value.nullTestOperands.map((operand) => isNull(operand, position));
  return operation({ kind: "or", operands }, types.boolean);
}

/** Adds the operands that Hive tests for NULL in place of an arithmetic expression or comparison. */
export function withTestedOperands(value: Typed, operands: readonly Typed[], introducesNull: boolean): Typed {
  return introducesNull || operands.some((operand) => operand.introducesNull)
    ? { ...value, nullTestOperands: operands, introducesNull: true }
    : value;
}
