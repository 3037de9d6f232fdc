/** Subqueries inside expressions: IN, EXISTS, ANY, ALL, and those that are one value. */
import { type Expression, type Position, type QueryBody, semantic } from "../syntax";
import { comparisonType } from "./coercion";
import { cast } from "../emit/conversions";
import type { Use } from "../quirks/correlation";
import type { Environment, OutputColumn } from "./scope";
import { expression } from "./expression";
import { raw, sql, typed, type SqlExpression } from "../emit/fragment";
import { translateBody } from "../emit/query";
import { asShortDecimal } from "../quirks/short-decimals";
import { isApproximate, isNested, isNumber, isText, quoteName, typeName, types } from "./types";
import { joinKey } from "../quirks/zeros";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

export function existsQuery(node: Node<"exists">, environment: Environment): SqlExpression {
  const query = inner(node.query, environment, environment.place === "NOT" ? "not exists" : "exists");
  return typed(sql`(EXISTS (${query}))`, types.boolean);
}

export function scalarQuery(node: Node<"scalar query">, environment: Environment): SqlExpression {
  const query = inner(node.query, environment, "value");
  const column = onlyColumn(query.columns, node.position, "subquery");
  return typed(sql`(${query})`, column.type);
}

export function inQuery(node: Node<"in query">, environment: Environment): SqlExpression {
  const operand = expression(node.operand, environment);
  const query = inner(node.query, environment, node.not || environment.place === "NOT" ? "not in" : "in");
  const { value, list } = comparable(operand, query, node.position, "IN", node.not);
  return typed(sql`(${value} ${node.not ? "NOT IN" : "IN"} (${list}))`, types.boolean);
}

export function quantifiedQuery(node: Node<"quantified">, environment: Environment): SqlExpression {
  if (node.operator === (node.quantifier === "all" ? "=" : "<>"))
    throw semantic(node.position, `${node.operator} ${node.quantifier.toUpperCase()}`, "is none of Hive's comparisons");
  const operand = expression(node.operand, environment);
  const query = inner(node.query, environment, "value");
  const { value, list } = comparable(operand, query, node.position, node.operator);
  const test = sql`${value} ${node.operator} ${node.quantifier.toUpperCase()} (${list})`;
  return typed(sql`(${node.not ? "NOT " : ""}(${test}))`, types.boolean);
}

interface InnerQuery {
  readonly sql: string;
  readonly weight: number;
  readonly columns: readonly OutputColumn[];
}

function inner(body: QueryBody, environment: Environment, use: Use): InnerQuery {
  environment.shared.job.isRun = true;
  const { sql: text, columns } = translateBody(body, environment.shared, environment.common, { ...environment, use });
  return { sql: text, weight: text.length / 8, columns };
}

function onlyColumn(columns: readonly OutputColumn[], position: Position, construct: string): OutputColumn {
  const [column, second] = columns;
  if (!column || second) throw semantic(position, construct, `yields ${columns.length} columns where one is needed`);
  return column;
}

/** The operand and the subquery's column, both in the type that Hive compares in. */
function comparable(operand: SqlExpression, query: InnerQuery, position: Position, construct: string, isNegated = false) {
  const column = onlyColumn(query.columns, position, construct);
  const type = comparisonType(operand.type, column.type);
  const found = typed(raw(`q.${quoteName(column.alias)}`), column.type);
  const converted = (each: SqlExpression) => {
    const isKey = [operand, column].every((side) => isApproximate(side.type) || isNested(side.type));
    const result = type && cast(isKey ? joinKey(each) : asShortDecimal(each, type), type);
    return result && isNegated && isText(each.type) && isNumber(type) ? numeral(each, result) : result;
  };
  const value = converted(operand);
  const item = converted(found);
  if (!value || !item)
    throw semantic(position, construct, `cannot compare ${typeName(operand.type)} with ${typeName(column.type)}`);
  const list = item.sql.startsWith("q.") ? sql`${query}` : sql`SELECT ${item} FROM (${query}) q`;
  return { value, list };
}

/** A text as a number for NOT IN, where Hive has rows of its own for texts that are none. */
const numeral = (value: SqlExpression, number: SqlExpression): SqlExpression =>
  typed(
    sql`CASE WHEN ${value} IS NOT NULL AND ${number} IS NULL THEN error('HiveQL: NOT IN of a text that is no number') ELSE ${number} END`,
    number.type,
  );
