/**
 * Runs golden HiveQL cases through the embedded engine's translator and DuckDB, and compares the rows with Hive's. A
 * folder of cases contains cases.jsonl, tables.jsonl and the tables' CSV files.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { loadDuckDB, loadHiveql } from "../../../tools/load-hiveql.mts";
import { type GoldenCase, type GoldenTable, readCases, readTables } from "./folder.mts";
import { sameRows } from "./rows.mts";

/** The outcome of one case. */
export interface GoldenResult {
  readonly id: string;
  /** `same`: Hive's rows. `refused`: an error message. `different`: wrong rows, or an internal error. */
  readonly outcome: "same" | "refused" | "different";
  readonly message?: string;
  readonly got?: readonly string[];
}

const knownDifferences = "test/conformance/golden/known-differences.json";

type Hiveql = typeof import("../../../hiveql/index.ts");

/** The outcomes of all cases of a folder. */
export interface GoldenRun {
  readonly all: readonly GoldenResult[];
  /** The cases whose expected rows Hive 4.0.1 confirms. */
  readonly hive4: readonly GoldenResult[];
}

/** The number of results with each outcome. */
export interface GoldenCounts {
  readonly same: number;
  readonly refused: number;
  readonly different: number;
  readonly total: number;
}

/** Returns the tables of a folder by their hashes. */
const tablesOf = (directory: string): ReadonlyMap<string, GoldenTable> =>
  new Map(readTables(directory).map((table) => [table.table, table]));

interface GoldenOptions {
  /** The translator. @default the one in hiveql/ */
  readonly hiveql?: Hiveql;
  /** Called before each case. */
  readonly begins?: (id: string) => void;
}

/** Runs every case of a folder. */
export async function runGoldenCases(directory: string, options: GoldenOptions = {}): Promise<GoldenRun> {
  const hiveql = options.hiveql ?? (await loadHiveql<Hiveql>("index.ts"));
  const cases = readCases(directory);
  const tables = tablesOf(directory);
  const { DuckDBInstance } = loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    hiveql.register(connection);
    for (const statement of hiveql.setupSql) await connection.run(statement);
    const run: GoldenContext = { hiveql, connection, directory, tables, loaded: new Set() };
    const all: GoldenResult[] = [];
    for (const golden of cases) {
      options.begins?.(golden.id);
      all.push(await runCase(run, golden));
    }
    const gate = new Set(cases.filter(({ hive4 }) => hive4 === "same").map(({ id }) => id));
    return { all, hive4: all.filter(({ id }) => gate.has(id)) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Counts results by their outcome. */
export function countResults(results: readonly GoldenResult[]): GoldenCounts {
  const count = (outcome: GoldenResult["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  return { same: count("same"), refused: count("refused"), different: count("different"), total: results.length };
}

/**
 * Compares the results with known-differences.json.
 * @returns one line for each different case that the file does not explain, and for each listed case that is now equal
 */
export function reviewResults(results: readonly GoldenResult[]): string[] {
  const known = JSON.parse(readFileSync(new URL("known-differences.json", import.meta.url), "utf8")) as Record<
    string,
    string
  >;
  const isKnown = (id: string) => Object.hasOwn(known, id);
  const unexplained = results.filter(({ id, outcome }) => outcome === "different" && !isKnown(id));
  const closed = results.filter(({ id, outcome }) => outcome !== "different" && isKnown(id));
  return [
    ...unexplained.map(({ id }) => `${id} differs from Hive: fix it, or explain it in ${knownDifferences}`),
    ...closed.map(({ id }) => `${id} no longer differs from Hive: remove it from ${knownDifferences}`),
  ];
}

/** The state that all cases of a run share. */
interface GoldenContext {
  readonly hiveql: Hiveql;
  readonly connection: DuckDBConnection;
  readonly directory: string;
  readonly tables: ReadonlyMap<string, GoldenTable>;
  /** Hashes of the tables that are already loaded. */
  readonly loaded: Set<string>;
}

async function runCase(run: GoldenContext, golden: GoldenCase): Promise<GoldenResult> {
  const { hiveql, connection } = run;
  const { id } = golden;
  let translation: ReturnType<Hiveql["translate"]>;
  try {
    translation = hiveql.translate(golden.query, catalogOf(run.tables, golden), { settings: settingsOf(golden) });
  } catch (error) {
    if (error instanceof hiveql.HiveQLError) return { id, outcome: "refused", message: error.message };
    return { id, outcome: "different", message: `the translator failed: ${(error as Error).stack}` };
  }
  try {
    for (const hash of Object.values(golden.tables)) await loadTable(run, hash);
    const reader = await connection.runAndReadAll(translation.textSql);
    const got = reader.getRows().map((row) => row.map((cell) => (cell === null ? "NULL" : String(cell))).join("\t"));
    const order = golden.ordered ? (translation.sortedBy ?? []) : [];
    const same = sameRows(golden.expected, got, { isOrdered: golden.ordered, by: order });
    return same ? { id, outcome: "same" } : { id, outcome: "different", got };
  } catch (error) {
    const { message } = error as Error;
    // A runtime check of the engine fails the query instead of returning a wrong answer.
    if (message.includes("HiveQL: ")) return { id, outcome: "refused", message };
    return { id, outcome: "different", message: `${message}\n${translation.textSql}` };
  }
}

/** Returns the catalog of a case. */
function catalogOf(tables: GoldenContext["tables"], golden: GoldenCase) {
  const names = new Map(Object.entries(golden.tables).map(([name, hash]) => [name.toLowerCase(), hash]));
  return (database: string, name: string) => {
    const table = tables.get(names.get(database === "default" ? name : `${database}.${name}`) ?? names.get(name) ?? "");
    return (
      table && {
        columns: table.columns.map(([column, type]) => ({ name: column, type })),
        relation: `"table_${table.table}"`,
      }
    );
  };
}

/**
 * Returns the settings of a case. The expected rows come from the test suite of Hive 2.1. Unless Hive 4 is known to
 * return the same rows, the case runs with two defaults of Hive 2.1: NULLS FIRST in ascending order, and the suite's
 * time zone.
 */
function settingsOf({ set, hive4 }: GoldenCase): Record<string, string> {
  const hive2Defaults = { "hive.default.nulls.last": "false", "hive.local.time.zone": "US/Pacific" };
  const defaults: Record<string, string> = hive4 === "same" ? {} : hive2Defaults;
  const pairs = set.filter((line) => line.includes("=")).map((line) => line.split(/=(.*)/s).map((part) => part.trim()));
  const found = pairs.filter(([name]) => name?.includes(".")) as [string, string][];
  return { ...defaults, ...Object.fromEntries(found) };
}

/** Creates a table from a CSV file and converts each field to its column's type. */
async function loadTable(
  { hiveql, connection, directory, tables, loaded }: GoldenContext,
  hash: string,
): Promise<void> {
  const table = tables.get(hash);
  if (!table || loaded.has(hash)) return;
  loaded.add(hash);
  const raw = table.columns.map((_column, index) => `'f${index}': 'VARCHAR'`).join(", ");
  const typed = table.columns
    .map(([name, type], index) => `${hiveql.castFromText(`f${index}`, type)} AS "${name}"`)
    .join(", ");
  await connection.run(
    `CREATE TABLE "table_${hash}" AS SELECT ${typed} FROM read_csv('${join(directory, table.file).replaceAll("'", "''")}',
      columns = {${raw}}, header = false, delim = ',', quote = '"', escape = '"', nullstr = '\\N', allow_quoted_nulls = false, auto_detect = false)`,
  );
}
