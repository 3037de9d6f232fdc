/** Transactions of DuckDB. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { duckdbErrorKind } from "../engine-errors";

/** Runs `use` in a transaction that is rolled back: what it creates in the database is gone, files that it writes stay. */
export async function inTransaction<Result>(connection: DuckDBConnection, use: () => Promise<Result>): Promise<Result> {
  await connection.run("BEGIN TRANSACTION");
  try {
    return await use();
  } finally {
    await rollBack(connection);
  }
}

async function rollBack(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run("ROLLBACK");
  } catch (error) {
    const kind = duckdbErrorKind(error);
    // Nothing is left to roll back; the statement's error says why.
    if (kind === "invalidated") return;
    // The interrupt of a cancelled statement may reach this one; a second one comes later.
    if (kind !== "interrupted") throw error;
    await connection.run("ROLLBACK");
  }
}
