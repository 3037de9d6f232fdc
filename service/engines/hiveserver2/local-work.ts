/**
 * What the processes of this machine do for a cluster on another server: they parse statements, look at the objects of
 * tables, and split. `compose.ts` passes the embedded engine.
 */
import type { Column, TableFormat } from "../../../contract";
import type { CheckControl, CheckedQuery, Engine, EngineOptions } from "../../core/ports/engine";

/** The kind of a server, which decides how it reads tables and what its statements may have. */
export type DialectName = "hive" | "spark";

/** How to read the objects of a table. */
export interface TableFacts {
  readonly database: string;
  readonly table: string;
  readonly format: TableFormat;
  /** The columns of the objects; one that a partition column hides has an empty type. */
  readonly columns: readonly Column[];
  /** The columns whose values the folders give, from the outermost folder. */
  readonly partitions: readonly Column[];
  /** For Hive, the folders of the partitions that the statement needs, with their values; null is NULL. */
  readonly folders: readonly { readonly path: string; readonly values: readonly (string | null)[] }[];
  /** For Spark, the folders below the table's that have the needed partitions; empty for the whole table. */
  readonly paths: readonly string[];
  /** True when no object has a row. */
  readonly isEmpty: boolean;
  /** True when the first row of each object is a header. */
  readonly header: boolean;
  /** The lines that are headers wherever they are; empty when the table's headers are read in another way. */
  readonly headerLines: readonly string[];
  /** True when cells of tsv have escapes, such as `\t`. */
  readonly escapes: boolean;
  /** True when cells of csv are in quotes. */
  readonly quotes: boolean;
  /** True when rows with cells in quotes end at CR LF. */
  readonly carriageReturns: boolean;
}

/**
 * A part of a statement: text, or the place of a table. `origin` is its offset in the statement as submitted, in code
 * points; the text of a view has that of the view's name throughout.
 */
type StatementPart =
  | { readonly kind: "text" | "view text"; readonly text: string; readonly origin: number }
  | { readonly kind: "table"; readonly table: number; readonly origin: number };

/** A statement whose tables have no names any more, with what is known of the tables. */
export interface PreparedStatement {
  readonly parts: readonly StatementPart[];
  /** In the order of the tables of the query. */
  readonly tables: readonly TableFacts[];
  /** The names of the output columns that the statement alone tells, as Hive has them; null for those of a `*`. */
  readonly names: readonly string[] | null;
}

export interface LocalWork extends Engine {
  /**
   * Takes the tables out of a statement, and looks at their objects: at all bytes, or with `if-small` at those of small
   * tables only.
   * @throws InvalidDMLStatement when the statement reaches more than its tables, or when a table cannot be read by
   *   another engine in the same way
   */
  prepare(
    query: CheckedQuery,
    mode: { readonly scanMode: "always" | "if-small"; readonly reader: DialectName },
    control: CheckControl,
  ): Promise<PreparedStatement>;
}

export type StartLocalWork = (options: EngineOptions) => Promise<LocalWork>;
