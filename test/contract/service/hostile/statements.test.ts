/**
 * Statements that try to access data outside the buckets: each is refused at submission; nothing is read, written or
 * run.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended } from "../caller";
import { useService } from "../fixture";

const f = useService();
const manyMembers = `${JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n])))}\n`;
let serial = 0;
const secret = "the-secret-nobody-may-read";
let outside: string;

beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), "dag-outside-"));
  writeFileSync(join(outside, "secret.csv"), `${secret}\n`);
});
afterAll(() => rmSync(outside, { recursive: true }));

const t = "data.events";

/** `OUTSIDE` is a folder of this machine outside the buckets. */
const statements: readonly string[] = [
  // Local files, with functions of the engine and of Hive.
  "select * from read_csv('OUTSIDE/secret.csv')",
  "select * from read_text('OUTSIDE/secret.csv')",
  "select * from read_blob('OUTSIDE/*')",
  "select * from read_json('OUTSIDE/secret.csv')",
  "select * from read_parquet('OUTSIDE/x.parquet')",
  "select * from glob('OUTSIDE/*')",
  "select * from sniff_csv('OUTSIDE/secret.csv')",
  "select * from 'OUTSIDE/secret.csv'",
  'select * from "OUTSIDE/secret.csv"',
  "select * from `OUTSIDE/secret.csv`",
  "select * from data.`../../secret.csv`",
  "select * from `..`.`secret`",
  "select * from `data/../../..`.etc",
  `select read_text('OUTSIDE/secret.csv') from ${t}`,
  `select content from ${t} lateral view read_text('OUTSIDE/secret.csv') x as content`,
  `select in_file('x', 'OUTSIDE/secret.csv') from ${t}`,
  `select getenv('HOME') from ${t}`,
  `select getvariable('x') from ${t}`,
  // Code execution.
  `select reflect('java.lang.System', 'getenv', 'HOME') from ${t}`,
  `select java_method('java.lang.Runtime', 'getRuntime') from ${t}`,
  `select reflect2(id, 'toString') from ${t}`,
  `select transform(id) using '/bin/sh' as x from ${t}`,
  `from ${t} map id using '/bin/cat' as x`,
  `from (from ${t} map id using '/bin/cat' as x) y reduce x using '/bin/sh' as z`,
  "select * from query('select 1')",
  "select * from query_table('duckdb_settings')",
  `select eval('1') from ${t}`,
  "create temporary function f as 'evil.F'",
  "add jar 'OUTSIDE/evil.jar'",
  "add file OUTSIDE/secret.csv",
  // The network and other databases.
  "select * from read_csv('http://127.0.0.1:1/x')",
  "select * from read_csv('s3://bucket/x')",
  "attach 'OUTSIDE/evil.db' as evil",
  "install httpfs",
  "load httpfs",
  "select * from sqlite_scan('OUTSIDE/x.db', 'x')",
  "select * from postgres_scan('', '', '')",
  // The engine's settings and internals.
  "set hive.exec.pre.hooks=evil.Hook",
  "set memory_limit='1TB'",
  "pragma database_list",
  "reset all",
  "select * from duckdb_settings()",
  "select * from duckdb_secrets()",
  "select * from duckdb_tables()",
  "select * from information_schema.tables",
  "select * from pg_catalog.pg_tables",
  "select * from sqlite_master",
  `select current_setting('home_directory') from ${t}`,
  `select set_config('a', 'b') from ${t}`,
  "select * from pragma_database_list",
  "select * from pragma_version()",
  // Writes, and more than one statement.
  `select * from ${t}; drop table ${t}`,
  `select * from ${t}; copy ${t} to 'OUTSIDE/copy.csv'`,
  `copy ${t} to 'OUTSIDE/copy.csv'`,
  `export database 'OUTSIDE/all'`,
  `insert overwrite local directory 'OUTSIDE/copy' select * from ${t}`,
  `insert overwrite directory 'dag://out/x' select * from ${t}`,
  `insert into table ${t} select * from ${t}`,
  `from ${t} insert overwrite table data.x select *`,
  `create table data.x as select * from ${t}`,
  `create view data.x as select * from ${t}`,
  `drop table ${t}`,
  `truncate table ${t}`,
  `load data local inpath 'OUTSIDE/secret.csv' into table ${t}`,
  `alter table ${t} set location 'file:OUTSIDE'`,
  `delete from ${t}`,
  `update ${t} set v = 'x'`,
  `merge into ${t} using ${t} x on true when matched then delete`,
  `explain select * from ${t}`,
  `analyze table ${t} compute statistics`,
  "show databases",
  "describe data.events",
  "call enable_logging()",
  "checkpoint",
  "vacuum",
  // Obfuscated variants.
  `select * from ${t} -- \n; drop table ${t}`,
  `select * from ${t} /* */; /* */ drop table ${t}`,
  "sel\u0000ect 1",
  `select * from ${t} where v = '\\'; drop table x; --'; drop table ${t}`,
  "\u{feff}drop table x",
  `select * from ${t} where exists (select * from read_text('OUTSIDE/secret.csv'))`,
  `with x as (select * from read_text('OUTSIDE/secret.csv')) select * from x`,
  `select * from ${t} union all select * from read_text('OUTSIDE/secret.csv')`,
  "select * from data.tmp",
];

