/** The queries of TPC-H, and the views that the hand-written ones read. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Connection } from "./duckdb.mts";
import type { TpchFormat } from "./tpch-data.mts";
import { tpchTables } from "./tpch-tables.mts";

/** How the tables are stored and known. */
export interface Mode {
  readonly format: TpchFormat;
  /** Declared tables of text have no header rows: Hive reads those as data. */
  readonly isDeclared: boolean;
}

export interface TpchQuery {
  readonly name: string;
  readonly hive: string;
  readonly sql: string;
}

/** Returns the queries; those of the folder `inferred` are for tables in which quantities are integers. */
export function readQueries({ isDeclared }: Mode, scale: number): TpchQuery[] {
  const at = (path: string) => new URL(`../tpch/${path}`, import.meta.url);
  // The share of the value that makes a part important depends on the size of the tables, as TPC-H says.
  const read = (path: string) => readFileSync(at(path), "utf8").replaceAll("{fraction}", (0.0001 / scale).toFixed(10));
  return readdirSync(at("hive/"))
    .toSorted()
    .map((file) => {
      const hive = !isDeclared && existsSync(at(`inferred/${file}`)) ? `inferred/${file}` : `hive/${file}`;
      return { name: file.replace(/\.sql$/, ""), hive: read(hive), sql: read(`duckdb/${file}`) };
    });
}

/** Creates the views that the hand-written SQL reads, with the types that the statement's tables have. */
export async function createPeers(
  connection: Connection,
  types: ReadonlyMap<string, string>,
  { mode, folder }: { mode: Mode; folder: string },
): Promise<void> {
  for (const [table, columns] of Object.entries(tpchTables)) {
    const path = join(folder, `${table}.${mode.format}`);
    const declared = columns.map(
      ({ name, type }) => `'${name}': '${(types.get(`${table}.${name}`) ?? type).replace("string", "VARCHAR")}'`,
    );
    const scan =
      mode.format === "parquet"
        ? `read_parquet('${path}')`
        : `read_csv('${path}', header = ${!mode.isDeclared}, columns = {${declared.join(", ")}})`;
    await connection.run(`CREATE OR REPLACE TEMP VIEW ${table} AS FROM ${scan}`);
  }
}
