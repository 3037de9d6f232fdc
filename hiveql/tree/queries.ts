/**
 * The typed tree of queries and relations: a node for each clause, without SQL. Their values are `Typed` (nodes.ts),
 * which itself contains queries, so that it is a parameter here.
 */
import type { JoinKind, Position, SetOperator } from "../syntax";
import type { SortKeyOf } from "./windows";

/** A query: the statement itself, a relation of FROM, a side of a set operator, or a subquery in an expression. */
export type QueryOf<Value> = SelectOf<Value> | SetOperationOf<Value> | ValuesOf<Value> | SortedOf<Value>;

/** A column that a query returns. */
export interface OutputOf<Value> {
  readonly value: Value;
  /** Its name in the SQL. */
  readonly alias: string;
}

/** LIMIT and OFFSET. */
export interface Limit {
  readonly count: string;
  readonly offset?: string;
}

/** One SELECT. Its clauses are computed in the order in which they stand here. */
export interface SelectOf<Value> {
  readonly kind: "select";
  readonly from: RelationOf<Value>;
  readonly where?: Value;
  readonly groups?: GroupsOf<Value>;
  /** A condition on the groups. */
  readonly having?: Value;
  readonly columns: readonly OutputOf<Value>[];
  readonly qualify?: Value;
  readonly isDistinct: boolean;
  readonly orderBy: readonly SortKeyOf<Value>[];
  readonly limit?: Limit;
}

/** The groups of rows, as a relation. */
export interface GroupsOf<Value> {
  readonly alias: string;
  /** The keys and aggregates that are read. */
  readonly columns: readonly OutputOf<Value>[];
  /** Undefined when all rows are one group. */
  readonly by?: GroupKeysOf<Value>;
}

/** GROUP BY. */
export type GroupKeysOf<Value> =
  | { readonly kind: "keys" | "rollup" | "cube"; readonly keys: readonly Value[] }
  | { readonly kind: "sets"; readonly sets: readonly (readonly Value[])[] };

/** A set operator. */
interface SetOperationOf<Value> {
  readonly kind: "set operation";
  readonly operator: SetOperator;
  readonly sides: readonly [SetSideOf<Value>, SetSideOf<Value>];
}

/** A side of a set operator; its values are columns of the relation `q`. */
export interface SetSideOf<Value> {
  readonly query: QueryOf<Value>;
  /** The columns in the types of the result; undefined when they have them already. */
  readonly converted?: readonly OutputOf<Value>[];
}

/** VALUES. */
interface ValuesOf<Value> {
  readonly kind: "values";
  readonly rows: readonly (readonly Value[])[];
  readonly aliases: readonly string[];
}

/** A query whose rows are sorted or limited as a whole; its sort keys read the relation `alias`. */
interface SortedOf<Value> {
  readonly kind: "sorted";
  readonly query: QueryOf<Value>;
  readonly alias: string;
  readonly orderBy: readonly SortKeyOf<Value>[];
  readonly limit?: Limit;
}

/** A relation of FROM. */
export type RelationOf<Value> =
  /** A table, by the catalog's SQL, or a table of WITH, by its name. */
  | { readonly kind: "table" | "common table"; readonly name: string; readonly alias: string }
  | { readonly kind: "query"; readonly query: QueryOf<Value>; readonly alias: string }
  /** One row without columns, of a SELECT without FROM. */
  | { readonly kind: "one row" }
  | {
      readonly kind: "join";
      readonly join: Exclude<JoinKind, "left anti">;
      readonly left: RelationOf<Value>;
      readonly right: RelationOf<Value>;
      readonly on?: Value;
    }
  /** The first rows of a table. */
  | { readonly kind: "rows"; readonly input: RelationOf<Value>; readonly count: number; readonly alias: string }
  /** The rows of a table for which the hash of a value is in one of so many buckets, which are counted from 1. */
  | {
      readonly kind: "bucket";
      readonly input: RelationOf<Value>;
      readonly value: Value;
      readonly position: Position;
      readonly bucket: number;
      readonly buckets: number;
      readonly alias: string;
    }
  | LateralViewOf<Value>;

/** The rows of a relation, each repeated for the rows that a table-generating function makes of it. */
export interface LateralViewOf<Value> {
  readonly kind: "lateral view";
  readonly input: RelationOf<Value>;
  readonly alias: string;
  /** The columns of the input. */
  readonly kept: readonly OutputOf<Value>[];
  /** The call of the function, whose value is the list of the generated rows. */
  readonly rows: Value;
  /** The names of the generated columns in the SQL. */
  readonly cells: readonly string[];
  /** The clause that calls the function: `SELECT explode(a) …` makes a view too. */
  readonly clause: "LATERAL VIEW" | "SELECT";
  /** True when a row for which no row is generated is kept. */
  readonly isOuter: boolean;
}

/** A subquery in an expression; `item` is its column in the type of the comparison, read from the relation `q`. */
export type SubqueryOf<Value> =
  | { readonly kind: "exists"; readonly query: QueryOf<Value> }
  | {
      readonly kind: "scalar";
      readonly query: QueryOf<Value>;
      readonly column: string;
      /** The failure of several rows; undefined when there is always one. */
      readonly failureOfRows?: string;
    }
  | {
      readonly kind: "in" | "any" | "all";
      readonly query: QueryOf<Value>;
      readonly operand: Value;
      /** Undefined when the column needs no conversion and is no floating-point number. */
      readonly item?: Value;
      /** The comparison; `=` for IN. */
      readonly operator: string;
      readonly not: boolean;
    };
