/** The parts of the built service with which HiveQL is compared with DuckDB in one process. */
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import type { Column } from "../../../contract/index.ts";
import { openDuckDB, type Connection } from "./duckdb.mts";

type Hiveql = typeof import("../../../hiveql/index.ts");
type TranslatorModule = typeof import("../../../service/engines/duckdb/process/translator.ts");
type TablesModule = typeof import("../../../service/engines/duckdb/tables/index.ts");

const servicePackage = createRequire(new URL("../../../service/package.json", import.meta.url));
const built = new URL("../../../service/dist/", import.meta.url).pathname;

/** The translator. */
export const hiveql = servicePackage(`${built}hiveql/index.js`) as Hiveql;
const { readStatement } = servicePackage(`${built}service/engines/duckdb/process/translator.js`) as TranslatorModule;
const { Tables } = servicePackage(`${built}service/engines/duckdb/tables/index.js`) as TablesModule;

/** Returns a statement as a select reads it. */
export { readStatement };

/** Views of tables as a select has them, of all rows. */
export const openTables = () => new Tables({ cast: hiveql.castFromText });
/** Reads all rows of the tables of a select. */
export const allRows = { scanMode: "always", signal: new AbortController().signal } as const;

/** Opens a DuckDB that can run translated statements. */
export async function openTranslated(): Promise<Connection> {
  const connection = await openDuckDB();
  hiveql.register(connection);
  for (const statement of hiveql.setupSql) await connection.run(statement);
  return connection;
}

/** Returns a table of one file. @param columns the declared columns; without them they are inferred */
export function tableOfFile<Format extends "csv" | "parquet">(
  table: string,
  { path, format, columns }: { path: string; format: Format; columns?: readonly Column[] | undefined },
) {
  const file = { path, location: path, size: statSync(path).size };
  return { database: "default", table, format, checked: false, files: [file], ...(columns ? { columns } : {}) };
}
