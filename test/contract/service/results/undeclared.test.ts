/** Tables without declared columns, through the service. */
import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ended } from "../caller";
import { objects, useService } from "../fixture";

const long = "x".repeat(100_000);

const fixture = useService({
  objects: {
    ...objects,
    "dag://lake/long/a.csv": `${long},2,3\ny,5,6\n`,
    "dag://lake/tabs/part-0": `${long}\t2\t3\ny\t5\t6\n`,
    "dag://lake/wide/a.csv": `${Array.from({ length: 33_000 }, (_, index) => index).join(",")}\n`,
    "dag://lake/thousand/a.csv": `${Array.from({ length: 1000 }, (_, index) => index).join(",")}\n`,
    "dag://lake/endless/a.csv": `${"x".repeat(17_000_000)},2\n`,
    "dag://raw/long.csv": `${long},2,3\ny,5,6\n`,
  },
});

beforeAll(async () => {
  const folder = join(fixture.service.bucketsDirectory, "lake/deep");
  mkdirSync(folder, { recursive: true });
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const value = `${"{'f': ".repeat(100)}1${"}".repeat(100)}`;
  await connection.run(`COPY (SELECT ${value} AS s) TO '${folder}/a.parquet' (FORMAT parquet)`);
});

async function contentOf(query: string, path: string): Promise<string | undefined> {
  const { status, json } = await fixture.select({ query, outputResourcePath: `dag://out/${path}/` });
  expect([status, json.message]).toEqual([202, undefined]);
  expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "finished" });
  return fixture.get(`out/${path}/000000_0`);
}

test("submitSelect: a first row of 100 KB has all its columns", async () => {
  expect(await contentOf("SELECT * FROM lake.long", "long")).toBe(`${long},2,3\ny,5,6\n`);
  expect(await contentOf("SELECT `_c2`, `_c1` FROM lake.tabs", "tabs")).toBe("3,2\n6,5\n");
});

test("submitSplit: without a schema, the record has all columns of a first row of 100 KB", async () => {
  const { json } = await fixture.split({ inputObjectKeys: ["dag://raw/long.csv"] });
  expect(await ended(fixture.service, json.queryId)).toMatchObject({
    status: "finished",
    schema: "string _c0, bigint _c1, bigint _c2",
  });
});

test("submitSelect: 1,000 undeclared columns are read", async () => {
  const row = await contentOf("SELECT * FROM lake.thousand", "thousand");
  expect(row?.split(",")).toHaveLength(1000);
});

test.each([
  [
    "more than 1,000 columns",
    "wide",
    'the table "lake.wide" has 33000 columns, and at most 1000 can be inferred: declare',
  ],
  [
    "a row above 16 MiB",
    "endless",
    "dag://lake/endless/a.csv has a row of more than 16777216 bytes, which is the longest",
  ],
  ["100 levels of structs", "deep", 'the column "s" of dag://lake/deep/a.parquet has 100 nested levels'],
])("submitSelect: refuses %s with the name and the remedy", async (_, table, reason) => {
  const { status, json } = await fixture.select({ query: `SELECT count(*) FROM lake.${table}` });
  expect([status, json.code]).toEqual([400, "InvalidDMLStatement"]);
  expect(json.message).toContain(reason);
});
