/** Conditions that other SQL engines decide as Hive does: comparisons of a column with constants of its own type. */
import type { BinaryOperator, Expression } from "../syntax";

/** Returns the Hive type of a column; undefined when the expression is none. */
type ColumnType = (node: Expression) => string | undefined;

const comparisons: ReadonlySet<BinaryOperator> = new Set(["=", "<>", "<=>", "<", "<=", ">", ">="]);

/**
 * Returns true for a condition of such comparisons, combined with AND, OR and NOT. No function, cast or conversion of a
 * constant is part of it: engines differ there, as with `'1.5' = 1`.
 */
export function isPlain(node: Expression, typeOf: ColumnType): boolean {
  switch (node.kind) {
    case "logical":
      return node.operands.every((operand) => isPlain(operand, typeOf));
    case "unary":
      return node.operator === "not" && isPlain(node.operand, typeOf);
    case "is":
      return node.what === "null" && typeOf(node.operand) !== undefined;
    case "binary": {
      const { operator, left, right } = node;
      return comparisons.has(operator) && (compares(left, [right], typeOf) || compares(right, [left], typeOf));
    }
    case "between":
      return compares(node.operand, [node.low, node.high], typeOf);
    case "in":
      return compares(node.operand, node.items, typeOf);
    default:
      return false;
  }
}

function compares(column: Expression, constants: readonly Expression[], typeOf: ColumnType): boolean {
  const type = typeOf(column);
  return type !== undefined && constants.every((constant) => isConstantOf(type, constant));
}

function isConstantOf(type: string, node: Expression): boolean {
  switch (type) {
    case "string":
      // Engines read some escapes differently.
      return node.kind === "string" && !/[\\\p{Cc}]/u.test(node.value);
    case "date":
      return (node.kind === "string" || node.kind === "date") && isDay(node.value);
    case "tinyint":
    case "smallint":
    case "int":
    case "bigint":
      return node.kind === "unary" && node.operator === "-" ? isInteger(node.operand) : isInteger(node);
    default:
      return false;
  }
}

const isInteger = (node: Expression) => node.kind === "number" && /^\d{1,18}$/.test(node.text);

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
