import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { castFromText, register, setupSql } from "../../../../../../hiveql/index";
import { readStatement } from "../../../../../../service/engines/duckdb/process/translator";
import { Tables } from "../../../../../../service/engines/duckdb/tables";
import { RememberedFacts } from "../../../../../../service/engines/duckdb/tables/remembered-facts";

const folder = mkdtempSync(join(tmpdir(), "remembered-facts-"));
const path = join(folder, "rows.csv");
const rows = (last: string) => `${"1,2.5\n".repeat(200_000)}${last}\n`;
/** Longer than files take to settle, in milliseconds. */
const settled = 100;

let connection: DuckDBConnection;
let directory: string;
let number = 0;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  register(connection);
  for (const statement of setupSql) await connection.run(statement);
  writeFileSync(path, rows("3,4.5"));
});
beforeEach(() => {
  directory = join(folder, String((number += 1)));
});
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true });
});

/** Returns the types of the columns, as a new process finds them. */
async function types(): Promise<readonly string[]> {
  const tables = new Tables({ cast: castFromText, remembered: new RememberedFacts(directory) });
  const file = { path, location: path, size: statSync(path).size };
  const table = { database: "default", table: "t", format: "csv" as const, checked: false, files: [file] };
  const query = readStatement("select * from t");
  const options = { scanMode: "always", signal: new AbortController().signal } as const;
  let found: readonly string[] = [];
  await tables.withRelations(connection, [table], query, options, async (job) => {
    found = job.undeclared.map(({ type }) => type);
  });
  return found;
}

const remembered = () => readdirSync(directory).map((name) => join(directory, name));

test("remembered facts: a later process takes them instead of reading the rows", async () => {
  await sleep(settled);
  expect(await types()).toEqual(["bigint", "double"]);
  const [file = ""] = remembered();
  writeFileSync(file, readFileSync(file, "utf8").replace('"double"', '"string"'));
  expect(await types()).toEqual(["bigint"]);
});

test("remembered facts: rows that changed are read again, also when size and modification time are the same", async () => {
  await sleep(settled);
  expect(await types()).toEqual(["bigint", "double"]);
  const { mtime } = statSync(path);
  writeFileSync(path, rows("x,4.5"));
  utimesSync(path, mtime, mtime);
  expect(await types()).toEqual(["double"]);
  writeFileSync(path, rows("3,4.5"));
});

test("remembered facts: those of a file that changed just now are not kept", async () => {
  writeFileSync(path, rows("3,4.5"));
  vi.useFakeTimers({ toFake: ["Date"], now: statSync(path).ctimeMs + 10 });
  await types();
  vi.useRealTimers();
  expect(() => remembered()).toThrow(expect.objectContaining({ code: "ENOENT" }));
});

test("remembered facts: a process waits for another one that reads the rows", async () => {
  await sleep(settled);
  await types();
  const [file = ""] = remembered();
  const facts = readFileSync(file, "utf8");
  rmSync(file);
  writeFileSync(`${file}-claim`, "");
  const found = types();
  const early = await Promise.race([found, sleep(300, "waiting")]);
  writeFileSync(file, facts.replace('"double"', '"string"'));
  rmSync(`${file}-claim`);
  expect([early, await found]).toEqual(["waiting", ["bigint"]]);
  expect(remembered()).toEqual([file]);
});

test("remembered facts: a claim of a process that ended holds nobody up for long", async () => {
  await sleep(settled);
  await types();
  const [file = ""] = remembered();
  rmSync(file);
  const claim = `${file}-claim`;
  writeFileSync(claim, "");
  const longAgo = new Date(Date.now() - 6000);
  utimesSync(claim, longAgo, longAgo);
  expect(await types()).toEqual(["bigint", "double"]);
  expect(remembered()).toEqual([file]);
});

test("remembered facts: a damaged file counts as none", async () => {
  await sleep(settled);
  await types();
  for (const file of remembered()) writeFileSync(file, '{"columns":[{"name":"_c0"');
  expect(await types()).toEqual(["bigint", "double"]);
});

test("remembered facts: a directory that cannot be written keeps nothing, and the rows are read", async () => {
  await sleep(settled);
  mkdirSync(folder, { recursive: true });
  writeFileSync(directory, "a file");
  expect(await types()).toEqual(["bigint", "double"]);
});
