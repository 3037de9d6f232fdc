/** How DuckDB reads Parquet objects on S3 itself, through its extension httpfs. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Database } from "../../../service/engines/duckdb/process/database";
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
  await connection.run(`COPY (${rows}) TO '${path(key).replaceAll("'", "''")}' (FORMAT parquet${options})`);
  connection.closeSync();
  return path(key);
}

const table = (name: string): TableDefinition => ({
  database: "default",
  table: name,
  location: { bucket: "default", key: `${name}/` },
  format: "parquet",
});

/** Rows of an object that is read by ranges. */
const largeRows = "SELECT range AS id, md5(range::VARCHAR) AS v FROM range(150000)";

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
  await put("large/part", largeRows);
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

/** Runs a statement on S3 and on the same files, and returns the result and what was read from S3. */
async function same(statement: string, tables: readonly TableDefinition[]) {
  proxy.reset();
  const found = await machine.run(engine, statement, tables);
  const { sums } = proxy;
  expect(found).toBe(await local.run(onFiles, statement, tables));
  return { ...sums, found };
}

test("select: a few columns are read by ranges, and the result is that of files", async () => {
  const size = 2 * statSync(path("wide/part-0")).size;
  const statement = "SELECT c3, count(*) AS n FROM wide WHERE c7 < 100 GROUP BY c3 ORDER BY c3, n";
  const { bytes, byDuckDB } = await same(statement, [table("wide")]);
  expect(byDuckDB).toBeGreaterThan(0);

  expect(bytes).toBeLessThan(size * 0.08);
  const count = await same("SELECT count(*) FROM wide", [table("wide")]);
  expect(count.bytes).toBeLessThan(400_000);
});

test("select: small objects are copied, and read together with others in the order of partitions and file names", async () => {
  await put("mixed/dt=2026-01-01/small", "SELECT range AS id, 'a' AS v FROM range(10)");
  await put("mixed/dt=2026-01-02/large", largeRows);
  await put("mixed/dt=2026-01-03/large", largeRows);
  const group = "SELECT dt, INPUT__FILE__NAME, count(*), max(id), min(v) FROM mixed";
  const all = await same(`${group} GROUP BY dt, INPUT__FILE__NAME ORDER BY dt`, [table("mixed")]);
  expect(all.byDuckDB).toBeGreaterThan(0);
  expect(proxy.reads.filter(({ byDuckDB, path: read }) => byDuckDB && read.includes("small"))).toEqual([]);
  await same(`${group} WHERE dt = '2026-01-03' GROUP BY dt, INPUT__FILE__NAME`, [table("mixed")]);
  const reads = (partition: string) => proxy.reads.filter(({ path: read }) => read.includes(`${partition}/`));
  proxy.reset();
  await machine.run(engine, `${group} WHERE dt = '2026-01-03' GROUP BY dt, INPUT__FILE__NAME`, [table("mixed")]);
  expect([reads("dt=2026-01-01"), reads("dt=2026-01-02")]).toEqual([[], []]);
  expect(reads("dt=2026-01-03").length).toBeGreaterThan(0);
});

test("select: reads more bytes than may be copied", async () => {
  const family = { tempBytes: 1_000_000, storage: { s3: { endpoint: proxy.endpoint }, environment: s3Environment } };
  const copying = await machine.start({}, family);
  const statement = "SELECT sum(id), max(c1) FROM wide";
  await expect(machine.run(copying, statement, [table("wide")])).rejects.toThrow("have more than 1.0 MB");
  const reading = await machine.start(
    {},
    {
      ...family,
      storage: { ...family.storage, s3: { ...family.storage.s3, httpfs } },
    },
  );
  expect(await machine.run(reading, statement, [table("wide")])).toMatch(/^2249985/);
});

test("select: without the extension objects are copied, and a text table never needs it", async () => {
  const copying = await start({}, {});
  const statement = "SELECT max(c5) FROM wide";
  const copied = await machine.run(copying, statement, [table("wide")]);
  expect(proxy.sums).toMatchObject({ byDuckDB: 0 });
  expect(proxy.sums.bytes).toBeGreaterThan(2 * statSync(path("wide/part-0")).size);
  expect(copied).toBe(await machine.run(engine, statement, [table("wide")]));
  proxy.reset();
  const text = machine.table("text", `${"1,some text\n".repeat(200_000)}`);
  expect(await machine.run(engine, "SELECT count(*) FROM text", [text])).toBe("200000\n");
  expect(proxy.sums.byDuckDB).toBe(0);
});

