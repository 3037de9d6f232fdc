/** IS NULL and COALESCE of arithmetic. */
import { type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import type { Pass } from "../tree/rewrite";
import { nullTest, operation } from "../tree/typed";
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
 * Tests the operands of arithmetic for NULL.
 * @throws HiveQLError when Hive's answer depends on how its optimizer merges queries and branches.
 */
export const nullTests: Pass = {
  before: (value) =>
    value.node.kind === "is null" ? { ...value, node: isNull(value.node.operands[0], value.position).node } : value,
};

function isNull(value: Typed, position: Position | undefined): Typed {
  if (!value.introducesNull) return nullTest(value);
  if (!value.nullTestOperands)
    throw unsupported(
      position ?? { line: 1, column: 1 },
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
