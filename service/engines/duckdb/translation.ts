/** The seam to the translator in hiveql/: what it needs of a job's tables, and what the engine needs of it. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../contract";
import { register, setupSql } from "../../../hiveql";

/** A table as the translator sees it. */
export interface TranslationTable {
  readonly database: string;
  readonly table: string;
  readonly columns: readonly Column[];
  /** SQL that stands in FROM and yields the columns by their names. */
  readonly relation: string;
}

/** A statement as DuckDB runs it. */
export interface Translation {
  /** A SELECT whose columns are the result's cells as text. */
  readonly sql: string;
  readonly columnCount: number;
}

/** A table that a statement names, and where. */
export interface NamedTable {
  readonly database: string;
  readonly table: string;
  readonly position: { readonly line: number; readonly column: number };
}

/** Makes the functions that translated SQL uses; they belong to the instance. */
export function prepareInstance(connection: DuckDBConnection): void {
  register(connection);
}

/** Makes the macros that translated SQL uses; they belong to the connection. */
export async function prepareConnection(connection: DuckDBConnection): Promise<void> {
  for (const statement of setupSql) await connection.run(statement);
}
