/** SQL of the operators of the typed tree. */
import { join, sql } from "../tree/fragment";
import type { Fragment, OperatorNode, Part, Typed } from "../tree/nodes";
import { asDecimal } from "../tree/coercion";
import { maxPrecision, sameType } from "../tree/types";
import { arithmeticSql, negativeSql } from "./arithmetic";
import { conversion } from "./conversions";

/** Returns the SQL of an operator. */
export function operatorSql(node: OperatorNode): Part {
  switch (node.kind) {
    case "cast":
      return conversion(node.operands[0], node.to);
    case "comparison":
      return comparisonSql(node.operator, ...node.operands);
    case "and":
      return sql`(${join(node.operands, " AND ")})`;
    case "or":
      return sql`(${join(node.operands, " OR ")})`;
    case "not":
      return sql`(NOT ${node.operands[0]})`;
    case "is null":
      return sql`(${node.operands[0]} IS NULL)`;
    case "is":
      return sql`(${node.operands[0]} IS ${node.not ? "" : "NOT "}DISTINCT FROM ${node.value ? "TRUE" : "FALSE"})`;
    case "arithmetic":
      return arithmeticSql(node.operator, ...node.operands, node.to);
    case "negative":
      return negativeSql(node.operands[0], node.to);
    case "complement":
      return sql`(~${node.operands[0]})`;
    case "concatenation":
      return sql`(${join(node.operands, " || ")})`;
    case "in":
      return sql`(${node.operands[0]} IN (${join(node.operands.slice(1))}))`;
    case "case":
      return caseSql(node.operands);
  }
}

/** Returns the SQL of a CASE: its conditions and results in turn, and a last operand for ELSE. */
function caseSql(operands: readonly Typed[]): Fragment {
  const branches = Array.from(
    { length: Math.floor(operands.length / 2) },
    (_unused, index) => sql` WHEN ${operands[index * 2] as Typed} THEN ${operands[index * 2 + 1] as Typed}`,
  );
  const otherwise = operands.length % 2 === 1 ? sql` ELSE ${operands.at(-1) as Typed}` : sql``;
  return sql`CASE${join(branches, "")}${otherwise} END`;
}

/** Compares two values of one type, or decimals of which no type holds both. */
function comparisonSql(operator: string, left: Typed, right: Typed): Fragment {
  const isWide = (left.type.kind === "decimal" || right.type.kind === "decimal") && !sameType(left.type, right.type);
  return isWide ? decimalPartsSql(operator, left, right) : sql`(${left} ${operator} ${right})`;
}

/** Compares two decimals by their whole parts, and then by their fractions. */
function decimalPartsSql(operator: string, left: Typed, right: Typed): Fragment {
  const scale = Math.max(asDecimal(left.type)?.scale ?? 0, asDecimal(right.type)?.scale ?? 0);
  const parts = (value: Typed) => {
    const digits = asDecimal(value.type) ?? { precision: maxPrecision, scale: 0 };
    const own = `DECIMAL(${digits.precision},${digits.scale})`;
    const whole = sql`trunc(CAST(${value} AS ${own}))`;
    const fraction = sql`CAST(${value} AS ${own}) - CAST(${whole} AS ${own})`;
    return sql`(CAST(${whole} AS DECIMAL(${maxPrecision},0)), CAST(${fraction} AS DECIMAL(${maxPrecision},${scale})))`;
  };
  const compared = sql`${parts(left)} ${operator} ${parts(right)}`;
  if (operator.endsWith("DISTINCT FROM")) return sql`(${compared})`;
  return sql`CASE WHEN ${left} IS NOT NULL AND ${right} IS NOT NULL THEN ${compared} END`;
}
