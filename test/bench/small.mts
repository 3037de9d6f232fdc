/**
 * Measures the time from the submission of a small select until its result is complete, in pairs with DuckDB itself, which
 * runs the same statement and flushes its result to the disk in this process, and with a signed GET of the service.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ask, finish, openDoor, type Door } from "./support/door.mts";
import { openDuckDB } from "./support/duckdb.mts";
import { timePairs } from "./support/pairs.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";

/** Rows of the table that the second statement reads. */
const rows = 20_000;

/** The statements, with the table's file for DuckDB. */
const statements = [
  { title: "select 1", bars: [{ atMost: 15 }], hive: "select 1 n", sql: () => "SELECT 1 AS n" },
  {
    title: `group ${rows} rows`,
    bars: [],
    hive: "select `_c1`, count(*) n from data.events group by `_c1` limit 3",
    sql: (file: string) =>
      `SELECT v, count(*) n FROM read_csv('${file}', header = false, columns = {id: 'BIGINT', v: 'VARCHAR'}) GROUP BY v LIMIT 3`,
  },
] as const;

/** Measures the times in milliseconds, and the ratios of the pairs. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...options], options: { rounds: { type: "string", default: "100" } } });
  await using door = await openDoor();
  const file = join(door.buckets, "data/events/a.csv");
  mkdirSync(join(door.buckets, "data/events"));
  writeFileSync(file, Array.from({ length: rows }, (_, index) => `${index},row ${index % 100}\n`).join(""));
  const measurements: Measurement[] = [];
  for (const { title, hive, sql, bars } of statements) {
    const contestants = {
      "dag-service": () => select(door, hive),
      DuckDB: await duckdb(sql(file), join(door.directory, "result")),
      "signed GET": async () => void (await ask(door, "GET", "/v1/?clusterManagement")),
    };
    const milliseconds = await millisecondsOf(Number(values.rounds), contestants);
    measurements.push(compare({ title: `${title}: POST until finished`, unit: "ms", bars }, milliseconds));
  }
  return { measurements };
}

async function millisecondsOf(
  rounds: number,
  contestants: Readonly<Record<string, () => Promise<void>>>,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const runs = Object.values(contestants).map((run) => async () => {
    const started = performance.now();
    await run();
    return performance.now() - started;
  });
  const warmUps = Array.from({ length: 10 }, () => runs).flat();
  const results = await timePairs({ rounds, warmUps, contestants: runs });
  return Object.fromEntries(Object.keys(contestants).map((name, index) => [name, results[index]!]));
}

let submitted = 0;

async function select(door: Door, query: string): Promise<void> {
  submitted += 1;
  await finish(door, "select", { query, outputResourcePath: `dag://out/r${submitted}/` });
}

/** Returns a function that runs a statement on an open DuckDB and flushes its result to the disk. */
async function duckdb(sql: string, path: string): Promise<() => Promise<void>> {
  const connection = await openDuckDB();
  return async () => {
    await connection.run(`COPY (${sql}) TO '${path}' (FORMAT csv, HEADER false)`);
    const file = openSync(path, "r+");
    fsyncSync(file);
    closeSync(file);
  };
}
