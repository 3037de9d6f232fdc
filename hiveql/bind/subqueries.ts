/** Subqueries in expressions: IN, EXISTS, ANY, ALL and scalar subqueries. */
import { columnOf, operation } from "../tree/typed";
import { isColumn } from "../tree/facts";
import { type Expression, type InferredColumn, type Position, type QueryBody, semantic } from "../syntax";
import { comparisonType, holdsDecimals } from "../tree/coercion";
import { cast } from "../tree/cast";
import type { BoundQuery, OutputColumn } from "./relations";
import { expression, type Scope } from "./scope";
import type { Subquery, Typed } from "../tree/nodes";
import { isApproximate, isNumber, isText, typeName, types, type HiveType } from "../tree/types";
import { hasAggregate } from "../functions/kinds-of-calls";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** Binds EXISTS. */
export function existsQuery(node: Node<"exists">, scope: Scope): Typed {
  const query = bindSubquery(node.query, scope);
  return queryValue({ kind: "exists", query: query.query }, types.boolean);
}

/** Binds a subquery that is a value. */
export function scalarQuery(node: Node<"scalar query">, scope: Scope): Typed {
  const query = bindSubquery(node.query, scope);
  const column = onlyColumn(query.columns, node.position, "subquery", "select the one that is the value");
  const { line, column: character } = node.position;
  const failureOfRows = `HiveQL: the subquery at ${line}:${character} returns more than one row: aggregate its column, or add LIMIT 1`;
  const guard = returnsOneRow(node.query) ? {} : { failureOfRows };
  return queryValue(
    { kind: "scalar", query: query.query, column: column.alias, ...guard },
    column.type,
    column.inferred,
  );
}

/** Returns true for a subquery that cannot return several rows: an aggregate of all rows. */
const returnsOneRow = ({ first, rest }: QueryBody) =>
  rest.length === 0 &&
  first.kind === "select" &&
  !first.groupBy &&
  first.items.some((item) => item.kind === "expression" && hasAggregate(item.expression));

/** Binds IN with a subquery. */
export function inQuery(node: Node<"in query">, scope: Scope): Typed {
  const operand = expression(node.operand, scope);
  const query = bindSubquery(node.query, scope);
  const sides = comparisonOperands(operand, query, node.position, "IN", node.not);
  return queryValue({ kind: "in", query: query.query, ...sides, operator: "=", not: node.not }, types.boolean);
}

/** Binds a comparison with ANY or ALL of a subquery. */
export function quantifiedQuery(node: Node<"quantified">, scope: Scope): Typed {
  if (node.operator === (node.quantifier === "all" ? "=" : "<>"))
    throw semantic(
      node.position,
      `${node.operator} ${node.quantifier.toUpperCase()}`,
      "is not a comparison that Hive supports",
    );
  const operand = expression(node.operand, scope);
  const query = bindSubquery(node.query, scope);
  const sides = comparisonOperands(operand, query, node.position, node.operator);
  const { quantifier, operator, not } = node;
  return queryValue({ kind: quantifier, query: query.query, ...sides, operator, not }, types.boolean);
}

function bindSubquery(body: QueryBody, scope: Scope): BoundQuery {
  const { context, cteScope } = scope;
  return context.binder.body(body, { context, cteScope, parent: scope, isSubquery: true });
}

function onlyColumn(
  columns: readonly OutputColumn[],
  position: Position,
  construct: string,
  remedy: string,
): OutputColumn {
  const [column, second] = columns;
  if (column && !second) return column;
  // No type is to blame.
  throw semantic(position, construct, `returns ${columns.length} columns instead of one: ${remedy}`).blame([]);
}

/** Returns the operand and the subquery with its column, both converted to the type in which Hive compares. */
function comparisonOperands(
  operand: Typed,
  query: BoundQuery,
  position: Position,
  construct: string,
  isNegated = false,
) {
  const column = onlyColumn(query.columns, position, construct, "compare several in EXISTS or in a join");
  const type = comparisonType(operand.type, column.type);
  const found = columnOf("q", column.alias, column.type);
  const converted = (each: Typed) => {
    const result = type && cast(each, type);
    return result && isNegated && isText(each.type) && isNumber(type) ? readableNumber(each, result) : result;
  };
  const value = converted(operand);
  const item = converted(found);
  if (!value || !item)
    throw semantic(
      position,
      construct,
      `cannot compare ${typeName(operand.type)} with ${typeName(column.type)}: cast one of them`,
    );
  if (type?.kind === "decimal" && !holdsDecimals(type, operand.type, column.type))
    throw semantic(
      position,
      construct,
      `compares ${typeName(operand.type)} with ${typeName(column.type)}, and no decimal holds both: cast one of them`,
    );
  return { operand: value, ...(isColumn(item) && !isApproximate(item.type) ? {} : { item }) };
}

/** Hive's result of NOT IN varies for a text that is not a number. */
const readableNumber = (text: Typed, number: Typed): Typed =>
  operation(
    {
      kind: "readable number",
      operands: [text, number],
      failure: "HiveQL: NOT IN compares a text that is not a number with numbers: cast both sides to one type",
    },
    number.type,
  );

const queryValue = (subquery: Subquery, type: HiveType, inferred?: readonly InferredColumn[]): Typed => ({
  node: { kind: "query", subquery, ...(inferred && { inferred }) },
  type,
});
