/**
 * Checks whether DuckDB loads its extension httpfs, in a process of its own: the service itself never loads DuckDB.
 * Arguments: the path of the extension, or none for DuckDB's own place. Sends an {@link ExtensionCheck} to its parent.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance, version as duckdbVersion } from "@duckdb/node-api";
import { quoteLiteral } from "../sql-quoting";
import type { ExtensionCheck } from "./extension";

async function check(given: string | undefined): Promise<ExtensionCheck> {
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
  });
  const connection = await instance.connect();
  const platform = String((await connection.runAndReadAll("PRAGMA platform")).getRowsJson()[0]?.[0]);
  const version = duckdbVersion();
  const path = given ?? join(homedir(), ".duckdb", "extensions", version, platform, "httpfs.duckdb_extension");
  const common = { path, version, platform };
  if (!existsSync(path)) return { ...common, state: "missing" };
  try {
    await connection.run(`LOAD ${quoteLiteral(path)}`);
    await connection.run("SET GLOBAL http_timeout = 30");
    return { ...common, state: "loaded" };
  } catch {
    return { ...common, state: "refused" };
  }
}

void check(process.argv[2]).then((found) => process.send!(found, () => process.disconnect()));
