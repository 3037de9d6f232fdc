/**
 * What the processes of this machine do for a cluster on another server: they parse statements, look at the objects of
 * tables, and split. `compose.ts` passes the embedded engine.
 */
import type { Column } from "../../../contract";
import type { CheckControl, CheckedQuery, Engine, EngineOptions } from "../../core/ports/engine";

/** How to read the objects of a table of text. */
export interface TextTableFacts {
  readonly database: string;
  readonly table: string;
  readonly format: "csv" | "tsv";
  readonly columns: readonly Column[];
  /** True when the first row of each object is a header. */
  readonly header: boolean;
  /** True when cells of tsv have escapes, such as `\t`. */
  readonly escapes: boolean;
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
  readonly tables: readonly TextTableFacts[];
}

export interface LocalWork extends Engine {
  /**
   * Takes the tables out of a statement, and looks at their objects: at all bytes, or with `if-small` at those of small
   * tables only.
   * @throws InvalidDMLStatement when the statement reaches more than its tables, or when a table cannot be read by
   *   another engine in the same way
   */
  prepare(query: CheckedQuery, scanMode: "always" | "if-small", control: CheckControl): Promise<PreparedStatement>;
}

export type StartLocalWork = (options: EngineOptions) => Promise<LocalWork>;