const keys = [
  "b c",
  "p%25",
  "p%",
  "100%41",
  "q?x",
  "q?s3_endpoint=evil",
  "st*r",
  "br[a]",
  "h#sh",
  "ünï",
  "日本",
  "u\u0308",
  "pl+us",
  "am&p",
  "quo'te",
  'dq"',
  "col:on",
  "x=1,y;z@",
  "tld~(!)$",
  "{b}",
  "^`|<>",
  "é/ü",
  "s3:x",
];

test.each(keys)("select: an object with the key %s", async (key) => {
  const folder = `key${keys.indexOf(key)}`;
  const file = path(`${folder}/${key}/part`);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(path("large/part"), file);
  // Neither a pattern nor a decoded name must find other objects.
  for (const other of ["stXr", "bra", "A", "100A", "b%20c", "b+c", "pl us", "p"]) {
    if (other === key) continue;
    mkdirSync(join(path(folder), other), { recursive: true });
    copyFileSync(file, join(path(folder), other, "_hidden"));
  }
  const { found, byDuckDB } = await same(`SELECT count(*), max(id) FROM ${folder}`, [table(folder)]);
  expect(found).toBe("150000,149999\n");
  const isPlain = !/[*?[]/.test(key);
  expect(byDuckDB > 0, "read by DuckDB").toBe(isPlain);
});

test("select: an object that is changed while it is read ends the query", async () => {
  const rows = "SELECT range AS id, md5(range::VARCHAR) AS v FROM range(600000)";
  for (const [count, when] of [
    [600_000, "before its rows are read"],
    [599_999, "before its rows are read"],
    [600_000, "after its first rows were read"],
  ] as const) {
    const file = await put("changing/part", rows, ", ROW_GROUP_SIZE 20000");
    await put("other/part", `SELECT id, 'X' || v[2:] AS v FROM (${rows}) LIMIT ${count}`, ", ROW_GROUP_SIZE 20000");
    let requests = 0;
    proxy.before = ({ byDuckDB }) => {
      requests += byDuckDB ? 1 : 0;
      if (byDuckDB && requests === (when === "before its rows are read" ? 1 : 4)) {
        writeFileSync(file, readFileSync(path("other/part")));
      }
      return true;
    };
    await expect(
      machine.run(engine, "SELECT max(v), count(*) FROM changing", [table("changing")]),
      `${count} ${when}`,
    ).rejects.toThrow("dag://default/changing/part was changed while the query ran: submit it again");
  }
});

test("select: objects that the server refuses are named in our words, at once or while they are read", async () => {
  const select = () => machine.run(engine, "SELECT max(c2) FROM wide", [table("wide")]);
  proxy.before = ({ method, path: read }) => method !== "GET" || !read.endsWith("part-1");
  await expect(select()).rejects.toThrow(/^dag:\/\/default\/wide\/part-1 cannot be accessed: .*AccessDenied/);
  let begun = false;
  proxy.before = ({ byDuckDB, method, path: read }) => {
    begun ||= byDuckDB;
    return !begun || method !== "GET" || !read.endsWith("part-1");
  };
  await expect(select()).rejects.toThrow(/^dag:\/\/default\/wide\/part-1 cannot be accessed: .*AccessDenied/);
  proxy.before = ({ byDuckDB }) => !byDuckDB;
  // Only DuckDB is refused, for which there is no reason of S3's.
  await expect(select()).rejects.toThrow(
    "an object or folder that the query reads or writes was changed or deleted meanwhile, or cannot be accessed: submit it again",
  );
  proxy.reset();
  await select();
});

test("select: a cancelled one ends, also while S3 does not answer", async () => {
  const cancel = new AbortController();
  const reading = new Promise<void>((begun) => {
    proxy.before = ({ byDuckDB }) => {
      if (byDuckDB) begun();
      return byDuckDB ? new Promise(() => undefined) : true;
    };
  });
  const context = new Recorder(cancel.signal);
  const running = machine.run(engine, "SELECT max(c2) FROM wide", [table("wide")], { context });
  running.catch(() => undefined);
  await reading;
  cancel.abort(new Error("cancelled by the test"));
  await expect(running).rejects.toThrow("cancelled by the test");
});

test("statements see no secret, and nothing that is written has it", async () => {
  const debugging = await start({ debug: true });
  const statement = "SELECT max(c2) FROM wide";
  await machine.run(debugging, statement, [table("wide")]);
  proxy.before = ({ byDuckDB }) => !byDuckDB;
  await expect(machine.run(debugging, statement, [table("wide")])).rejects.toThrow();
  proxy.reset();
  for (const hostile of [
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM wide WHERE c1 IN (SELECT secret_string FROM duckdb_secrets())",
    "SELECT which_secret('s3://default/wide/part-0', 's3') FROM wide",
    "SELECT current_setting('s3_secret_access_key') FROM wide",
  ]) {
    await expect(debugging.checkSelect({ statement: hostile, tables: [table("wide")] }, submission)).rejects.toThrow();
    await expect(machine.run(debugging, hostile, [table("wide")])).rejects.toThrow();
  }
  const clusters = join(machine.root, "clusters");
  const files = readdirSync(clusters, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
  expect(written).toContain("/default/wide/part-0");
  expect(written).not.toContain(s3Credentials.secretAccessKey);
});

test("the database of a select reaches the folders of its tables only", async () => {
  machine.put("secret", "t/part", readFileSync(path("wide/part-0")));
  const folders = ["s3://default/wide/"];
  const { protocol, host } = new URL(proxy.endpoint);
  const key = `KEY_ID '${s3Credentials.accessKeyId}', SECRET '${s3Credentials.secretAccessKey}'`;
  const secret = (scope: string) =>
    `CREATE OR REPLACE TEMPORARY SECRET objects (TYPE s3, SCOPE '${scope}', ${key}, REGION 'us-east-1', ENDPOINT '${host}', URL_STYLE 'path', USE_SSL ${protocol === "https:"})`;
  const settings = {
    debug: false,
    memoryBytes: 256_000_000,
    threads: 1,
    tempDirectory: join(machine.root, "isolated", "temp"),
    tempBytes: 1_000_000,
    resultObjectBytes: 1_000_000,
    dataDirectory: join(machine.root, "isolated", "data"),
  };
  vi.stubEnv("AWS_ACCESS_KEY_ID", s3Credentials.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", s3Credentials.secretAccessKey);
  const base = await Database.open(settings, { macros: () => Promise.resolve() });
  await base.withRemote({ extension: httpfs, folders }, async (database) => {
    await database.setCredentials(secret("s3://default/wide/"));
    const run = (sql: string) => database.forSelects.runAndReadAll(sql);
    expect((await run("SELECT count(*) FROM read_parquet('s3://default/wide/part-0')")).getRowsJson()).toEqual([
      ["150000"],
    ]);
    const { value } = (
      await run("SELECT value FROM duckdb_settings() WHERE name = 's3_secret_access_key'")
    ).getRowObjectsJson()[0]!;
    expect(value).toBe("");
    proxy.reset();
    for (const sql of [
      "SELECT count(*) FROM read_parquet('s3://secret/t/part')",
      "SELECT count(*) FROM read_parquet('s3://default/changing/part')",
      "SELECT count(*) FROM read_parquet('s3://default/wide/../changing/part')",
      "SELECT count(*) FROM read_parquet('s3://default/wide/../../secret/t/part')",
      "SELECT count(*) FROM read_parquet('s3a://secret/t/part')",
      `SELECT * FROM read_text('${proxy.endpoint}/secret/t/part')`,
      "SELECT * FROM read_text('https://example.com/')",
      `SELECT * FROM read_text('${path("wide/part-0")}')`,
      "SELECT * FROM glob('s3://secret/**')",
      "INSTALL httpfs",
      "LOAD '/tmp/x.duckdb_extension'",
      "SET allowed_directories = ['s3://']",
      "SET s3_endpoint = 'evil.example.com'",
      "SET unsafe_disable_etag_checks = true",
      "SET lock_configuration = false",
    ]) {
      const failed = await run(sql).then(
        () => false,
        () => true,
      );
      expect(failed, sql).toBe(true);
    }
    // A path with `..` is not the one that DuckDB has signed, so that the server refuses it.
    expect(
      proxy.reads.filter(({ path: read, status }) => !read.startsWith("/default/wide/") && status !== 403),
    ).toEqual([]);
    // A secret for other buckets opens none.
    await database.setCredentials(secret("s3://"));
    await expect(run("SELECT count(*) FROM read_parquet('s3://secret/t/part')")).rejects.toThrow();
    await expect(database.setCredentials("CREATE SECRET 'a secret' (nonsense")).rejects.toThrow(
      /^DuckDB does not accept the credentials of S3/,
    );
  });
  await expect(base.forSelects.run("SELECT * FROM read_parquet('s3://default/wide/part-0')")).rejects.toThrow();
  vi.unstubAllEnvs();
});
