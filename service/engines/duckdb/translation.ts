/** The seam to the translator in hiveql/: what it needs of a job's tables, and what the engine needs of it. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../provider/api";
import { HiveQLError } from "../../../provider/hiveql";

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

export const translate: Translate = () => {
  throw new HiveQLError({ line: 1, column: 1 }, "unsupported", "SELECT", "the translator is not built in yet");
};

/** SQL that reads a text as a value of a Hive type; NULL where it is none. */
export function castFromText(text: string, hiveType: string): string {
  return hiveType === "string" ? text : `TRY_CAST(${text} AS ${hiveType})`;
}

/** Makes the macros that translated SQL uses; they belong to the connection. */
export async function prepareConnection(_connection: DuckDBConnection): Promise<void> {}
