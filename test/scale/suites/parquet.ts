/** Tables of Parquet objects. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { beforeAll, expect, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns } from "../../contract/engine/harness";
import { type DialectName, type Place, useEngines } from "../harness";

/** Declares the tests. */
export function parquetSuite(dialect: DialectName, place: Place = "files") {
  const engines = useEngines(dialect, place);
  const { machine } = engines;
  let writer: DuckDBConnection;
  beforeAll(async () => {
    writer = await (await DuckDBInstance.create(":memory:")).connect();
    await writer.run("SET TimeZone = 'UTC'");
  });

  let tables = 0;

  /** Defines a table `t` of Parquet objects, each written by DuckDB from a SELECT. */
  async function tableOf(objects: Readonly<Record<string, string>>, options: Partial<TableDefinition> = {}) {
    const key = `parquet${++tables}/`;
    for (const [name, select] of Object.entries(objects)) {
      const path = join(machine.buckets, "default", key, name);
      mkdirSync(dirname(path), { recursive: true });
      await writer.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    }
    const location = { bucket: "default", key };
    return { database: "default", table: "t", location, format: "parquet", ...options } as TableDefinition;
  }

  async function same(statement: string, table: TableDefinition) {
    const answer = await machine.run(engines.remote, statement, [table]);
    expect(answer).toBe(await machine.run(engines.embedded, statement, [table]));
    return answer;
  }

  test("Parquet: values of each type", async () => {
    const values = [
      "true",
      "1::TINYINT",
      "1::SMALLINT",
      "1::INTEGER",
      "9007199254740993",
      "0.1::FLOAT",
      "0.1::DOUBLE",
      "12.50::DECIMAL(10,2)",
      "99999999999999999999999999999999999999::DECIMAL(38,0)",
      "'é x'",
      "DATE '2026-01-31'",
      "TIMESTAMP '2026-01-31 10:00:00.123456'",
      "TIMESTAMPTZ '2026-01-31 10:00:00.123456+00'",
      "TIMESTAMP_MS '2026-01-31 10:00:00.123'",
      "'ab'::BLOB",
      "200::UTINYINT",
      "60000::USMALLINT",
      ...(dialect === "spark" ? ["4000000000::UINTEGER", "18446744073709551615::UBIGINT"] : []),
      "NULL::INTEGER",
    ];
    const list = values.map((value, index) => `${value} AS c${index}`).join(", ");
    expect(await same("SELECT * FROM t", await tableOf({ "a.parquet": `SELECT ${list}` }))).toContain(
      "9007199254740993,0.1",
    );
  });

  test("Parquet: elements of arrays, structs and maps", async () => {
    const table = await tableOf({ a: "SELECT [1, 2] AS l, {'a': 1, 'B': 'x'} AS s, MAP {'k': 5} AS m" });
    expect(await same("SELECT l[1], size(l), s.a, s.b, m['k'] FROM t", table)).toBe("2,2,1,x,5\n");
  });

  test("Parquet: declared columns, missing columns, other cases of names and wider types", async () => {
    const list = columns("a bigint, v varchar(3), c char(4), z date");
    const objects = { a: "SELECT 1::INTEGER AS A, 'abcdef' AS v, 'x' AS c", b: "SELECT 2::BIGINT AS a" };
    expect(await same("SELECT a, v, c, z FROM t ORDER BY a", await tableOf(objects, { columns: list }))).toBe(
      "1,abc,x   ,\\N\n2,\\N,\\N,\\N\n",
    );
  });

  test("Parquet: columns whose names differ in case only are refused, and never read as NULL", async () => {
    const table = await tableOf({ a: 'SELECT 1 AS "é", 2 AS "É"' });
    await expect(machine.run(engines.remote, "SELECT * FROM t", [table])).rejects.toThrow(
      'has columns whose names differ in case only, as that of "é_1" does, which this cluster cannot read',
    );
    const own = await tableOf({ a: "SELECT 1 AS x, 2 AS x_1" });
    expect(await same("SELECT * FROM t", own)).toBe("1,2\n");
  });

  test("Parquet: structs with other fields in another object, or blanks in their names, are refused", async () => {
    const table = await tableOf({ a: "SELECT {'x': 1} AS s", b: "SELECT {'x': 2, 'y': 3} AS s" });
    await expect(machine.run(engines.remote, "SELECT s.x FROM t", [table])).rejects.toThrow(
      'has the column "s" of struct<x:int,y:int>, which is struct<x:int> in an object, which this cluster cannot read',
    );
    const blank = await tableOf({ a: "SELECT [{'x y': 1}] AS s" });
    await expect(machine.run(engines.remote, "SELECT s FROM t", [blank])).rejects.toThrow(
      'has the field "x y" in the column "s", which this cluster cannot read',
    );
  });

  test("Parquet: partition folders, which hide a column of the data", async () => {
    const objects = { "day=2026-01-01/a": "SELECT 1 AS a", "day=2026-01-02/b": "SELECT 2 AS a, 'hidden' AS day" };
    expect(await same("SELECT a, day FROM t WHERE day > '2026-01-01'", await tableOf(objects))).toBe("2,2026-01-02\n");
  });

  return { engines, tableOf };
}
