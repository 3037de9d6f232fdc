/** How DuckDB reads Parquet objects on S3 itself, through its extension httpfs. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { httpfsExtension } from "../../../tools/scale/httpfs.mts";
import { Machine, Recorder, submission } from "../engine/harness";
import { s3Credentials, startS3Server, type S3Server } from "../storage/s3-server";
import { CountingProxy } from "./counting-proxy";
import { s3Environment } from "./harness";
import { S3Machine } from "./machine";

const machine = new S3Machine();
const local = new Machine({ directory: machine.buckets });
let server: S3Server | undefined;
let proxy: CountingProxy;
let httpfs: string;
let engine: Engine;
let onFiles: Engine;
let unavailable: string | undefined;

const start = (options: { memoryBytes?: number; debug?: boolean } = {}, s3: object = { httpfs }) =>
  machine.start(options, {
    storage: { s3: { endpoint: proxy.endpoint, region: "us-east-1", ...s3 }, environment: s3Environment },
  });

const path = (key: string) => machine.storage.path({ bucket: "default", key });

/** Writes an object of the rows of a statement. */
async function put(key: string, rows: string, options = ""): Promise<string> {
  mkdirSync(dirname(path(key)), { recursive: true });
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
  await connection.run(`COPY (${rows}) TO '${path(key)}' (FORMAT parquet${options})`);
  connection.closeSync();
  return path(key);
}

const table = (name: string): TableDefinition => ({
  database: "default",
  table: name,
  location: { bucket: "default", key: `${name}/` },
  format: "parquet",
});

const wideRows = (count: number) =>
  `SELECT range AS id, ${Array.from({ length: 39 }, (_, n) => `hash(range + ${n}) % 1000000 AS c${n}`).join(", ")} FROM range(${count})`;

beforeAll(async () => {
  try {
    server = await startS3Server(machine.buckets);
    httpfs = await httpfsExtension();
  } catch (error) {
    unavailable = (error as Error).message;
    console.warn(`skipped: ${unavailable}`);
    return;
  }
  proxy = await CountingProxy.start(server.endpoint);
  engine = await start();
  onFiles = await local.start();
  const file = await put("wide/part-0", wideRows(150_000));
  copyFileSync(file, path("wide/part-1"));
}, 600_000);
afterAll(async () => {
  await local[Symbol.asyncDispose]().catch(() => undefined);
  await machine[Symbol.asyncDispose]().catch(() => undefined);
  await proxy?.[Symbol.asyncDispose]();
  await server?.close();
});
beforeEach(({ skip }) => {
  if (unavailable !== undefined) skip(unavailable);
  proxy.reset();
});

/** Runs a statement on S3 and on the same files, and returns what was read from S3. */
async function same(statement: string, tables: readonly TableDefinition[]) {
  proxy.reset();
  const found = await machine.run(engine, statement, tables);
  const { sums } = proxy;
  expect(found).toBe(await local.run(onFiles, statement, tables));
  return sums;
}

test("select: a few columns are read by ranges, and the result is that of files", async () => {
  const size = 2 * statSync(path("wide/part-0")).size;
  const statement = "SELECT c3, count(*) AS n, max(id) FROM wide WHERE c7 < 100 GROUP BY c3 ORDER BY c3, n";
  const { bytes, byDuckDB } = await same(statement, [table("wide")]);
  expect(byDuckDB).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(size * 0.12);
  const count = await same("SELECT count(*) FROM wide", [table("wide")]);
  expect(count.bytes).toBeLessThan(400_000);
});