test.each(statements)("statements: %j is refused", async (statement) => {
  const before = f.entries("out");
  const { status, json } = await f.select({ query: statement.replaceAll("OUTSIDE", outside) });
  expect([status, json.code]).toEqual([
    expect.any(Number),
    expect.stringMatching(/^(InvalidDMLStatement|InvalidTableName|InvalidDatabaseName|InputBucketIsNotFound)$/),
  ]);
  expect(json.message).not.toContain(secret);
  expect(f.entries("out")).toEqual(before);
  expect(readdirSync(outside)).toEqual(["secret.csv"]);
});

test("statements: an attack inside a string literal is treated as plain text", async () => {
  const { json } = await f.select({
    query: `select '; drop table x; --' a, "read_csv('/etc/passwd')" b, v from ${t} where id = 1`,
    outputResourcePath: "dag://out/texts",
  });
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished" });
  expect(f.get("out/texts/000000_0")).toBe("; drop table x; --,read_csv('/etc/passwd'),x\n");
});

test("statements: a symbolic link in a table's folder that leads out of the storage is not followed", async () => {
  mkdirSync(join(f.service.bucketsDirectory, "data/linked"));
  symlinkSync(join(outside, "secret.csv"), join(f.service.bucketsDirectory, "data/linked/a.csv"));
  const { status, json } = await f.select({
    query: "select * from data.linked",
    outputResourcePath: "dag://out/linked",
  });
  const outcome = status === 202 ? (await ended(f.service, json.queryId)).status : json.code;
  expect(outcome).toMatch(/^(error|StorageAccessError)$/);
  expect(existsSync(join(f.service.bucketsDirectory, "out/linked"))).toBe(false);
});

/** 100 kB when compressed. */
const rows = randomBytes(100_000).toString("hex").replaceAll("a", "\n");

test.each([
  [
    "a gzip object that is broken at its start",
    "a.csv.gz",
    Buffer.from("1f8b08000102030405060708ffff", "hex"),
    /dag:.*gzip/,
  ],
  ["a gzip object that ends early", "a.csv.gz", gzipSync(rows).subarray(0, 50_000), /dag:.*gzip/],
  ["a JSON member without a name", "a.jsonl", '{"":1,"a":2}\n', /name that is empty/],
  ["a JSON member with a NUL in its name", "a.jsonl", '{"a\\u0000":1}\n', /NUL/],
  ["5,000 JSON members", "a.jsonl", manyMembers, /5000 columns/],
  ["a line that is not JSON", "a.jsonl", "{not json\n", /dag:\S+a\.jsonl has a line that is not a JSON object/],
])("tables: %s gets an answer that says why", async (_, name, content, reason) => {
  const folder = `broken${(serial += 1)}`;
  mkdirSync(join(f.service.bucketsDirectory, "data", folder));
  writeFileSync(join(f.service.bucketsDirectory, "data", folder, name), content);
  const { status, json } = await f.select({ query: `select count(*) from data.${folder}` });
  expect([status, json.code]).toEqual([400, "InvalidDMLStatement"]);
  expect(json.message).toMatch(reason);
});

test("statements: 2,000 UNION ALLs are refused (InvalidDMLStatement)", { timeout: 60_000 }, async () => {
  const query = Array.from({ length: 2001 }, () => `select 1 from ${t}`).join(" union all ");
  const { status, json } = await f.select({ query });
  expect([status, json.code]).toEqual([400, "InvalidDMLStatement"]);
});

test("statements: deeply nested, long and wide statements get a response", { timeout: 120_000 }, async () => {
  const shapes = [
    `select ${"(".repeat(3000)}1${")".repeat(3000)} from ${t}`,
    `select ${"1+".repeat(20_000)}1 from ${t}`,
    `select ${Array.from({ length: 5000 }, (_, n) => `id c${n}`).join(",")} from ${t}`,
    `select * from ${t} where ${Array.from({ length: 5000 }, (_, n) => `id = ${n}`).join(" or ")}`,
    `select '${"x".repeat(900_000)}' from ${t}`,
    `${"select * from (".repeat(500)}select 1 from ${t}${") x".repeat(500)}`,
  ];
  for (const query of shapes) {
    const { status, json } = await f.select({ query });
    expect([202, 400]).toContain(status);
    if (status === 202) await f.call("DELETE", `/v1/${json.queryId}?query`);
    const after = await f.select();
    expect([after.status, after.json.code]).toEqual([202, undefined]);
    await ended(f.service, after.json.queryId);
  }
});
