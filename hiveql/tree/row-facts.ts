/** What is known about all rows of a relation, from its conditions. */
import type { Constant, Typed } from "./nodes";

/** Two values that are equal in all rows. */
export type Equality = readonly [Typed, Typed];

/** Constants by the SQL of the value that they replace. */
export type KnownConstants = ReadonlyMap<string, Typed>;

/** Facts that hold for all rows of a FROM clause. Each is computed on demand. */
export interface RowFacts {
  readonly constants: () => KnownConstants;
  readonly equalities: () => readonly Equality[];
  /** Bounds that conditions set for single columns. */
  readonly bounds: () => readonly ColumnBound[];
  /** Columns of relations below a LATERAL VIEW, by their identity: Hive derives no constants from conditions on their columns. */
  readonly ignoredColumns: ReadonlySet<string>;
}

/** A requirement of a condition for one column, in one of these forms. */
export interface ColumnBound {
  /** The column's SQL. */
  readonly column: string;
  /** The values that it can have; undefined is an unknown value. */
  readonly values?: readonly (Constant | undefined)[];
  /** Its lower bound. */
  readonly low?: Limit;
  readonly high?: Limit;
  readonly isNull?: true;
}

export interface Limit {
  readonly value: Constant | undefined;
  /** True when the bound excludes the value itself. */
  readonly isOpen: boolean;
}

/** The use of a subquery in the outer query. */
export type SubqueryUse = "exists" | "not exists" | "in" | "not in" | "value";
