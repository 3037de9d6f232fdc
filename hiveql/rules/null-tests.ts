/**
 * Whether a value is NULL, as Hive asks it: its optimizer takes arithmetic and comparisons for NULL where an operand is,
 * and so finds no NULL of a division by zero, or of a decimal that does not fit.
 */
import { type Position, unsupported } from "../syntax";
import { type Fragment, join, sql, type SqlExpression } from "../emit/fragment";

/**
 * `value IS NULL` as Hive computes it.
 * @throws HiveQLError where it depends on how Hive's optimizer merges queries and branches.
 */
export function isNull(value: SqlExpression, position: Position): Fragment {
  if (!value.vanishes) return sql`(${value} IS NULL)`;
  if (!value.operands)
    throw unsupported(
      position,
      "IS NULL",
      "of a division or of a decimal that may not fit, within CASE or a subquery, is TRUE or FALSE by how Hive merges them: ask of its operands, as in divisor = 0, or use nvl",
    );
  return sql`(${join(
    value.operands.map((operand) => isNull(operand, position)),
    " OR ",
  )})`;
}

/** Arithmetic or a comparison with what Hive asks in its place. */
export function strict(value: SqlExpression, operands: readonly SqlExpression[], vanishes: boolean): SqlExpression {
  return vanishes || operands.some((operand) => operand.vanishes) ? { ...value, operands, vanishes: true } : value;
}
