/** INPUT__FILE__NAME: the location of the object that a row comes from. */
import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine, Recorder } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

function define(table: string, format: TableDefinition["format"], list?: string): TableDefinition {
  const location = { bucket: "default", key: `${table}/` };
  return { database: "default", table, location, format, ...(list === undefined ? {} : { columns: columns(list) }) };
}

function tableOf(table: string, format: "csv" | "tsv" | "json", objects: Record<string, string | Uint8Array>) {
  for (const [name, content] of Object.entries(objects)) machine.put("default", `${table}/${name}`, content);
  return define(table, format);
}

const run = async (statement: string, ...tables: TableDefinition[]) =>
  (await machine.run(engine, statement, tables)).replace(/\n$/, "").split("\n");

describe("INPUT__FILE__NAME", () => {
  test.each([
    ["csv", { "a.csv": "n,s\n1,x\n2,y\n", "b.csv.gz": gzipSync("3,z\n"), "it's [1].csv": "4,w\n" }],
    ["tsv", { "a.csv": "n\ts\n1\tx\n2\ty\n", "b.csv.gz": gzipSync("3\tz\n"), "it's [1].csv": "4\tw\n" }],
    [
      "json",
      {
        "a.csv": '{"n": 1}\n{"n": 2}\n',
        "b.csv.gz": gzipSync('{"n": 3}\n'),
        "it's [1].csv": '{"n": 4}\n',
      },
    ],
  ] as const)("select: is the location of each row's %s object", async (format, objects) => {
    const table = tableOf(format, format, objects);
    expect(await run(`SELECT n, INPUT__FILE__NAME FROM ${format} ORDER BY n`, table)).toEqual(
      ["a.csv", "a.csv", "b.csv.gz", "it's [1].csv"].map(
        (name, index) => `${index + 1},dag://default/${format}/${name}`,
      ),
    );
  });

  test("select: is the location of each row's Parquet object, in partition folders too", async () => {
    const writer = await (await DuckDBInstance.create(":memory:")).connect();
    for (const day of [1, 2]) {
      const folder = join(machine.buckets, "default", `lake/dt=2026-01-0${day}`);
      mkdirSync(folder, { recursive: true });
      await writer.run(`COPY (SELECT ${day} AS n) TO '${folder}/part.parquet' (FORMAT parquet)`);
    }
    const table = { ...define("lake", "parquet", "n int"), partitions: columns("dt date") };
    expect(await run("SELECT n, l.input__file__name FROM lake l WHERE dt > '2026-01-01'", table)).toEqual([
      "2,dag://default/lake/dt=2026-01-02/part.parquet",
    ]);
    expect(await run("SELECT count(DISTINCT INPUT__FILE__NAME), max(dt) FROM lake", table)).toEqual(["2,2026-01-02"]);
  });

  test("select: counts blank lines for their own object", async () => {
    machine.put("default", "blank/a.csv", "x\n\n");
    machine.put("default", "blank/b.csv", "\n\ny\n");
    const statement = "SELECT substr(INPUT__FILE__NAME, -5), count(*) FROM blank GROUP BY INPUT__FILE__NAME ORDER BY 1";
    expect(await run(statement, define("blank", "csv", "s string"))).toEqual(["a.csv,2", "b.csv,3"]);
  });

  test("select: has one for each table of a join, and none in *", async () => {
    const [a, b] = [tableOf("left", "csv", { "1.csv": "1\n" }), tableOf("right", "csv", { "2.csv": "1\n" })];
    const both = "FROM `left` a JOIN `right` b ON a.`_c0` = b.`_c0`";
    expect(await run(`SELECT a.INPUT__FILE__NAME, b.INPUT__FILE__NAME ${both}`, a, b)).toEqual([
      "dag://default/left/1.csv,dag://default/right/2.csv",
    ]);
    expect(await run(`SELECT * ${both} WHERE a.INPUT__FILE__NAME LIKE '%/1.csv'`, a, b)).toEqual(["1,1"]);
    await expect(run(`SELECT INPUT__FILE__NAME ${both}`, a, b)).rejects.toThrow("is ambiguous");
  });

  test("select: is the location of the objects of a split", async () => {
    const input = machine.put("default", "input.csv", "1,a\n2,b\n");
    const output = { bucket: "default", key: "cut/" };
    mkdirSync(join(machine.buckets, "default", "cut"));
    await engine.split({ queryId: 1, inputs: [input], format: "csv", output, objectBytes: 4 }, new Recorder());
    const table = define("cut", "csv", "n int, s string");
    expect(await run("SELECT n, INPUT__FILE__NAME FROM cut ORDER BY n", table)).toEqual([
      "1,dag://default/cut/000000_0",
      "2,dag://default/cut/000001_0",
    ]);
  });

  test("select: has no rows and its type without objects", async () => {
    mkdirSync(join(machine.buckets, "default", "nothing"));
    const statement = "SELECT count(INPUT__FILE__NAME), max(upper(INPUT__FILE__NAME)) FROM nothing";
    for (const format of ["csv", "json", "parquet"] as const)
      expect(await run(statement, define("nothing", format, "n int"))).toEqual(["0,\\N"]);
  });

  test("select: refuses it outside of the query that reads the table, and positions in objects", async () => {
    const table = tableOf("other", "csv", { "1.csv": "1\n" });
    await expect(run("SELECT INPUT__FILE__NAME FROM (SELECT * FROM other) o", table)).rejects.toThrow(
      "virtual column INPUT__FILE__NAME: belongs to the tables in FROM: select it, with an alias, in the subquery",
    );
    await expect(run("SELECT o.BLOCK__OFFSET__INSIDE__FILE FROM other o", table)).rejects.toThrow(
      "virtual column BLOCK__OFFSET__INSIDE__FILE: has no value: write INPUT__FILE__NAME",
    );
  });
});
