import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { ended } from "../caller";
import { objects, useService } from "../fixture";

const fixture = useService({
  objects: {
    ...objects,
    "dag://lake/visits/day=2026-01-01/a.csv": "1,ann\n2,ben\n",
    "dag://lake/visits/day=2026-01-02/a.csv": "3,ann\n",
    "dag://lake/visits/_SUCCESS": "",
    "dag://lake/hits/day=1/a.csv": "7\n",
    // Damaged gzip data, which a select that opens it refuses.
    "dag://lake/hits/day=2/a.csv": Buffer.from([0x1f, 0x8b, 0, 0, 0]),
    "dag://lake/orc/a.orc": "ORC",
    "dag://lake/avro/part-0": "Obj\u0001",
    "dag://lake/packed/a.csv.bz2": "BZh91AY&SY",
    "dag://lake/zipped/part-0": "PK\u0003\u0004",
    "dag://lake/orcids/part-0": "ORCID,name\n7,ann\n",
    "dag://lake/cars/a.csv": "1,red\n",
  },
  tables: [
    {
      database: "lake",
      table: "visits",
      format: "csv",
      schema: "bigint id, string who",
      partitions: "date day",
    },
    {
      database: "lake",
      table: "sales",
      format: "parquet",
      schema: "bigint id, array<string> tags, struct<city:string> place",
      partitions: "int y",
    },
  ],
  views: [
    { database: "lake", view: "anns", query: "SELECT id, day, upper(who) AS who FROM lake.visits WHERE who = 'ann'" },
    {
      database: "lake",
      view: "ann_days",
      query: "WITH d AS (SELECT day FROM lake.anns) SELECT day, count(*) AS n FROM d GROUP BY day",
    },
    { database: "lake", view: "hit_days", query: "SELECT day AS d, count(*) AS n FROM lake.hits GROUP BY day" },
    { database: "lake", view: "round", query: "SELECT * FROM lake.about" },
    { database: "lake", view: "about", query: "SELECT * FROM lake.round" },
    { database: "lake", view: "broken", query: "SELECT FROM lake.visits" },
    { database: "lake", view: "outdated", query: "SELECT gone FROM lake.visits" },
    { database: "lake", view: "written", query: "INSERT INTO lake.visits SELECT 1" },
    { database: "default", view: "short", query: "SELECT who AS name FROM lake.visits" },
  ],
});

beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const year of [2025, 2026]) {
    const folder = join(fixture.service.bucketsDirectory, `lake/sales/y=${year}`);
    mkdirSync(folder, { recursive: true });
    const row = `${year} AS ID, ['a', 'b'] AS tags, {'City': 'Rome', 'zip': '1'} AS place`;
    const rows = `SELECT ID, tags, {'city': place.City} AS place FROM (SELECT ${row})`;
    await connection.run(`COPY (${rows}) TO '${folder}/a.parquet' (FORMAT parquet)`);
  }
});

let serial = 0;

/** Runs a statement and returns its rows. */
async function rowsOf(query: string): Promise<string[]> {
  const path = `lake-${(serial += 1)}`;
  const { status, json } = await fixture.select({ query, outputResourcePath: `dag://out/${path}/` });
  if (status !== 202) throw new Error(json.message);
  const { status: end } = await ended(fixture.service, json.queryId);
  expect(end).toBe("finished");
  return fixture.get(`out/${path}/000000_0`)!.replace(/\n$/, "").split("\n");
}

