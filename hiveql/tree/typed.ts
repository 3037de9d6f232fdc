/** Builders of typed values. */
import { isTyped, join, raw } from "./fragment";
import type { OperatorNode, Column, Constant, FunctionTraits, Node, Part, Typed } from "./nodes";
import type { Position } from "../syntax";
import { duckType, type HiveType, types } from "./types";

/** Returns a value that a fragment computes. */
export function typed(part: Part, type: HiveType, constant?: Constant): Typed {
  const node: Node = isTyped(part) ? part.node : { kind: "sql", sql: part };
  return constant === undefined ? { node, type } : { node, type, constant };
}

/** Returns a value that a function computes from one row, a group or a window. */
export const callOf = (
  kind: "call" | "aggregate" | "window",
  entry: FunctionTraits,
  part: Part,
  type: HiveType,
): Typed => ({ node: { kind, function: entry, sql: isTyped(part) ? join([part]) : part }, type });

/** Returns a value that an operator computes. */
export const operation = (node: OperatorNode, type: HiveType): Typed => ({ node, type });

/** Returns `value IS NULL`. @param position where the statement tests it. */
export const nullTest = (value: Typed, position?: Position): Typed => ({
  ...operation({ kind: "is null", operands: [value] }, types.boolean),
  ...(position ? { position } : {}),
});

/** Returns a literal. @param text its digits or text, for literals that are converted to the type of a column. */
export const literal = (sql: string, type: HiveType, constant?: Constant, text?: string): Typed => ({
  node: {
    kind: "literal",
    sql,
    ...(constant === undefined ? {} : { value: constant }),
    ...(text === undefined ? {} : { text }),
  },
  type,
  ...(constant === undefined ? {} : { constant }),
});

/** Returns NULL as a value of a type. It is no literal: Hive does not know its value before it reads rows. */
export const nullOf = (type: HiveType): Typed => typed(raw(`CAST(NULL AS ${duckType(type)})`), type);

/** Returns a column of a relation. */
export const columnOf = (relation: string, name: string, type: HiveType, of: Column["of"] = "rows"): Typed => ({
  node: { kind: "column", relation, name, of },
  type,
});

/** Returns a variable of a lambda. */
export const variable = (name: string, type: HiveType): Typed => typed(raw(name), type);

/** Returns a value that is computed in another way, with all that is known about the first one. */
export const inherit = (value: Typed, part: Part): Typed => ({
  ...value,
  node: isTyped(part) ? part.node : { kind: "sql", sql: part },
});
