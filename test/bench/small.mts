/**
 * Measures the time from the submission of a small select until its result is complete, in pairs with DuckDB itself, which
 * runs the same statement and flushes its result to the disk in this process, and with a signed GET of the service.
 */
import { mkdirSync, mkdtempSync, openSync, closeSync, fsyncSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { call, killService, startService, type Service } from "../chaos/service.mts";
import { timePairs } from "./support/pairs.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";

const servicePackage = createRequire(new URL("../../service/package.json", import.meta.url));

/** Rows of the table that the second statement reads. */
const rows = 20_000;
/** Milliseconds between two looks at a running query. */
const pause = 2;

/** The statements, with the table's file for DuckDB. */
const statements = [
  { title: "select 1", bars: [{ atMost: 15 }], hive: "select 1 n", sql: () => "SELECT 1 AS n" },
  {
    title: `group ${rows} rows`,
    bars: [],
    hive: "select v, count(*) n from data.events group by v limit 3",
    sql: (file: string) =>
      `SELECT v, count(*) n FROM read_csv('${file}', header = false, columns = {id: 'BIGINT', v: 'VARCHAR'}) GROUP BY v LIMIT 3`,
  },
] as const;

/** Measures the times in milliseconds, and the ratios of the pairs. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...options], options: { rounds: { type: "string", default: "100" } } });
  const directory = mkdtempSync(join(tmpdir(), "bench-small-"));
  const buckets = join(directory, "buckets");
  const file = join(buckets, "data/events/a.csv");
  mkdirSync(join(buckets, "data/events"), { recursive: true });
  mkdirSync(join(buckets, "out"));
  writeFileSync(file, Array.from({ length: rows }, (_, index) => `${index},row ${index % 100}\n`).join(""));
  const clusters = [{ name: "c1", slots: 4, memory: "1GB" }];
  const service = await startService({ directory, buckets, clusters });
  try {
    const measurements: Measurement[] = [];
    for (const { title, hive, sql, bars } of statements) {
      const contestants = {
        "dag-service": () => select(service, hive),
        DuckDB: await duckdb(sql(file), join(directory, "result")),
        "signed GET": async () => void (await call(service, "GET", "/v1/c1?clusterManagement")),
      };
      const milliseconds = await millisecondsOf(Number(values.rounds), contestants);
      measurements.push(compare({ title: `${title}: POST until finished`, unit: "ms", bars }, milliseconds));
    }
    return { measurements };
  } finally {
    await killService(service);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
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

/** Submits a statement, and returns when its result is complete. */
async function select(service: Service, query: string): Promise<void> {
  submitted += 1;
  const body = { clusterName: "c1", query, outputResourcePath: `dag://out/r${submitted}/` };
  const accepted = await call(service, "POST", "/v1/?select", body);
  if (accepted?.status !== 202) throw new Error(`the submission was answered with ${JSON.stringify(accepted)}`);
  for (;;) {
    const { status } = (await call(service, "GET", `/v1/${String(accepted.body["queryId"])}?query`))!.body;
    if (status === "finished") return;
    if (status !== "running") throw new Error(`the query ended as ${String(status)}`);
    await sleep(pause);
  }
}

/** Returns a function that runs a statement on an open DuckDB and flushes its result to the disk. */
async function duckdb(sql: string, path: string): Promise<() => Promise<void>> {
  const { DuckDBInstance } = servicePackage("@duckdb/node-api") as typeof import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return async () => {
    await connection.run(`COPY (${sql}) TO '${path}' (FORMAT csv, HEADER false)`);
    const file = openSync(path, "r+");
    fsyncSync(file);
    closeSync(file);
  };
}
