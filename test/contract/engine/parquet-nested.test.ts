/** Arrays, maps and structs of Parquet objects, which objects of one table may have with other fields and types. */
import { expect, test } from "vitest";
import { withNestedNulls } from "./arrow-objects";
import { columns } from "./harness";
import { parquetTests } from "./parquet-machine";

const { tableOf, put, run } = parquetTests();

test("select: fields of a struct are found by their names", async () => {
  const struct = { a: "SELECT {'x': 1, 'y': 2} AS s", b: "SELECT {'y': 4, 'x': 3} AS s" };
  const sum = "SELECT sum(s.x), sum(s.y) FROM t";
  expect(await run(sum, await tableOf(struct))).toEqual(["4,6"]);
  expect(await run(sum, await tableOf(struct, { columns: [{ name: "s", type: "struct<y:int,x:int>" }] }))).toEqual([
    "4,6",
  ]);
});

test("select: fields of structs with blanks and letters of any script are found by their names", async () => {
  const struct = "{'Street Name': 'Main St', 'Änderung': 1, 'Имя': DATE '2026-01-02', 'Größe cm': 2, 'ok': 3}";
  const table = await tableOf({ a: `SELECT ${struct} AS s, [${struct}] AS l, MAP {'k': ${struct}} AS m` });
  const fields = ["`street name`", "`änderung`", "`имя`", "`größe cm`", "ok"];
  for (const value of ["s", "l[0]", "m['k']"]) {
    const all = fields.map((field) => `${value}.${field}`).join(", ");
    expect(await run(`SELECT ${all} FROM t`, table)).toEqual(["Main St,1,2026-01-02,2,3"]);
  }
  expect(await run("SELECT s FROM t", table)).toEqual([
    '"{""street name"":""Main St"",""änderung"":1,""имя"":""2026-01-02"",""größe cm"":2,""ok"":3}"',
  ]);
  const alone = await tableOf({ a: "SELECT 1 AS id, {'Größe (cm)': 1} AS s, MAP {'k': {'First Name': 'x'}} AS m" });
  expect(await run("SELECT s.`größe (cm)`, m['k'].`FIRST NAME` FROM t WHERE id = 1", alone)).toEqual(["1,x"]);
});

test("select: Arrow's null within a list or a struct has the type that another object has, or else int", async () => {
  const alone = await tableOf({});
  put(alone, "a.parquet", withNestedNulls);
  const rows = ['1,[],"{""a"":1,""b"":null}"', String.raw`2,[null],\N`];
  expect(await run("SELECT * FROM t ORDER BY id", alone)).toEqual(rows);
  expect(await run("SELECT sum(l[0]), sum(s.b) FROM t", alone)).toEqual([String.raw`\N,\N`]);
  for (const [value, type, printed] of [
    ["'x'", "string", '"[""x""]","{""a"":2,""b"":""x""}"'],
    ["{'y': 1}", "struct<y:int>", '"[{""y"":1}]","{""a"":2,""b"":{""y"":1}}"'],
  ] as const) {
    const beside = { b: `SELECT 3 AS id, [${value}] AS l, {'a': 2, 'b': ${value}} AS s` };
    const found = await tableOf(beside);
    const declared = await tableOf(beside, {
      columns: [
        { name: "id", type: "int" },
        { name: "l", type: `array<${type}>` },
        { name: "s", type: `struct<a:int,b:${type}>` },
      ],
    });
    for (const table of [found, declared]) {
      put(table, "a.parquet", withNestedNulls);
      expect(await run("SELECT * FROM t ORDER BY id", table)).toEqual([...rows, `3,${printed}`]);
    }
  }
});

test("select: a struct that has gained a field has NULL in older objects, also in lists and maps", async () => {
  const older = "{'x': 1, 'y': 'a'}";
  const newer = "{'z': {'w': 3.5::DOUBLE}, 'y': 'b', 'x': 2::BIGINT}";
  const wrap = (value: string) => `SELECT ${value} AS s, [${value}] AS l, MAP {'k': ${value}} AS m, [1] AS n`;
  const objects = { a: wrap(older), b: wrap(newer).replace("[1]", "[2::BIGINT]") };
  const table = await tableOf(objects);
  for (const value of ["s", "l[0]", "m['k']"]) {
    const fields = `${value}.x, ${value}.y, ${value}.z.w`;
    expect(await run(`SELECT ${fields} FROM t ORDER BY x`, table)).toEqual([String.raw`1,a,\N`, "2,b,3.5"]);
  }
  expect(await run("SELECT s, sum(n[0]) OVER () FROM t ORDER BY s.x", table)).toEqual([
    '"{""x"":1,""y"":""a"",""z"":null}",3',
    '"{""x"":2,""y"":""b"",""z"":{""w"":3.5}}",3',
  ]);
  const declared = {
    columns: [
      { name: "s", type: "struct<x:bigint,v:date>" },
      { name: "n", type: "array<bigint>" },
    ],
  };
  expect(await run("SELECT s.x, s.v, n[0] FROM t ORDER BY x", await tableOf(objects, declared))).toEqual([
    String.raw`1,\N,1`,
    String.raw`2,\N,2`,
  ]);
  const other = await tableOf({ a: "SELECT {'x': 1} AS s", b: "SELECT {'y': 1} AS s" });
  await expect(run("SELECT s FROM t", other)).rejects.toThrow(/: write the objects with one type$/);
  const numbers = await tableOf({ a: "SELECT 1::BIGINT AS n", b: "SELECT 0.5::DOUBLE AS n" });
  await expect(run("SELECT n FROM t", numbers)).rejects.toThrow("declare it as double in the config, or write");
  expect(await run("SELECT n FROM t ORDER BY n", { ...numbers, columns: columns("n double") })).toEqual(["0.5", "1.0"]);
});

test.each(["Street,Name", "a:b", "a<b", " a", "b "])(
  "checkSelect: refuses the field %j of a struct, which no type can name",
  async (field) => {
    const table = await tableOf({ a: `SELECT 1 AS id, [{'${field}': 1, 'ok': 2}] AS l` });
    await expect(run("SELECT id FROM t", table)).rejects.toThrow(
      `has the field ${JSON.stringify(field.toLowerCase())}, and names of fields in Hive are not empty`,
    );
    expect(await run("SELECT id FROM t", { ...table, columns: columns("id bigint") })).toEqual(["1"]);
  },
);