describe("tables of a lake", () => {
  test("submitSelect: reads declared partitions of csv and Parquet objects", async () => {
    expect(await rowsOf("SELECT * FROM lake.visits WHERE day >= date '2026-01-02'")).toEqual(["3,ann,2026-01-02"]);
    expect(await rowsOf("SELECT id, tags[1], place.city, y + 1 FROM lake.sales ORDER BY y")).toEqual([
      "2025,b,Rome,2026",
      "2026,b,Rome,2027",
    ]);
  });

  test("submitSelect: finds Parquet by extension and by its first bytes", async () => {
    const folder = join(fixture.service.bucketsDirectory, "lake");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const name of ["named/part.snappy.parquet", "unnamed/part-0"]) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      await connection.run(`COPY (SELECT 1 AS n) TO '${join(folder, name)}' (FORMAT parquet)`);
    }
    expect(await rowsOf("SELECT n FROM lake.named")).toEqual(["1"]);
    expect(await rowsOf("SELECT n FROM lake.unnamed")).toEqual(["1"]);
  });

  test.each([
    ["lake.orc", "dag://lake/orc/a.orc, which is ORC: convert it to Parquet"],
    ["lake.avro", "dag://lake/avro/part-0, which is Avro: convert it to Parquet"],
    [
      "lake.packed",
      "dag://lake/packed/a.csv.bz2, which is compressed with bzip2: write it as plain text, or compress it with gzip",
    ],
    ["lake.zipped", "dag://lake/zipped/part-0, which is a ZIP archive: write it as plain text"],
  ])("submitSelect: refuses %s with what to do", async (table, message) => {
    const { status, json } = await fixture.select({ query: `SELECT * FROM ${table}` });
    expect([status, json.code]).toEqual([400, "InvalidDMLStatement"]);
    expect(json.message).toContain(message);
  });

  test("submitSelect: reads text whose first letters are those of another format", async () => {
    expect(await rowsOf("SELECT orcid FROM lake.orcids")).toEqual(["7"]);
  });

  test("submitSplit: refuses Parquet objects with what to do", async () => {
    writeFileSync(join(fixture.service.bucketsDirectory, "raw/p.parquet"), "PAR1\0\0PAR1");
    const { status, json } = await fixture.split({ inputObjectKeys: ["dag://raw/p.parquet"] });
    expect([status, json.code]).toEqual([400, "InvalidFormat"]);
    expect(json.message).toContain("is Parquet, which a split does not read");
    const named = await fixture.split({ inputFormat: "parquet" });
    expect([named.status, named.json.code]).toEqual([400, "InvalidInputFormat"]);
  });
});

describe("views", () => {
  test("submitSelect: reads a view, also through another view, with an alias and in a join", async () => {
    expect(await rowsOf("SELECT * FROM lake.anns ORDER BY id")).toEqual(["1,2026-01-01,ANN", "3,2026-01-02,ANN"]);
    expect(await rowsOf("SELECT n FROM lake.ann_days WHERE day = date '2026-01-02'")).toEqual(["1"]);
    expect(await rowsOf("SELECT a.id, b.who FROM lake.anns a JOIN lake.visits b ON a.id = b.id ORDER BY 1")).toEqual([
      "1,ann",
      "3,ann",
    ]);
    expect(await rowsOf("SELECT short.name FROM short WHERE name > 'b'")).toEqual(["ben"]);
  });

  test("submitSelect: opens no object of a partition that a condition on a view excludes", async () => {
    expect(await rowsOf("SELECT d, n FROM lake.hit_days WHERE d = 1")).toEqual(["1,1"]);
    const { status } = await fixture.select({ query: "SELECT d, n FROM lake.hit_days WHERE d > 0" });
    expect(status).toBe(400);
  });

  test("submitSelect: a view does not see the names of the statement, and a name of WITH hides a view", async () => {
    expect(await rowsOf("WITH d AS (SELECT 1 x) SELECT n FROM lake.ann_days, d ORDER BY n")).toEqual(["1", "1"]);
    expect(await rowsOf("WITH short AS (SELECT 1 AS x) SELECT x FROM short")).toEqual(["1"]);
  });

  test.each([
    ["lake.round", 'the view "lake.round", which reads itself: lake.round → lake.about → lake.round'],
    ["lake.broken", 'the view "lake.broken", whose query in the config cannot be used'],
    ["lake.written", 'the view "lake.written", whose query in the config cannot be used'],
    ["lake.outdated", "query 1:15 view lake.outdated: its query at 1:8 column gone: does not exist"],
  ])("submitSelect: refuses %s and says why", async (view, message) => {
    const { status, json } = await fixture.select({ query: `SELECT * FROM ${view}` });
    expect([status, json.code]).toEqual([400, "InvalidDMLStatement"]);
    expect(json.message).toContain(message);
  });

  test("submitSelect: the tables of a view count as read", async () => {
    const { status, json } = await fixture.select({
      query: "SELECT * FROM lake.ann_days",
      outputResourcePath: "dag://lake/visits/x/",
    });
    expect([status, json.code]).toEqual([400, "InvalidOutputResourcePath"]);
    expect(json.message).toContain('lies inside the table "lake.visits"');
  });

  test("submitSplit: refuses a table with the name of a view", async () => {
    const { status, json } = await fixture.split({ outputDatabase: "lake", outputTable: "anns" });
    expect([status, json.code]).toEqual([400, "OutputTableAlreadyExists"]);
    expect(json.message).toContain("it is a view");
  });

  test("submitSelect: a check takes views as a submission does", async () => {
    const check = (query: string) => fixture.call("POST", "/check", { body: { query } });
    expect((await check("SELECT id FROM lake.anns")).json).toMatchObject({ problems: [] });
    const [problem] = (await check("SELECT who FROM lake.outdated")).json.problems;
    expect(problem).toMatchObject({ line: 1, column: 17, severity: "error" });
  });
});
