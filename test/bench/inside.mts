/**
 * A diagnosis inside one process, beside what callers wait for: the translator and the views of the tables, without the
 * service around them. Runs the queries of TPC-H as HiveQL through the translator, over the engine's own views of the
 * tables, and in turns the same queries as hand-written DuckDB SQL over the same files with the same types. Compares the
 * CPU time of the process, and the answers: another answer fails the benchmark.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "./support/duckdb.mts";
import { allRows, hiveql, openTables, openTranslated, readStatement, tableOfFile } from "./support/engine.mts";
import { median, timePairs } from "./support/pairs.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";
import { differenceOf } from "./support/tpch-answers.mts";
import { tpchData, tpchDataWithoutHeaders } from "./support/tpch-data.mts";
import { tpchRuns } from "./support/tpch-options.mts";
import { createPeers, type Mode as TpchMode, type TpchQuery } from "./support/tpch-queries.mts";
import { tpchTables, type TpchColumn } from "./support/tpch-tables.mts";

/** What the times are compared with. */
const reference = "DuckDB SQL";

/** How the tables are known to the service. */
const modes = {
  parquet: { title: "Parquet, declared with decimals and dates", format: "parquet", isDeclared: true },
  csv: { title: "CSV, declared with decimals and dates", format: "csv", isDeclared: true },
  inferred: { title: "CSV with header rows, with inferred types", format: "csv", isDeclared: false },
} as const satisfies Record<string, Mode>;

interface Mode extends TpchMode {
  readonly title: string;
}

/** Prints the ratios of all queries, and returns those of all queries together and of the worst one. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const measurements: Measurement[] = [];
  for (const { mode, queries, scale, rounds } of tpchRuns(options, modes, { scale: "0.2", rounds: "3" })) {
    const folder =
      mode.format === "csv" && mode.isDeclared ? tpchDataWithoutHeaders(scale) : tpchData(mode.format, scale);
    measurements.push(...(await benchMode(mode, { queries, folder, rounds })));
  }
  return { measurements };
}

interface Run {
  readonly queries: readonly TpchQuery[];
  readonly folder: string;
  readonly rounds: number;
}

async function benchMode(mode: Mode, { queries, folder, rounds }: Run): Promise<Measurement[]> {
  const connection = await openTranslated();
  const tables = Object.entries(tpchTables).map(([table, columns]) => tableOf(table, columns, { mode, folder }));
  const reader = openTables();
  const output = mkdtempSync(join(tmpdir(), "bench-tpch-"));
  console.log(`${mode.title}; CPU seconds, least to median to most of ${rounds} rounds`);
  const all: { name: string; own: readonly number[]; peer: readonly number[]; ratio: number }[] = [];
  try {
    for (const query of queries) {
      const statement = readStatement(query.hive);
      await reader.withRelations(connection, tables, statement, allRows, async (job) => {
        const types = new Map<string, string>();
        const translated = hiveql.translate(statement.query, (_database, name, node) => {
          const found = job.tableAt(node);
          for (const column of found?.columns ?? []) types.set(`${name}.${column.name}`, column.type);
          return found;
        });
        await createPeers(connection, types, { mode, folder });
        const difference = differenceOf(
          await rowsOf(connection, `${job.withClause}SELECT * FROM (${translated.textSql})`),
          await rowsOf(connection, query.sql),
        );
        if (difference) throw new Error(`${query.name} over ${mode.title} answers differently: ${difference}`);
        const copied = (sql: string) => () =>
          cpuSeconds(connection, `COPY (${sql}) TO '${join(output, "out.csv")}' (FORMAT csv)`);
        const runs = [copied(`${job.withClause}SELECT * FROM (${translated.fileSql})`), copied(query.sql)];
        const [own = [], peer = []] = await timePairs({ rounds, contestants: runs });
        const ratio = median(own) / median(peer);
        all.push({ name: query.name, own, peer, ratio });
        console.log(`  ${query.name}  HiveQL ${spread(own)}  DuckDB SQL ${spread(peer)}  ratio ${ratio.toFixed(2)}`);
      });
    }
  } finally {
    rmSync(output, { recursive: true });
    connection.closeSync();
  }
  const worst = all.toSorted((a, b) => b.ratio - a.ratio)[0]!;
  return [
    compare(
      { title: `${all.length} queries, ${mode.title}: CPU time`, unit: "s", bars: [{ reference, atMost: 1.2 }] },
      { HiveQL: all.map(({ own }) => median(own)), [reference]: all.map(({ peer }) => median(peer)) },
    ),
    compare(
      { title: `the worst of them, ${worst.name}`, unit: "s", bars: [{ reference, atMost: 1.5 }] },
      { HiveQL: worst.own, [reference]: worst.peer },
    ),
  ];
}

function tableOf(table: string, columns: readonly TpchColumn[], { mode, folder }: { mode: Mode; folder: string }) {
  const path = join(folder, `${table}.${mode.format}`);
  return tableOfFile(table, { path, format: mode.format, columns: mode.isDeclared ? columns : undefined });
}

async function rowsOf(connection: Connection, sql: string): Promise<string[][]> {
  const list = `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql}) AS answer`;
  return (await connection.runAndReadAll(list)).getRowsJson() as string[][];
}

async function cpuSeconds(connection: Connection, sql: string): Promise<number> {
  const before = process.cpuUsage();
  await connection.run(sql);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const spread = (seconds: readonly number[]) =>
  [Math.min(...seconds), median(seconds), Math.max(...seconds)].map((time) => time.toFixed(3)).join(" ");
