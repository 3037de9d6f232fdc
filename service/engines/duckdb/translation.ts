/** The interface to the translator in hiveql/. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../contract";
import { register, setupSql } from "../../../hiveql/index";

/** A table for the translator. */
export interface TranslationTable {
  readonly database: string;
  readonly table: string;
  readonly columns: readonly Column[];
  /** SQL for the FROM clause that returns the columns by name. */
  readonly relation: string;
  /** Name of one more column of the relation, of the location of the row's object. */
  readonly fileName?: string;
}

/** A translated statement. */
export interface ResultQuery {
  /** A SELECT that returns the result's cells as text. */
  readonly sql: string;
  /** The columns of the result, as Hive names them, with their Hive types. */
  readonly columns: readonly Column[];
  /** Sentences on what the user should know of the answer. */
  readonly notes: readonly string[];
}

/** A table name in a statement, with its position. */
export interface NamedTable {
  readonly database: string;
  readonly table: string;
  readonly position: { readonly line: number; readonly column: number };
}

/** Registers the functions that translated SQL uses, for the whole instance. */
export function registerFunctions(connection: DuckDBConnection): void {
  register(connection);
}

/** Creates the macros that translated SQL uses, for all connections of the instance. */
export async function createMacros(connection: DuckDBConnection): Promise<void> {
  await connection.run(sharedMacros);
}

/** One call for all; in a connection's own schema, each connection would need them again. */
const sharedMacros = setupSql.map((sql) => sql.replace("CREATE OR REPLACE TEMP MACRO", "CREATE MACRO")).join(";");
