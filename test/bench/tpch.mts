/**
 * Runs the 22 queries of TPC-H as HiveQL through the service, and in turns the same queries as DuckDB SQL written by hand
 * over the same files with the same types, in this process. Compares the CPU time of all processes of the service with
 * that of this one. `inside.mts` compares the answers.
 */
import { linkSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cpuSeconds, finish, openDoor, type Door } from "./support/door.mts";
import { openDuckDB, type Connection } from "./support/duckdb.mts";
import { median, timePairs } from "./support/pairs.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";
import { tpchData, tpchDataWithoutHeaders } from "./support/tpch-data.mts";
import { tpchRuns, type TpchRun } from "./support/tpch-options.mts";
import { createPeers } from "./support/tpch-queries.mts";
import { tpchTables } from "./support/tpch-tables.mts";

const reference = "DuckDB SQL";

/** How the tables are stored; both are declared. With the greatest ratio of the median query, and of any. */
const modes = {
  csv: { title: "CSV, declared with decimals and dates", format: "csv", isDeclared: true, atMost: 1.2, worst: 1.6 },
  parquet: { title: "Parquet", format: "parquet", isDeclared: true, atMost: 1.15, worst: 1.5 },
} as const;

type Mode = (typeof modes)[keyof typeof modes];

/** Prints the ratios of all queries, and returns those of all queries together and of the worst one. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const measurements: Measurement[] = [];
  for (const run of tpchRuns<Mode>(options, modes, { scale: "1", rounds: "2" }))
    measurements.push(...(await benchMode(run)));
  return { measurements };
}

async function benchMode({ mode, queries, scale, rounds }: TpchRun<Mode>): Promise<Measurement[]> {
  const source = mode.format === "csv" ? tpchDataWithoutHeaders(scale) : tpchData(mode.format, scale);
  const tables = Object.entries(tpchTables).map(([table, columns]) => ({
    database: "default",
    table,
    format: mode.format,
    ...(mode.format === "csv" ? { schema: columns.map(({ name, type }) => `${type} ${name}`).join(", ") } : {}),
  }));
  // Beside the data, so that its files can be linked instead of copied.
  await using door = await openDoor({ tables, parent: source.slice(0, source.lastIndexOf("/")) });
  for (const { table } of tables) {
    mkdirSync(join(door.buckets, "default", table), { recursive: true });
    linkSync(join(source, `${table}.${mode.format}`), join(door.buckets, "default", table, `${table}.${mode.format}`));
  }
  const duckdb = await openDuckDB();
  await createPeers(duckdb, new Map(), { mode, folder: source });
  console.log(`${mode.title}; median CPU seconds of ${rounds} rounds`);
  const all: { name: string; own: readonly number[]; peer: readonly number[]; ratio: number }[] = [];
  for (const { name, hive, sql } of queries) {
    const contestants = [() => serviceSeconds(door, hive), () => duckdbSeconds(door, duckdb, sql)];
    const [own = [], peer = []] = await timePairs({ rounds, warmUps: contestants, contestants });
    const ratio = median(own) / median(peer);
    all.push({ name, own, peer, ratio });
    console.log(`  ${name}  service ${median(own).toFixed(3)}  DuckDB ${median(peer).toFixed(3)}  ${ratio.toFixed(2)}`);
  }
  duckdb.closeSync();
  const worst = all.toSorted((a, b) => b.ratio - a.ratio)[0]!;
  const title = `${all.length} queries at scale ${scale}, ${mode.title}: CPU time`;
  return [
    compare(
      { title, unit: "s", bars: [{ reference, atMost: mode.atMost }] },
      { "dag-service": all.map(({ own }) => median(own)), [reference]: all.map(({ peer }) => median(peer)) },
    ),
    compare(
      {
        title: `the worst of them over ${mode.format}, ${worst.name}`,
        unit: "s",
        bars: [{ reference, atMost: mode.worst }],
      },
      { "dag-service": worst.own, [reference]: worst.peer },
    ),
  ];
}

let results = 0;

/** Milliseconds between two questions for the status: nobody measures the wait, and each takes half a millisecond of CPU. */
const askMilliseconds = 50;

/** The CPU time of a query, of which what a process does after its end counts for the next one. */
async function serviceSeconds(door: Door, query: string): Promise<number> {
  const before = cpuSeconds(door);
  const output = (results += 1);
  await finish(door, "select", { query, outputResourcePath: `dag://out/r${output}/` }, askMilliseconds);
  const seconds = cpuSeconds(door) - before;
  rmSync(join(door.buckets, `out/r${output}`), { recursive: true, force: true });
  return seconds;
}

async function duckdbSeconds(door: Door, duckdb: Connection, sql: string): Promise<number> {
  const before = process.cpuUsage();
  await duckdb.run(`COPY (${sql}) TO '${join(door.directory, "reference.csv")}' (FORMAT csv)`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
