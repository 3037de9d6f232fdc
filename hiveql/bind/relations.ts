/** What the binder knows of tables, relations and queries. */
import type { CommonTable, InferredColumn, Relation as RelationNode } from "../syntax";
import type { Constant, Query, Relation, Typed } from "../tree/nodes";
import type { HiveType } from "../tree/types";

/** A table of the catalog. */
export interface CatalogTable {
  /** The columns in the order of `SELECT *`; types are names of Hive types, such as `decimal(10,2)`. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** True when the type was inferred from the data, so that a refusal may tell it. @default false */
    readonly isInferred?: boolean;
  }[];
  /** SQL for FROM that returns the columns by their names, in the DuckDB types that hold their Hive types. */
  readonly relation: string;
  /** Name of one more column of `relation`: the location of the row's object, for INPUT__FILE__NAME. */
  readonly fileName?: string;
}

/**
 * Returns a table; undefined when it does not exist. `database` is `default` when the statement names none. `node` is
 * the place in the statement that names the table.
 */
export type Catalog = (
  database: string,
  table: string,
  node: Extract<RelationNode, { kind: "table" }>,
) => CatalogTable | undefined;

/** A relation in FROM. */
export interface Source {
  readonly alias?: string;
  readonly columns: readonly SourceColumn[];
}

/** A column of a relation, as the statement names it. */
export interface SourceColumn {
  readonly name: string;
  readonly value: Typed;
  /** True when `*` omits the column: USING shows the column of the other side, or it is INPUT__FILE__NAME. */
  readonly hidden?: true;
  /** Position of a USING column of the last join, which `*` lists before all other columns. */
  readonly usingPosition?: number;
}

/** The tables of WITH that a query can use. */
export interface CteScope {
  readonly tables: ReadonlyMap<string, CteEntry>;
}

/** A table of WITH. */
export interface CteEntry {
  readonly definition: CommonTable;
  readonly scope: CteScope;
  bound?: { readonly name: string; readonly columns: readonly OutputColumn[] };
  /** True while its own query is bound, so that a reference to it is recursive. */
  isBinding?: boolean;
}

/** An output column of a query. */
export interface OutputColumn {
  /** Name in Hive. */
  readonly name: string;
  /** Name in the SQL, which is unique, unlike in Hive. */
  readonly alias: string;
  readonly type: HiveType;
  /** The value, when it is a literal of the select list. */
  readonly constant?: Constant;
  /** The columns of tables that it holds and whose type was inferred. */
  readonly inferred?: readonly InferredColumn[];
}

/** A bound query. */
export interface BoundQuery {
  readonly query: Query;
  readonly columns: readonly OutputColumn[];
  /** Positions of the sort columns from 0; undefined when the rows are not sorted or a sort key is not a column. */
  readonly sortedBy?: readonly number[];
}

/** A bound FROM clause, with the relations whose columns can be named, in the order of `SELECT *`. */
export interface BoundFrom {
  readonly relation: Relation;
  readonly sources: readonly Source[];
}
