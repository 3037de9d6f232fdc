/** Subqueries in expressions: IN, EXISTS, ANY, ALL and scalar subqueries. */
import type { SubqueryUse } from "../tree/row-facts";
import { columnOf, typed } from "../tree/typed";
import { isColumn } from "../tree/facts";
import { type Expression, type Position, type QueryBody, semantic } from "../syntax";
import { comparisonType } from "../tree/coercion";
import { cast } from "../tree/cast";
import { expression, type OutputColumn, type Scope } from "./scope";
import { sql } from "../tree/fragment";
import type { Fragment, Part, Typed } from "../tree/nodes";
import { decimalForConversion } from "../quirks/decimal-conversion";
import {
  isApproximate,
  isNested,
  isNumber,
  isText,
  quoteIdentifier,
  typeName,
  types,
  type HiveType,
} from "../tree/types";
import { hasAggregate } from "../functions/kinds-of-calls";
import { joinKey } from "../quirks/signed-zero";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

export function existsQuery(node: Node<"exists">, scope: Scope): Typed {
  const query = translateSubquery(node.query, scope, scope.clause === "NOT" ? "not exists" : "exists");
  return queryValue(sql`(EXISTS (${query.sql}))`, types.boolean);
}

export function scalarQuery(node: Node<"scalar query">, scope: Scope): Typed {
  const query = translateSubquery(node.query, scope, "value");
  const column = onlyColumn(query.columns, node.position, "subquery");
  const one = returnsOneRow(node.query)
    ? query.sql
    : sql`SELECT CASE WHEN count(*) > 1 THEN error('HiveQL: the subquery at ${String(node.position.line)}:${String(node.position.column)} returns more than one row: aggregate its column, or add LIMIT 1') ELSE any_value(q.${quoteIdentifier(column.alias)}) END FROM (${query.sql}) q`;
  return queryValue(sql`(${one})`, column.type);
}

/** Returns true for a subquery that cannot return several rows: an aggregate of all rows. */
const returnsOneRow = ({ first, rest }: QueryBody) =>
  rest.length === 0 &&
  first.kind === "select" &&
  !first.groupBy &&
  first.items.some((item) => item.kind === "expression" && hasAggregate(item.expression));

export function inQuery(node: Node<"in query">, scope: Scope): Typed {
  const operand = expression(node.operand, scope);
  const query = translateSubquery(node.query, scope, node.not || scope.clause === "NOT" ? "not in" : "in");
  const { value, list } = comparisonOperands(operand, query, node.position, "IN", node.not);
  return queryValue(sql`(${value} ${node.not ? "NOT IN" : "IN"} (${list}))`, types.boolean);
}

export function quantifiedQuery(node: Node<"quantified">, scope: Scope): Typed {
  if (node.operator === (node.quantifier === "all" ? "=" : "<>"))
    throw semantic(
      node.position,
      `${node.operator} ${node.quantifier.toUpperCase()}`,
      "is not a comparison that Hive supports",
    );
  const operand = expression(node.operand, scope);
  const query = translateSubquery(node.query, scope, "value");
  const { value, list } = comparisonOperands(operand, query, node.position, node.operator);
  const test = sql`${value} ${node.operator} ${node.quantifier.toUpperCase()} (${list})`;
  return queryValue(sql`(${node.not ? "NOT " : ""}(${test}))`, types.boolean);
}

interface TranslatedSubquery {
  readonly sql: Part;
  readonly columns: readonly OutputColumn[];
}

function translateSubquery(body: QueryBody, scope: Scope, subqueryUse: SubqueryUse): TranslatedSubquery {
  const { context, cteScope } = scope;
  return context.binder.body(body, { context, cteScope, parent: { ...scope, subqueryUse } });
}

function onlyColumn(columns: readonly OutputColumn[], position: Position, construct: string): OutputColumn {
  const [column, second] = columns;
  if (!column || second) throw semantic(position, construct, `returns ${columns.length} columns instead of one`);
  return column;
}

/** Returns the operand and the subquery with its column, both converted to the type in which Hive compares. */
function comparisonOperands(
  operand: Typed,
  query: TranslatedSubquery,
  position: Position,
  construct: string,
  isNegated = false,
) {
  const column = onlyColumn(query.columns, position, construct);
  const type = comparisonType(operand.type, column.type);
  const found = columnOf("q", column.alias, column.type);
  const converted = (each: Typed) => {
    const isKey = [operand, column].every((side) => isApproximate(side.type) || isNested(side.type));
    const result = type && cast(isKey ? joinKey(each) : decimalForConversion(each, type), type);
    return result && isNegated && isText(each.type) && isNumber(type) ? numberOrFail(each, result) : result;
  };
  const value = converted(operand);
  const item = converted(found);
  if (!value || !item)
    throw semantic(
      position,
      construct,
      `cannot compare ${typeName(operand.type)} with ${typeName(column.type)}: cast one of them`,
    );
  const list = isColumn(item) ? query.sql : sql`SELECT ${item} FROM (${query.sql}) q`;
  return { value, list };
}

/**
 * Converts a text to a number for NOT IN, and fails the query for a text that is not a number: Hive's result varies.
 */
const numberOrFail = (value: Typed, number: Typed): Typed =>
  typed(
    sql`CASE WHEN ${value} IS NOT NULL AND ${number} IS NULL THEN error('HiveQL: NOT IN compares a text that is not a number with numbers: cast both sides to one type') ELSE ${number} END`,
    number.type,
  );

const queryValue = (of: Fragment, type: HiveType): Typed => ({ node: { kind: "query", sql: of }, type });
