import { mkdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  withLikeFields,
  withNaN,
  withOddColumns,
  withUpperCaseFirst,
  withWideDecimals,
  withoutColumns,
} from "./arrow-objects";
import { columns, submission } from "./harness";
import { parquetTests } from "./parquet-machine";

const { machine, engine, tableOf, put, run } = parquetTests();

describe("Parquet tables without declared columns", () => {
  test.each<[string, string, string]>([
    ["boolean", "true", "true"],
    ["tinyint", "1::TINYINT", "1"],
    ["smallint", "1::SMALLINT", "1"],
    ["int", "1::INTEGER", "1"],
    ["bigint", "9007199254740993", "9007199254740993"],
    ["float", "0.1::FLOAT", "0.1"],
    ["double", "0.1::DOUBLE", "0.1"],
    ["decimal(10,2)", "12.50::DECIMAL(10,2)", "12.50"],
    [
      "decimal(38,0)",
      "99999999999999999999999999999999999999::DECIMAL(38,0)",
      "99999999999999999999999999999999999999",
    ],
    ["string", "'é x'", "é x"],
    ["date", "DATE '2026-01-31'", "2026-01-31"],
    ["timestamp", "TIMESTAMP '2026-01-31 10:00:00.123456'", "2026-01-31 10:00:00.123456"],
    ["timestamp, adjusted to UTC", "TIMESTAMPTZ '2026-01-31 10:00:00+02'", "2026-01-31 08:00:00"],
    ["timestamp of nanoseconds", "'2026-01-31 10:00:00.123456000'::TIMESTAMP_NS", "2026-01-31 10:00:00.123456"],
    ["timestamp of milliseconds", "'2026-01-31 10:00:00.123'::TIMESTAMP_MS", "2026-01-31 10:00:00.123"],
    ["smallint of uint8", "255::UTINYINT", "255"],
    ["decimal(20,0) of uint64", "18446744073709551615::UBIGINT", "18446744073709551615"],
    ["string of a UUID", "'00000000-0000-0000-0000-000000000001'::UUID", "00000000-0000-0000-0000-000000000001"],
    ["string of an enumeration", "'a'::ENUM ('a', 'b')", "a"],
    ["NULL", "NULL::INTEGER", "\\N"],
  ])("select: reads %s", async (_, value, expected) => {
    expect(await run("SELECT v FROM t", await tableOf({ "a.parquet": `SELECT ${value} AS v` }))).toEqual([expected]);
  });

  test("select: computes with the types of the file", async () => {
    const table = await tableOf({ a: "SELECT 7::INTEGER AS i, 2.50::DECIMAL(5,2) AS d, 'x' AS s, '\\xAA'::BLOB AS b" });
    expect(await run("SELECT i / 2, i div 2, d * 2, concat(s, i), hex(b) FROM t", table)).toEqual(["3.5,3,5.00,x7,AA"]);
  });

  test("select: reads arrays, maps and structs", async () => {
    const value =
      "[1, NULL, 3] AS a, MAP {'k': 1.5::DOUBLE} AS m, {'X': 1, 'y': ['p', 'q'], 'z': {'w': DATE '2026-01-01'}} AS s";
    const table = await tableOf({ a: `SELECT ${value}` });
    expect(await run("SELECT a[0], size(a), m['k'], s.x, s.y[1], s.z.w FROM t", table)).toEqual([
      "1,3,1.5,1,q,2026-01-01",
    ]);
    expect(await run("SELECT e FROM t LATERAL VIEW explode(a) v AS e", table)).toEqual(["1", "\\N", "3"]);
  });

  test("select: NaN is greater than all numbers also where the object's statistics leave it out", async () => {
    const table = await tableOf({});
    put(table, "a.parquet", withNaN);
    for (const condition of ["x > 5", "NOT x <= 5", "x = CAST('NaN' AS double)", "s.y > 5", "s.y NOT IN (1e0, 2e0)"]) {
      expect(await run(`SELECT id FROM t WHERE ${condition}`, table), condition).toEqual(["2"]);
    }
    expect(await run("SELECT max(x) FROM t", table)).toEqual(["NaN"]);
    expect(await run("SELECT CASE WHEN x > 5 THEN 'above' ELSE 'below' END FROM t", table)).toContain("above");
    expect(await run("SELECT b.id FROM t a JOIN t b ON a.x = b.x AND a.id = 2", table)).toEqual(["2"]);
  });

  test.each(["DOUBLE", "FLOAT"])(
    "select: -0.0 equals 0.0 also where a Bloom filter tells their bits apart, %s",
    async (type) => {
      const table = await tableOf({
        "a.parquet": `SELECT if(i % 2 = 0, '-0.0'::DOUBLE, 5.0)::${type} AS x, 1 AS y, {'x': x} AS s FROM range(3000) t(i)`,
      });
      const zero = "(SELECT cast(0 AS double) AS z)";
      for (const from of [
        "t WHERE x = 0",
        "t WHERE x = 0e0",
        "t WHERE x <=> 0",
        "t WHERE NOT x <> 0",
        "t WHERE x IN (0)",
        "t WHERE x IN (0, 0.0, 0e0)",
        "t WHERE x IN (0, 7)",
        "t WHERE x BETWEEN 0 AND 0",
        "t WHERE x >= 0 AND x <= 0",
        "t WHERE s.x = 0",
        "t WHERE (x, y) IN ((0, 1))",
        `t WHERE x IN ${zero}`,
        `t WHERE x = (SELECT max(z) FROM ${zero} o)`,
        `t WHERE EXISTS (SELECT 1 FROM ${zero} o WHERE o.z = t.x)`,
        `t JOIN ${zero} o ON t.x = o.z`,
        `${zero} o JOIN t ON t.x = o.z`,
        `t LEFT SEMI JOIN ${zero} o ON t.x = o.z`,
        `t JOIN (SELECT cast(0 AS double) AS x) o USING (x)`,
      ]) {
        expect(await run(`SELECT count(*) FROM ${from}`, table), from).toEqual(["1500"]);
      }
      const common = `SELECT z AS x FROM ${zero} o INTERSECT SELECT x FROM t`;
      expect(await run(`SELECT abs(x) FROM (${common}) q`, table)).toEqual(["0.0"]);
      expect(await run("SELECT x FROM t WHERE x = 0 LIMIT 1", table)).toEqual(["-0.0"]);
    },
  );

  test("select: columns whose names differ in the case of a letter only are numbered", async () => {
    const table = await tableOf({
      a: `SELECT 1 AS x, 2 AS "X", 3 AS "é", 4 AS "É", 5 AS "ß", 6 AS "ẞ", 7 AS "é_1"`,
      b: `SELECT 8 AS "É"`,
    });
    expect(await run("SELECT x, x_1, `é`, `é_1`, `é_2`, `ß`, `ß_1` FROM t ORDER BY x NULLS LAST", table)).toEqual([
      "1,2,3,7,4,5,6",
      String.raw`\N,\N,8,\N,\N,\N,\N`,
    ]);
    const declared = await tableOf({ a: 'SELECT 3 AS "é", 4 AS "É"' }, { columns: columns("é bigint") });
    expect(await run("SELECT * FROM t", declared)).toEqual(["3"]);
  });

  test("select: a column has its own name in all objects, also where another one would be numbered so", async () => {
    const table = await tableOf({});
    put(table, "a.parquet", withOddColumns);
    expect(await run("SELECT id, id_1, id_2 FROM t", table)).toEqual(["5,500,50"]);
    expect(await run("SELECT id, id_1 FROM t", { ...table, columns: columns("id_1 bigint, id bigint") })).toEqual([
      "5,500",
    ]);
    put(table, "b.parquet", withUpperCaseFirst);
    expect(await run("SELECT sum(id), sum(id_1), sum(id_2) FROM t", table)).toEqual(["9,500,90"]);
  });

  test("select: of a key that a map has several times, the last value counts", async () => {
    const table = await tableOf({});
    put(table, "a.parquet", withOddColumns);
    expect(await run("SELECT m['a'], size(m), l[0]['a'], size(l[0]), size(l) FROM t", table)).toEqual(["3,2,2,1,2"]);
    expect(await run("SELECT sum(v) FROM t LATERAL VIEW explode(m) e AS k, v", table)).toEqual(["5"]);
  });

  test("select: a column of Arrow's type null is NULL, and has the type of another object", async () => {
    const table = await tableOf({ b: "SELECT 6::BIGINT AS id, DATE '2026-01-02' AS n" });
    put(table, "a.parquet", withOddColumns);
    expect(await run("SELECT id, n, year(n) FROM t ORDER BY id", table)).toEqual([
      String.raw`5,\N,\N`,
      "6,2026-01-02,2026",
    ]);
    const alone = await tableOf({});
    put(alone, "a.parquet", withOddColumns);
    expect(await run("SELECT n, count(*) FROM t GROUP BY n", alone)).toEqual([String.raw`\N,1`]);
  });

  test.each([
    ["amount", withWideDecimals, /"amount" of \S+ is decimal\(41,2\), and Hive's decimals have at most 38 digits/],
    ["s", withLikeFields, /"s" of \S+ has fields whose names differ in case only/],
  ])(
    "checkSelect: refuses the column %s, which cannot be read, unless it is not declared",
    async (_name, content, text) => {
      const table = await tableOf({});
      put(table, "a.parquet", content);
      await expect(run("SELECT id FROM t", table)).rejects.toThrow(text);
      expect(await run("SELECT id FROM t", { ...table, columns: columns("id bigint") })).toEqual(["1"]);
    },
  );

  const nested = (levels: number, wrap: (value: string) => string) =>
    Array.from({ length: levels }).reduce((value: string) => wrap(value), "7");
  const list = (value: string) => `[${value}]`;
  const map = (value: string) => `MAP {'k': ${value}}`;
  const struct = (value: string) => `{'f': ${value}}`;

  test.each([
    ["32 structs", nested(32, struct), `s${".f".repeat(32)}`],
    ["8 lists", nested(8, list), `s${"[0]".repeat(8)}`],
    ["8 maps", nested(8, map), `s${"['k']".repeat(8)}`],
    ["lists of structs", nested(8, (value) => list(struct(value))), `s${"[0].f".repeat(8)}`],
  ])("checkSelect, select: reads %s", async (_, value, path) => {
    const table = await tableOf({ a: `SELECT ${value} AS s` });
    await engine().checkSelect({ statement: "SELECT * FROM t", tables: [table] }, submission);
    expect(await run(`SELECT ${path} FROM t`, table)).toEqual(["7"]);
    expect((await run("SELECT s FROM t", table))[0]).toContain("7");
  });

  test.each([
    ["array(", ")"],
    ["map('k', ", ")"],
  ])("checkSelect, select: refuses a value of 9 times %s", async (open, close) => {
    const statement = (levels: number) => `SELECT ${open.repeat(levels)}7${close.repeat(levels)} AS v`;
    expect((await run(statement(8)))[0]).toContain("7");
    const reason = "prints a value with 9 levels of arrays and maps, and at most 8 can be printed: select its elements";
    for (const levels of [9, 50]) {
      await expect(
        engine().checkSelect({ statement: statement(levels), tables: [] }, submission),
      ).rejects.toMatchObject({
        code: "InvalidDMLStatement",
        message: expect.stringContaining(reason.replace("9", String(levels))),
      });
    }
  });

  test.each([
    ["33 structs", nested(33, struct), 33, 0],
    ["150 structs", nested(150, struct), 150, 0],
    ["9 lists", nested(9, list), 9, 9],
    ["9 maps", nested(9, map), 9, 9],
    ["lists in structs", nested(9, (value) => struct(list(value))), 18, 9],
  ])("checkSelect, select: refuses %s with the object, the column and the remedy", async (_, value, levels, lists) => {
    const objects = { "a.parquet": `SELECT 1 AS n, ${value} AS s` };
    const table = await tableOf(objects);
    const reason = `the column "s" of dag://default/${table.location.key}a.parquet has ${levels} nested levels, of which ${lists} are arrays or maps, and at most 32 levels with 8 arrays or maps can be read: declare the table's schema without it in the config, or write it with fewer levels`;
    const query = { statement: "SELECT n FROM t", tables: [table] };
    await expect(engine().checkSelect(query, submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringContaining(reason),
    });
    await expect(run(query.statement, table)).rejects.toThrow(reason);
    expect(await run(query.statement, await tableOf(objects, { columns: columns("n int") }))).toEqual(["1"]);
  });

  test("select: reads dates and timestamps in arrays, maps and structs, and NULLs of them", async () => {
    const value =
      "[DATE '2026-01-01', NULL] AS a, MAP {'k': {'D': TIMESTAMP '2026-01-01 10:00:00'}} AS m, {'x': [DATE '2026-01-02']} AS s, 1 AS n";
    const nulls = "NULL AS a, MAP {'k': NULL} AS m, {'x': NULL} AS s, 2 AS n";
    const table = await tableOf({
      a: `SELECT * FROM (SELECT ${value}) UNION ALL SELECT ${nulls} UNION ALL SELECT NULL, NULL, NULL, 3`,
    });
    const row = (n: number) => run(`SELECT a, m, s FROM t WHERE n = ${n}`, table);
    expect(await row(1)).toEqual([
      '"[""2026-01-01"",null]","{""k"":{""d"":""2026-01-01 10:00:00""}}","{""x"":[""2026-01-02""]}"',
    ]);
    expect(await row(2)).toEqual(['\\N,"{""k"":null}","{""x"":null}"']);
    expect(await row(3)).toEqual(["\\N,\\N,\\N"]);
  });

  test("select: finds columns by name in objects with other columns, and widens numbers", async () => {
    const table = await tableOf({
      "a.parquet": "SELECT 1::INTEGER AS id, 'x' AS Name",
      "b.parquet": "SELECT 'y' AS name, 5000000000::BIGINT AS ID, true AS extra",
    });
    expect(await run("SELECT * FROM t ORDER BY id", table)).toEqual(["1,x,\\N", "5000000000,y,true"]);
  });

  test("select: partition folders are columns, and objects of other partitions are not opened", async () => {
    const table = await tableOf({
      "dt=2026-01-01/a.parquet": "SELECT 1 AS n UNION ALL SELECT 2",
      "dt=2026-01-02/a.parquet": "SELECT 3 AS n, 'x' AS dt",
    });
    machine.put("default", `${table.location.key}dt=2026-01-03/a.parquet`, "no Parquet");
    machine.put("default", `${table.location.key}dt=2026-01-03/_SUCCESS`, "");
    expect(await run("SELECT * FROM t WHERE dt < '2026-01-03' ORDER BY n", table)).toEqual([
      "1,2026-01-01",
      "2,2026-01-01",
      "3,2026-01-02",
    ]);
    expect(await run("SELECT count(*), max(n) FROM t WHERE dt = 'none'", table)).toEqual(["0,\\N"]);
    await expect(run("SELECT count(*) FROM t", table)).rejects.toThrow(
      "dt=2026-01-03/a.parquet is not a Parquet object",
    );
  });

  test.each<[string, Record<string, string>, string]>([
    ["a time of day", { a: "SELECT TIME '10:00:00' AS v" }, 'the column "v"'],
    ["an interval", { a: "SELECT INTERVAL 1 DAY AS v" }, 'the column "v"'],
    ["types that no type holds", { a: "SELECT 1 AS v", b: "SELECT 'x' AS v" }, "is int in"],
    ["a date before the Gregorian calendar", { a: "SELECT DATE '1582-10-14' AS v" }, "before 1582-10-15"],
    ["an old timestamp", { a: "SELECT TIMESTAMP '1500-01-01 00:00:00' AS v" }, "before 1582-10-15"],
    ["an old date in an array", { a: "SELECT [DATE '1500-01-01'] AS v" }, "before 1582-10-15"],
    ["an old date in a map", { a: "SELECT MAP {'k': {'d': DATE '1500-01-01'}} AS v" }, "before 1582-10-15"],
    ["an infinite date in a struct", { a: "SELECT {'d': DATE 'infinity'} AS v" }, "is infinite"],
    [
      "nanoseconds in an array",
      { a: "SELECT ['2026-01-31 10:00:00.123456789'::TIMESTAMP_NS] AS v" },
      "has nanoseconds",
    ],
    [
      "nanoseconds",
      { a: "SELECT '2026-01-31 10:00:00.123456789'::TIMESTAMP_NS AS v" },
      'a timestamp of the column "v" of "default.t" has nanoseconds',
    ],
  ])("select: refuses %s", async (_, objects, message) => {
    await expect(run("SELECT v FROM t", await tableOf(objects))).rejects.toThrow(message);
  });

  test.each([
    "DATE 'infinity'",
    "DATE '-infinity'",
    "TIMESTAMP 'infinity'",
    "'infinity'::TIMESTAMP_MS",
    "'infinity'::TIMESTAMP_NS",
  ])("select: refuses a condition and a function of %s, and reads the other columns", async (value) => {
    const table = await tableOf({ a: `SELECT 1 AS id, ${value} AS v UNION ALL SELECT 2, NULL` });
    for (const statement of ["SELECT v FROM t", "SELECT year(v) FROM t", "SELECT id FROM t WHERE v > '2020-01-01'"]) {
      await expect(run(statement, table), statement).rejects.toThrow(
        'a date or timestamp of the column "v" of "default.t" is infinite, which HiveQL does not have',
      );
    }
    expect(await run("SELECT sum(id) FROM t", table)).toEqual(["3"]);
  });

  test.each<[string, (content: Buffer) => Buffer, string]>([
    ["an object whose end is missing", (content) => content.subarray(0, -20), "its end is missing"],
    ["an object that is no Parquet", () => Buffer.from("a,b\n1,2\n"), "it does not begin with PAR1"],
    [
      "an object with a damaged footer",
      (content) => Buffer.concat([content.subarray(0, -40), Buffer.alloc(32, 0xff), content.subarray(-8)]),
      "its footer is damaged",
    ],
    ["an object without columns", () => withoutColumns, "or it has no columns"],
    ["an encrypted object", (content) => Buffer.concat([content.subarray(0, -4), Buffer.from("PARE")]), "encrypted"],
  ])("select and checkSelect: refuse %s, in our own words", async (_, damage, message) => {
    const select = "SELECT range AS n FROM range(1000)";
    const table = await tableOf({ "a.parquet": select, "b.parquet": select, "c.parquet": select });
    const path = machine.storage.path({ bucket: "default", key: `${table.location.key}a.parquet` });
    machine.put("default", `${table.location.key}a.parquet`, damage(readFileSync(path)));
    await expect(run("SELECT count(*) FROM t", table)).rejects.toThrow(message);
    const check = engine().checkSelect({ statement: "SELECT count(*) FROM t", tables: [table] }, submission);
    await expect(check).rejects.toThrow(message);
    await expect(check).rejects.toThrow(`${table.location.key}a.parquet`);
    await expect(run("SELECT 1", table)).resolves.toEqual(["1"]);
  });
});

describe("Parquet tables with declared columns", () => {
  test("select: reads the columns by name, and those that the object lacks as NULL", async () => {
    const list = columns("NAME string, id bigint, added double");
    const declared = list.map(({ name, type }) => ({ name: name.toLowerCase(), type }));
    const table = await tableOf({ a: "SELECT 1::INTEGER AS Id, 'x' AS name, 2 AS ignored" }, { columns: declared });
    expect(await run("SELECT * FROM t", table)).toEqual(["x,1,\\N"]);
  });

  test("select: widens numbers, and cuts texts to varchar and char", async () => {
    const table = await tableOf(
      {
        a: "SELECT 1::INTEGER AS a, 1.5::FLOAT AS b, 2.5::DECIMAL(3,1) AS c, 'abcdef' AS d, 'ab  ' AS e, -7::SMALLINT AS f, 9::BIGINT AS g",
      },
      { columns: columns("a decimal(12,0), b double, c decimal(10,1), d varchar(3), e char(5), f string, g double") },
    );
    expect(await run("SELECT a, b, c, d, length(e), f, g FROM t", table)).toEqual(["1,1.5,2.5,abc,2,-7,9.0"]);
  });

  test("select: has no rows and its columns without objects", async () => {
    const table = await tableOf({}, { columns: columns("a int, b string"), partitions: columns("dt date") });
    mkdirSync(machine.storage.path(table.location), { recursive: true });
    expect(await run("SELECT count(a), max(b), max(dt) FROM t", table)).toEqual(["0,\\N,\\N"]);
  });

  test.each([
    ["int", "5000000000::BIGINT"],
    ["string", "1.5::DOUBLE"],
    ["decimal(12,3)", "12.50::DECIMAL(10,2)"],
    ["int", "'1'"],
    ["decimal(4,2)", "1.5::DECIMAL(5,2)"],
    ["string", "'x'::BLOB"],
    ["array<string>", "[1]"],
  ])("select: refuses %s for %s", async (type, value) => {
    const table = await tableOf({ a: `SELECT ${value} AS v` }, { columns: [{ name: "v", type }] });
    await expect(run("SELECT v FROM t", table)).rejects.toThrow(`the column "v" is declared as ${type}, and is`);
  });

  test.each<[string, string, string, string, RegExp]>([
    [
      "decimals of two scales",
      "1.50::DECIMAL(5,2)",
      "2::DECIMAL(10,0)",
      "decimal(12,2)",
      /is decimal\(10,0\) in \S+\/b and decimal\(5,2\) in \S+\/a: no declaration reads all objects, so write them with one/,
    ],
    ["whole numbers of two types", "1::INTEGER", "2::BIGINT", "smallint", /: declare it as bigint in the config/],
    ["whole numbers and fractions", "1::BIGINT", "2.5::DOUBLE", "int", /: declare it as double in the config/],
  ])("select: refuses %s with the type that reads both objects", async (_, a, b, type, advice) => {
    const table = await tableOf({ a: `SELECT ${a} AS v`, b: `SELECT ${b} AS v` }, { columns: [{ name: "v", type }] });
    await expect(run("SELECT v FROM t", table)).rejects.toThrow(advice);
  });
});
