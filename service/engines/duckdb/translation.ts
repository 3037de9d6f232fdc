/** The seam to the translator in hiveql/: what it needs of a job's tables, and what the engine needs of it. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../provider/api";
import * as hiveql from "./hiveql";

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

/** Translates a statement; throws HiveQLError for what is not mapped. */
export type Translate = (statement: string, tables: readonly TranslationTable[]) => Translation;

export const translate: Translate = (statement, tables) => {
  const known = new Map(tables.map((table) => [`${table.database}.${table.table}`, table]));
  const { textSql, columns } = hiveql.translate(statement, (database, table) => known.get(`${database}.${table}`));
  return { sql: textSql, columnCount: columns.length };
};

/** Makes the functions that translated SQL uses; they belong to the instance. */
export function prepareInstance(connection: DuckDBConnection): void {
  hiveql.register(connection);
}

/** Makes the macros that translated SQL uses; they belong to the connection. */
export async function prepareConnection(connection: DuckDBConnection): Promise<void> {
  for (const statement of hiveql.setupSql) await connection.run(statement);
}
