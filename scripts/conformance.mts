/**
 * Runs golden HiveQL cases through the embedded engine's translator and DuckDB, and says how many answers are Hive's.
 *
 * `npm run conformance -- DIR [--out FILE]`: DIR holds cases.jsonl, tables.jsonl and the tables' CSV files.
 */
import { createWriteStream, readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadDuckDB, loadHiveql } from "./hiveql.mts";
import { sameRows } from "./hiveql-rows.mts";

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

interface Result {
  readonly id: string;
  readonly outcome: "same" | "refused" | "different";
  readonly message?: string;
  readonly got?: readonly string[];
}

type Hiveql = typeof import("../service/engines/duckdb/hiveql/index.ts");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } });
const directory = positionals[0];
if (directory === undefined || positionals.length > 1) {
  console.error("usage: npm run conformance -- DIR [--out FILE]");
  process.exit(2);
}

const hiveql = await loadHiveql<Hiveql>("index.ts");
const cases = readLines<Case>(join(directory, "cases.jsonl"));
const tables = new Map(readLines<Table>(join(directory, "tables.jsonl")).map((table) => [table.table, table]));
const { DuckDBInstance } = loadDuckDB();
const connection = await (await DuckDBInstance.create(":memory:")).connect();
hiveql.register(connection);
for (const statement of hiveql.setupSql) await connection.run(statement);

const loaded = new Set<string>();
const results: Result[] = [];
for (const golden of cases) results.push(await runCase(golden));
if (values.out !== undefined) await writeResults(values.out);
console.log(`all: ${summary(results)}`);
for (const line of reviewed(results)) console.log(line);
const gate = new Set(cases.filter((golden) => golden.hive4 === "same").map((golden) => golden.id));
console.log(`hive4 same: ${summary(results.filter((result) => gate.has(result.id)))}`);
connection.closeSync();

function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}

async function runCase(golden: Case): Promise<Result> {
  const { id } = golden;
  let translation: ReturnType<Hiveql["translate"]>;
  try {
    translation = hiveql.translate(golden.query, catalogOf(golden), { settings: settingsOf(golden) });
  } catch (error) {
    if (error instanceof hiveql.HiveQLError) return { id, outcome: "refused", message: error.message };
    return { id, outcome: "different", message: `the translator failed: ${(error as Error).stack}` };
  }
  try {
    for (const hash of Object.values(golden.tables)) await load(hash);
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

function catalogOf(golden: Case) {
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
async function load(hash: string) {
  const table = tables.get(hash);
  if (!table || loaded.has(hash)) return;
  loaded.add(hash);
  const raw = table.columns.map((_column, index) => `'f${index}': 'VARCHAR'`).join(", ");
  const typed = table.columns
    .map(([name, type], index) => `${hiveql.castFromText(`f${index}`, type)} AS "${name}"`)
    .join(", ");
  await connection.run(
    `CREATE TABLE "table_${hash}" AS SELECT ${typed} FROM read_csv('${join(directory as string, table.file).replaceAll("'", "''")}',
      columns = {${raw}}, header = false, delim = ',', quote = '"', escape = '"', nullstr = '\\N', allow_quoted_nulls = false, auto_detect = false)`,
  );
}

function summary(of: readonly Result[]): string {
  const count = (outcome: Result["outcome"]) => of.filter((result) => result.outcome === outcome).length;
  return `same ${count("same")}, refused ${count("refused")}, different ${count("different")} of ${of.length}`;
}

/** What the list of explained differences says of the results: those it does not hold, and those it need not hold. */
function reviewed(of: readonly Result[]): string[] {
  const known = JSON.parse(readFileSync(new URL("conformance-known.json", import.meta.url), "utf8")) as Record<
    string,
    string
  >;
  const isKnown = (id: string) => Object.hasOwn(known, id);
  const unexplained = of.filter(({ id, outcome }) => outcome === "different" && !isKnown(id));
  const closed = of.filter(({ id, outcome }) => outcome !== "different" && isKnown(id));
  return [
    ...unexplained.map(({ id }) => `different, not explained in scripts/conformance-known.json: ${id}`),
    ...closed.map(({ id }) => `no longer different, take it out of scripts/conformance-known.json: ${id}`),
  ];
}

async function writeResults(file: string) {
  const stream = createWriteStream(file);
  for (const result of results) stream.write(`${JSON.stringify(result)}\n`);
  stream.end();
  await once(stream, "finish");
}
