/** Builders of typed values. */
import type { Column, Constant, OperatorNode, Typed } from "./nodes";
import type { InferredColumn, Position } from "../syntax";
import { type HiveType, types } from "./types";

/** Returns a value that an operator computes. */
export const operation = (node: OperatorNode, type: HiveType): Typed => ({ node, type });

/** Returns `value IS NULL`. @param position where the statement tests it. */
export const nullTest = (value: Typed, position?: Position): Typed => ({
  ...operation({ kind: "is null", operands: [value] }, types.boolean),
  ...(position ? { position } : {}),
});

/**
 * Returns a literal.
 * @param text its digits, its characters, or `true` and `false`.
 * @param constant its value; undefined when Hive does not know it before it reads rows.
 */
export const literal = (text: string | null, type: HiveType, constant?: Constant): Typed => ({
  node: { kind: "literal", type, text },
  type,
  ...(constant === undefined ? {} : { constant }),
});

/** Returns NULL as a value of a type. @param constant undefined for a NULL that Hive does not know before it reads rows. */
export const nullOf = (type: HiveType, constant?: null): Typed => literal(null, type, constant);

/** Returns a column of a relation. @param inferred the columns of tables that it holds and whose type was inferred. */
export const columnOf = (
  relation: string,
  name: string,
  type: HiveType,
  of: Column["of"] = "rows",
  inferred: readonly InferredColumn[] = [],
): Typed => ({ node: { kind: "column", relation, name, of, ...(inferred.length > 0 ? { inferred } : {}) }, type });

/** Returns a value that is read from a column in which it stands, with all that is known about it. */
export const inherit = (value: Typed, column: Typed): Typed => ({ ...value, node: column.node });
