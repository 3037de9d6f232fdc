/** The children of an expression in the syntax tree. */
import type { Expression, QueryBody } from "./ast";

/** Returns the direct children of an expression, including those in its OVER clause. */
export function subexpressions(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "call": {
      const window = node.window
        ? [...node.window.partitionBy, ...node.window.orderBy.map((item) => item.expression)]
        : [];
      return [...node.arguments, ...window];
    }
    case "field":
      return [node.base];
    case "index":
      return [node.base, node.index];
    case "cast":
    case "unary":
    case "is":
    case "in query":
    case "quantified":
      return [node.operand];
    case "case":
      return [
        ...(node.operand ? [node.operand] : []),
        ...node.branches.flatMap((branch) => [branch.when, branch.then]),
        ...(node.otherwise ? [node.otherwise] : []),
      ];
    case "binary":
      return [node.left, node.right];
    case "logical":
      return node.operands;
    case "like":
      return [node.operand, ...node.patterns];
    case "between":
      return [node.operand, node.low, node.high];
    case "in":
      return [node.operand, ...node.items];
    case "row":
      return node.items;
    case "interval":
      return typeof node.value === "string" ? [] : [node.value];
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "date":
    case "timestamp":
    case "name":
    case "exists":
    case "scalar query":
      return [];
  }
}

/** Returns the query of a subquery expression; undefined for other expressions. */
export function queryIn(node: Expression): QueryBody | undefined {
  switch (node.kind) {
    case "exists":
    case "scalar query":
    case "in query":
    case "quantified":
      return node.query;
    default:
      return undefined;
  }
}

/** Returns the operands of nested ANDs. */
export const conjuncts = (node: Expression | undefined): readonly Expression[] =>
  node?.kind === "logical" && node.operator === "and" ? node.operands.flatMap(conjuncts) : node ? [node] : [];

/** Returns true for `column`, `table.column` and a struct's `column.field`. */
export const isName = (node: Expression): node is Extract<Expression, { kind: "name" | "field" }> =>
  node.kind === "name" || node.kind === "field";
