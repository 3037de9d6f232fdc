/** DuckDB itself, in the version of the service. */
import { createRequire } from "node:module";

export type Connection = import("@duckdb/node-api").DuckDBConnection;

const servicePackage = createRequire(new URL("../../../service/package.json", import.meta.url));

/** Opens a DuckDB in this process. */
export async function openDuckDB(): Promise<Connection> {
  const { DuckDBInstance } = servicePackage("@duckdb/node-api") as typeof import("@duckdb/node-api");
  return (await DuckDBInstance.create(":memory:")).connect();
}
