/** SQL of the operators of the typed tree. */
import { join, macro, sql } from "../sql/fragment";
import type { Fragment, Part } from "../sql/fragment";
import type { ComparisonOperator, OperatorNode, Typed } from "../tree/nodes";
import { asDecimal } from "../tree/coercion";
import { duckType, type HiveType, maxPrecision, quoteLiteral, sameType } from "../tree/types";
import { arithmeticSql, negativeSql } from "./arithmetic";
import { castSql } from "./conversions";
import { rangeKeySql } from "./range-frames";
import { likePattern, matchSql } from "../sql/patterns";
import { comparedWithZero, isNonZero } from "../sql/zero";

/** The SQL of the comparison operators. */
const comparisons: Readonly<Record<ComparisonOperator, string>> = {
  "=": "=",
  "<>": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "<=>": "IS NOT DISTINCT FROM",
  "is distinct from": "IS DISTINCT FROM",
};

/** Returns the SQL of an operator. */
export function operatorSql(node: OperatorNode): Part {
  switch (node.kind) {
    case "cast":
      return castSql(node.operands[0], node.to);
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
    case "field":
      return fieldSql(node.operands[0], quoteLiteral(node.name));
    case "element":
      return elementSql(...node.operands);
    case "row":
      return sql`struct_pack(${join(node.operands.map((item, index) => sql`col${index + 1} := ${item}`))})`;
    case "shift":
      return shiftSql(node.operator, ...node.operands, node.to);
    case "duration":
      return sql`(epoch_us(${node.operands[0]}) - epoch_us(${node.operands[1]}))`;
    case "interval":
      return sql`CAST(${node.operands[0]} * ${node.unit} AS ${duckType(node.to)})`;
    case "like":
      return likePattern(...node.operands);
    case "matches":
      return matchSql(...node.operands, node.re2);
    case "is true":
      return sql`coalesce(${node.operands[0]}, FALSE)`;
    case "in":
      return inSql(...node.operands);
    case "grouping": {
      const bits = node.operands.map((key, index) => sql`GROUPING(${key}) * ${node.weights[index] ?? 0}`);
      const all = node.others === 0 ? bits : [...bits, sql`${node.others}`];
      return sql`CAST(${join(all, " + ")} AS BIGINT)`;
    }
    case "readable number": {
      const [text, number] = node.operands;
      return sql`CASE WHEN ${text} IS NOT NULL AND ${number} IS NULL THEN error(${quoteLiteral(node.failure)}) ELSE ${number} END`;
    }
    case "range key":
      return rangeKeySql(node.operands[0], node.takesNull);
    case "coalesce":
      return sql`coalesce(${join(node.operands)})`;
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
function comparisonSql(operator: ComparisonOperator, left: Typed, right: Typed): Fragment {
  const isWide = (left.type.kind === "decimal" || right.type.kind === "decimal") && !sameType(left.type, right.type);
  if (isWide) return wideComparisonSql(operator, left, right);
  const isOrder = ["<", "<=", ">", ">="].includes(operator);
  const operand = isOrder || isNonZero(left) || isNonZero(right) ? (side: Typed) => side : comparedWithZero;
  return sql`(${operand(left)} ${comparisons[operator]} ${operand(right)})`;
}

const inSql = (value: Typed, ...items: readonly Typed[]): Fragment =>
  sql`(${items.every(isNonZero) ? value : comparedWithZero(value)} IN (${join(items)}))`;

/**
 * Compares two decimals of which no type holds both, in the type that has the decimal places of both. A value that is too
 * large for it is farther from zero than every value of the other side, so that its sign decides.
 */
function wideComparisonSql(operator: ComparisonOperator, left: Typed, right: Typed): Fragment {
  const scale = Math.max(asDecimal(left.type)?.scale ?? 0, asDecimal(right.type)?.scale ?? 0);
  const common = `DECIMAL(${maxPrecision},${scale})`;
  const key = (side: Typed) => {
    const value = sql`TRY_CAST(${side} AS ${common})`;
    const far = sql`CASE WHEN ${value} IS NULL THEN sign(${side}) ELSE 0 END`;
    return sql`CASE WHEN ${side} IS NOT NULL THEN struct_pack(far := ${far}, value := coalesce(${value}, 0)) END`;
  };
  return sql`(${key(left)} ${comparisons[operator]} ${key(right)})`;
}

const fieldSql = (base: Typed, name: string): Fragment =>
  base.type.kind === "array"
    ? sql`list_transform(${base}, lambda hive_f: struct_extract(hive_f, ${name}))`
    : sql`struct_extract(${base}, ${name})`;

const elementSql = (base: Typed, index: Typed): Fragment =>
  base.type.kind === "array"
    ? sql`${base}[CASE WHEN ${index} >= 0 THEN CAST(${index} AS BIGINT) + 1 END]`
    : sql`${base}[${index}]`;

function shiftSql(operator: "+" | "-", moment: Typed, span: Typed, to: HiveType): Fragment {
  if (span.type.kind === "int") return sql`(${moment} ${operator} ${span})`;
  if (span.type.kind === "interval_year_month") {
    const months = operator === "-" ? sql`-${span}` : span;
    const isDate = to.kind === "date";
    const result = macro(isDate ? "hive_add_months_date" : "hive_add_months_timestamp", moment, months);
    return sql`CAST(${result} AS ${duckType(to)})`;
  }
  return sql`(CAST(${moment} AS TIMESTAMP) ${operator} to_microseconds(${span}))`;
}
