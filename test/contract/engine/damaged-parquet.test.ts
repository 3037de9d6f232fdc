/** Parquet objects whose footer can be found, and whose pages or footer are damaged. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { Machine } from "./harness";

const machine = new Machine();
let engine: Engine;
let writer: DuckDBConnection;
beforeAll(async () => {
  engine = await machine.start();
  writer = await (await DuckDBInstance.create(":memory:")).connect();
});
afterAll(() => machine[Symbol.asyncDispose]());

let serial = 0;
const pathOf = ({ location: { bucket, key } }: TableDefinition, name: string) =>
  machine.storage.path({ bucket, key: `${key}${name}` });

/** Defines a table `t` of Parquet objects with the rows of a SELECT. */
async function tableOf(select: string, names: readonly string[]): Promise<TableDefinition> {
  const location = { bucket: "default", key: `p${(serial += 1)}/` };
  const table: TableDefinition = { database: "default", table: "t", location, format: "parquet" };
  for (const name of names) {
    mkdirSync(dirname(pathOf(table, name)), { recursive: true });
    await writer.run(`COPY (${select}) TO '${pathOf(table, name)}' (FORMAT parquet)`);
  }
  return table;
}

/** Changes the object a.parquet of a table. */
function damage(table: TableDefinition, change: (content: Buffer) => Uint8Array): void {
  machine.put("default", `${table.location.key}a.parquet`, change(readFileSync(pathOf(table, "a.parquet"))));
}

const run = async (statement: string, table: TableDefinition) =>
  (await machine.run(engine, statement, [table])).replace(/\n$/, "").split("\n");

test.each<[string, (content: Buffer) => Uint8Array]>([
  ["headers of pages are damaged", (content) => content.fill(0xff, 10, 300)],
  ["pages are damaged", (content) => content.fill(0xff, 1000, 1100)],
  [
    "pages are missing",
    (content) =>
      Buffer.concat([content.subarray(0, 4), content.subarray(-content.readUInt32LE(content.length - 8) - 8)]),
  ],
])("select: names an object, or its table, whose %s", async (_, change) => {
  const select = "SELECT range AS n, 'name ' || range AS name FROM range(1000)";
  const table = await tableOf(select, ["a.parquet"]);
  damage(table, change);
  const damaged = "is damaged, or has texts that are not UTF-8: write it again, or remove it";
  const statement = "SELECT max(n), max(name) FROM t";
  await expect(run(statement, table)).rejects.toThrow(`dag://default/${table.location.key}a.parquet ${damaged}`);
  const several = await tableOf(select, ["a.parquet", "b.parquet"]);
  damage(several, change);
  await expect(run(statement, several)).rejects.toThrow(
    /(?:a\.parquet|one of the Parquet objects of default\.t) is damaged/,
  );
});

test("select: a damaged footer on which DuckDB fails internally is named, and the process runs the next query", async () => {
  const select = "SELECT (range * 1000)::DECIMAL(9,2) AS d, DATE '2026-01-01' AS day FROM range(1000)";
  const table = await tableOf(select, ["a.parquet"]);
  const sound = await tableOf(select, ["a.parquet"]);
  // The column's precision is 2 and its greatest value has more digits.
  const precision = Buffer.from([0x25, 10, 0x15, 4, 0x15, 18]);
  damage(table, (content) => content.fill(4, content.indexOf(precision) + 5, content.indexOf(precision) + 6));
  for (let times = 0; times < 3; times += 1) {
    await expect(run("SELECT max(d) FROM t", table)).rejects.toThrow("a.parquet cannot be read as Parquet: its footer");
    await expect(run("SELECT max(d) FROM t", sound)).resolves.toEqual(["999000.00"]);
  }
});
