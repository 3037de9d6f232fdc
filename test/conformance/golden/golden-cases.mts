/**
 * Golden HiveQL cases: runs each through the embedded engine's translator and DuckDB, and compares the rows with Hive's.
 * A folder of cases holds cases.jsonl, tables.jsonl and the tables' CSV files.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { loadDuckDB, loadHiveql } from "../../../tools/load-hiveql.mts";
import { sameRows } from "./rows.mts";

interface Case {
  readonly id: string;
  readonly query: string;
  readonly expected: readonly string[];
  readonly ordered: boolean;
  readonly set: readonly string[];
  /** What the statement calls a table → which table that is. */
  readonly tables: Readonly<Record<string, string>>;
  readonly hive4: string;
}

interface Table {
  readonly table: string;
  readonly file: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

/** The outcome of one case. */
export interface GoldenResult {
  readonly id: string;
  /** `same`: Hive's rows. `refused`: a clear error. `different`: a wrong answer, or a fault. */
  readonly outcome: "same" | "refused" | "different";
  readonly message?: string;
  readonly got?: readonly string[];
}

type Hiveql = typeof import("../../../hiveql/index.ts");

/** The outcomes of all cases of a folder. */
export interface GoldenRun {
  readonly all: readonly GoldenResult[];
  /** The cases whose expected rows Hive 4.0.1 confirms. */
  readonly hive4: readonly GoldenResult[];
}

/** How many results have each outcome. */
export interface GoldenCounts {
  readonly same: number;
  readonly refused: number;
  readonly different: number;
  readonly total: number;
}

/** Runs every case of a folder. */
export async function runGoldenCases(directory: string): Promise<GoldenRun> {
  const hiveql = await loadHiveql<Hiveql>("index.ts");
  const cases = readLines<Case>(join(directory, "cases.jsonl"));
  const tables = new Map(readLines<Table>(join(directory, "tables.jsonl")).map((table) => [table.table, table]));
  const { DuckDBInstance } = loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    hiveql.register(connection);
    for (const statement of hiveql.setupSql) await connection.run(statement);
    const run: GoldenContext = { hiveql, connection, directory, tables, loaded: new Set() };
    const all: GoldenResult[] = [];
    for (const golden of cases) all.push(await runCase(run, golden));
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

/** Compares the different results with known-differences.json: names each that is not explained there, and each that is no longer different. */
export function reviewResults(results: readonly GoldenResult[]): string[] {
  const known = JSON.parse(readFileSync(new URL("known-differences.json", import.meta.url), "utf8")) as Record<string, string>;
  const isKnown = (id: string) => Object.hasOwn(known, id);
  const unexplained = results.filter(({ id, outcome }) => outcome === "different" && !isKnown(id));
  const closed = results.filter(({ id, outcome }) => outcome !== "different" && isKnown(id));
  return [
    ...unexplained.map(({ id }) => `different, not explained in test/conformance/golden/known-differences.json: ${id}`),
    ...closed.map(({ id }) => `no longer different, take it out of test/conformance/golden/known-differences.json: ${id}`),
  ];
}

/** What the cases of one folder share. */
interface GoldenContext {
  readonly hiveql: Hiveql;
  readonly connection: DuckDBConnection;
  readonly directory: string;
  readonly tables: ReadonlyMap<string, Table>;
  /** Tables that are loaded already. */
  readonly loaded: Set<string>;
}

function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}

async function runCase(run: GoldenContext, golden: Case): Promise<GoldenResult> {
  const { hiveql, connection } = run;
  const { id } = golden;
  let translation: ReturnType<Hiveql["translate"]>;
  try {
    translation = hiveql.translate(golden.query, catalogOf(run, golden), { settings: settingsOf(golden) });
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
    // The engine's own guards fail a query rather than let it answer wrongly.
    if (message.includes("HiveQL: ")) return { id, outcome: "refused", message };
    return { id, outcome: "different", message: `${message}\n${translation.textSql}` };
  }
}

function catalogOf({ tables }: GoldenContext, golden: Case) {
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
 * The settings in force. The answers are of Hive 2.1 in its own test suite; where Hive 4 is not known to give the same,
 * the case runs with the defaults of then that settings bring back: NULL first in ascending order, and the suite's zone.
 */
function settingsOf({ set, hive4 }: Case): Record<string, string> {
  const then = { "hive.default.nulls.last": "false", "hive.local.time.zone": "US/Pacific" };
  const earlier: Record<string, string> = hive4 === "same" ? {} : then;
  const pairs = set.filter((line) => line.includes("=")).map((line) => line.split(/=(.*)/s).map((part) => part.trim()));
  const found = pairs.filter(([name]) => name?.includes(".")) as [string, string][];
  return { ...earlier, ...Object.fromEntries(found) };
}

/** Makes a table of a CSV file, each field read as its column's type. */
async function loadTable({ hiveql, connection, directory, tables, loaded }: GoldenContext, hash: string): Promise<void> {
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
