/** What a value reads and contains: facts of its tree. */
import { childrenOf } from "./children";
import type { Column, Node, Query, Typed } from "./nodes";
import { types } from "./types";
import { HiveQLError, type InferredColumn, type Position } from "../syntax";

interface Contents {
  /** The columns that the value reads, by their identity. */
  readonly columns: ReadonlyMap<string, Column>;
  readonly kinds: ReadonlySet<Node["kind"]>;
  readonly isVolatile: boolean;
}

const nothing: Contents = { columns: new Map(), kinds: new Set(), isVolatile: false };
const known = new WeakMap<Node, Contents>();

function contentsOf(value: Typed): Contents {
  let contents = known.get(value.node);
  if (!contents) {
    contents = withNode(union(childrenOf(value).map(contentsOf)), value.node);
    known.set(value.node, contents);
  }
  return contents;
}

function withNode(inner: Contents, node: Node): Contents {
  if (node.kind === "column")
    return { ...nothing, columns: new Map([[identity(node), node]]), kinds: new Set(["column"]) };
  if (node.kind === "literal") return nothing;
  const isVolatile = inner.isVolatile || (node.kind === "call" && node.function.isVolatile === true);
  return { columns: inner.columns, kinds: new Set([...inner.kinds, node.kind]), isVolatile };
}

function union(parts: readonly Contents[]): Contents {
  const [first, ...others] = parts.filter((each) => each !== nothing);
  if (!first) return nothing;
  if (others.length === 0) return first;
  return {
    columns: new Map([first, ...others].flatMap(({ columns }) => [...columns])),
    kinds: new Set([first, ...others].flatMap(({ kinds }) => [...kinds])),
    isVolatile: [first, ...others].some((each) => each.isVolatile),
  };
}

/** The identity of a column. */
export const identity = ({ relation, name }: Pick<Column, "relation" | "name">): string => `${relation}.${name}`;

/** Returns the columns that a value reads, by their identity. */
export const columnsOf = (value: Typed): ReadonlyMap<string, Column> => contentsOf(value).columns;

/** Returns true when a value reads a column. */
export const readsColumns = (value: Typed): boolean => contentsOf(value).columns.size > 0;

/** Returns the aliases of the relations whose columns a value reads. */
export const relationsOf = (value: Typed): string[] => [...columnsOf(value).values()].map(({ relation }) => relation);

/** Returns the aliases of the relations whose columns a query reads, its own among them. */
export const relationsOfQuery = (query: Query): string[] =>
  relationsOf({ node: { kind: "query", subquery: { kind: "exists", query } }, type: types.boolean });

/** Returns true when a value contains a node of a kind. */
export const contains = (value: Typed, kind: Node["kind"]): boolean => contentsOf(value).kinds.has(kind);

/** Returns true when a value can differ between rows although it reads no column. */
export const isVolatile = (value: Typed): boolean =>
  contentsOf(value).isVolatile || (["aggregate", "window", "query"] as const).some((kind) => contains(value, kind));

/** Returns true when a value is a column of a table or subquery and not an expression. */
export const isColumn = ({ node }: Typed): boolean => node.kind === "column" && node.of === "rows";

/** Returns true when a value is a column of grouped rows: a key or an aggregate, and not an expression over them. */
export const isGroupColumn = ({ node }: Typed) => node.kind === "column" && node.of === "groups";

/** Returns the place in the statement of a value, or of the first value inside of it that has one. */
export const positionOf = (value: Typed): Position => placeOf(value) ?? { line: 1, column: 1 };

function placeOf(value: Typed): Position | undefined {
  if (value.position) return value.position;
  for (const child of childrenOf(value)) {
    const position = placeOf(child);
    if (position) return position;
  }
  return undefined;
}

/** Returns the columns of tables that values hold and whose type was inferred: not what a subquery reads besides. */
export const inferredIn = (values: readonly Typed[]): readonly InferredColumn[] => [
  ...new Set(values.flatMap(inferredOf)),
];

function inferredOf(value: Typed): readonly InferredColumn[] {
  const { node } = value;
  if (node.kind === "column" || node.kind === "query") return node.inferred ?? [];
  return childrenOf(value).flatMap(inferredOf);
}

const valuesOfColumns: ReadonlySet<Node["kind"]> = new Set(["column", "aggregate", "window"]);

/**
 * Returns true for a value of a column whose type date was inferred, such as its least one: its text is the one that the data
 * has, which functions of texts take as Hive does, for which the column is a string. A timestamp may be written in several
 * ways, so its text is not known.
 */
export const isInferredDate = (value: Typed): boolean =>
  value.type.kind === "date" && valuesOfColumns.has(value.node.kind) && inferredOf(value).length > 0;

/** Notes in an error which inferred types may be to blame: those of the columns that the values read. */
export const blaming = (error: unknown, values: readonly Typed[]): unknown =>
  error instanceof HiveQLError ? error.blame(inferredIn(values)) : error;
