import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine, submission } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

let serial = 0;

/** Defines a table `t` of objects by their names below its folder. */
function tableOf(objects: Record<string, string | Uint8Array>, options: Partial<TableDefinition> = {}) {
  const key = `p${(serial += 1)}/`;
  for (const [name, content] of Object.entries(objects)) machine.put("default", key + name, content);
  const definition: TableDefinition = {
    database: "default",
    table: "t",
    location: { bucket: "default", key },
    format: "csv",
    ...options,
  };
  return definition;
}

const run = async (statement: string, ...tables: TableDefinition[]) =>
  (await machine.run(engine, statement, tables)).replace(/\n$/, "").split("\n");

/** An object that cannot be read: whoever opens it as text finds damaged gzip data. */
const damaged = Buffer.concat([
  Buffer.from([0x1f, 0x8b]),
  Buffer.from("no gzip data at all, though it starts like it"),
]);

const days = {
  "dt=2026-01-01/a.csv": "1,x\n2,y\n",
  "dt=2026-01-02/a.csv": "3,z\n",
};

describe("partition columns", () => {
  test("found: folders are string columns behind the columns of the data", async () => {
    const table = tableOf(days);
    expect(await run("SELECT * FROM t ORDER BY 1", table)).toEqual([
      "1,x,2026-01-01",
      "2,y,2026-01-01",
      "3,z,2026-01-02",
    ]);
    expect(await run("SELECT dt, count(*) FROM t GROUP BY dt ORDER BY dt", table)).toEqual([
      "2026-01-01,2",
      "2026-01-02,1",
    ]);
  });

  test("declared: values are read as the declared types, `05` as 5", async () => {
    const table = tableOf(
      { "h=05/d=2026-01-02/a": "x\n", "h=10/d=2026-01-03/a": "y\n" },
      { columns: columns("s string"), partitions: columns("h int, d date") },
    );
    expect(await run("SELECT s, h + 1, date_add(d, 1) FROM t WHERE h >= 5 ORDER BY h", table)).toEqual([
      "x,6,2026-01-03",
      "y,11,2026-01-04",
    ]);
  });

  test("sampleTable: what is no value of its declared type is NULL, as in a select", async () => {
    const objects = {
      "day=bogus/a.csv": "x,2026-13-01,123456.7,bad\n",
      "day=2026-01-02/a.csv": "2,2026-01-03,1.256,\n",
    };
    const types = { columns: columns("id bigint, d date, m decimal(5,2), s string"), partitions: columns("day date") };
    const table = tableOf(objects, types);
    const { rows } = await engine.sampleTable(table, 10, submission);
    expect(rows.toSorted()).toEqual([
      [null, null, null, "bad", null],
      ["2", "2026-01-03", "1.26", "", "2026-01-02"],
    ]);
    const selected = rows.map((row) => row.map((cell) => cell ?? "\\N").join(","));
    expect((await run("SELECT * FROM t", table)).toSorted()).toEqual(selected.toSorted());
  });

  test("found: nested levels, names in any case, blank lines and gzip", async () => {
    const table = tableOf({
      "Year=2026/Month=01/a.csv": "1\n\n2\n",
      "year=2026/month=02/a.csv.gz": gzipSync("3\n\n"),
    });
    expect(await run("SELECT year, month, count(*) FROM t GROUP BY year, month ORDER BY 2", table)).toEqual([
      "2026,01,3",
      "2026,02,2",
    ]);
  });

  test("found: %XX is a character, and __HIVE_DEFAULT_PARTITION__ is NULL", async () => {
    const table = tableOf({
      "at=10%3A30%2F%25/a": "1\n",
      "at=__HIVE_DEFAULT_PARTITION__/a": "2\n",
    });
    expect(await run("SELECT `_c0`, at, at IS NULL FROM t ORDER BY 1", table)).toEqual([
      "1,10:30/%,false",
      "2,\\N,true",
    ]);
    expect(await run("SELECT `_c0` FROM t WHERE at IS NULL", table)).toEqual(["2"]);
    expect(await run("SELECT `_c0` FROM t WHERE at = '10:30/%'", table)).toEqual(["1"]);
  });

  test("found: with a header row, and in json and tsv objects", async () => {
    const csv = tableOf({ "k=a/1.csv": "id,name\n1,x\n", "k=b/1.csv": "id,name\n2,y\n" });
    expect(await run("SELECT id, name, k FROM t WHERE k = 'b'", csv)).toEqual(["2,y,b"]);
    const json = tableOf({ "k=a/1.json": '{"id":1}\n', "k=b/1.json": '{"id":2}\n{"id":3}\n' }, { format: "json" });
    expect(await run("SELECT k, sum(id) FROM t GROUP BY k ORDER BY k", json)).toEqual(["a,1", "b,5"]);
    const tsv = tableOf({ "k=a/1.tsv": "1\tx\n", "k=b/1.tsv": "2\ty\n" }, { format: "tsv" });
    expect(await run("SELECT * FROM t ORDER BY 1", tsv)).toEqual(["1,x,a", "2,y,b"]);
  });

  test("found: a value may have the character =", async () => {
    const table = tableOf({ "k=YWJj==/a": "1\n", "k=a=b/a": "2\n" });
    expect(await run("SELECT * FROM t ORDER BY 1", table)).toEqual(["1,YWJj==", "2,a=b"]);
    expect(await run("SELECT * FROM t WHERE k = 'a=b'", table)).toEqual(["2,a=b"]);
  });

  test("found: columns may have any name", async () => {
    const names = ["i", "p", "t0", "c0", "d0", "l", "x", "partition"];
    const folder = (value: number) => names.map((name) => `${name}=${value}`).join("/");
    const table = tableOf({ [`${folder(1)}/a`]: "7\n", [`${folder(2)}/a`]: "8\n", [`${folder(3)}/a`]: "9\n" });
    const list = names.map((name) => `\`${name}\``).join(", ");
    const rows = await run(`SELECT \`_c0\`, ${list} FROM t WHERE i < '3' AND p > 0 ORDER BY t0`, table);
    expect(rows).toEqual(["7,1,1,1,1,1,1,1,1", "8,2,2,2,2,2,2,2,2"]);
  });

  test("declared: there may be thousands of partitions", async () => {
    const objects = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`h=${n}/a`, `${n}\n`]));
    const table = tableOf(objects, { columns: columns("n int"), partitions: columns("h int") });
    const statement = "SELECT count(*), count(DISTINCT h), sum(n - h) FROM t WHERE h <> 77";
    await engine.checkSelect({ statement, tables: [table] }, submission);
    expect(await run(statement, table)).toEqual(["2999,2999,0"]);
  });

  test("found: the folder's value hides a column of the data with the same name", async () => {
    const table = tableOf({ "k=a/1.csv": "id,k\n1,other\n" });
    expect(await run("SELECT * FROM t", table)).toEqual(["1,a"]);
  });

  test("declared without partitions: folders are only folders", async () => {
    const table = tableOf(days, { columns: columns("n int, s string") });
    expect(await run("SELECT * FROM t ORDER BY 1", table)).toEqual(["1,x", "2,y", "3,z"]);
    await expect(run("SELECT dt FROM t", table)).rejects.toThrow("column dt");
  });

  test("hidden objects are no rows, as in Hive", async () => {
    const table = tableOf({ ...days, _SUCCESS: "x", "dt=2026-01-01/_temporary/0/a.csv": "9,9\n", ".a.crc": "x" });
    expect(await run("SELECT count(*) FROM t", table)).toEqual(["3"]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["an object outside of the folders", { ...days, "b.csv": "1\n" }, "b.csv lies in none"],
    ["folders of other names", { ...days, "day=1/b.csv": "1\n" }, "lies in day=…/"],
    ["a missing level", { "y=1/m=1/a": "1\n", "y=1/b": "1\n" }, "b lies in y=…/"],
    ["a name twice", { "y=1/y=2/a": "1\n" }, 'the partition column "y" twice'],
    ["a folder without a value", { "y=1/a": "1\n", "y=/a": "1\n" }, "the folder y= of dag://"],
  ])("found: refuses %s", async (_, objects, message) => {
    const table = tableOf(objects);
    await expect(run("SELECT * FROM t", table)).rejects.toThrow(message);
    await expect(engine.checkSelect({ statement: "SELECT * FROM t", tables: [table] }, submission)).rejects.toThrow(
      message,
    );
  });

  // Hive 4.0.1 reads the folders so, and has no partition for those that are refused.
  test.each([
    ["int", "007", "7"],
    ["int", "+5", "5"],
    ["tinyint", "-128", "-128"],
    ["bigint", "9223372036854775807", "9223372036854775807"],
    ["double", "1e2", "100.0"],
    ["float", "0.1", "0.1"],
    ["decimal(5,2)", "1.255", "1.26"],
    ["decimal(5,2)", "100000", "\\N"],
    ["date", "2026-1-2", "2026-01-02"],
    ["date", "2026-01-01 10", "2026-01-01"],
    ["date", "20260101", "\\N"],
    ["date", "2026-02-30", "\\N"],
    ["date", "x", "\\N"],
    ["timestamp", "2026-01-01", "2026-01-01 00:00:00"],
    ["boolean", "TRUE", "true"],
    ["varchar(3)", "abcdef", "abc"],
    ["char(5)", "ab", "ab   "],
    ["string", "a%20b", "a b"],
    ["string", "100%", "100%"],
  ])("declared: reads %s of the folder %s as %s", async (type, value, expected) => {
    const table = tableOf(
      { [`c=${value}/a`]: "1\n" },
      { columns: columns("n int"), partitions: [{ name: "c", type }] },
    );
    expect(await run("SELECT c FROM t", table)).toEqual([expected]);
  });

  test.each([
    ["int", "abc"],
    ["int", "1.5"],
    ["int", "99999999999"],
    ["tinyint", "300"],
    ["bigint", "12L"],
    ["double", "abc"],
    ["decimal(5,2)", "abc"],
    ["boolean", "f"],
  ])("declared: refuses %s of the folder %s", async (type, value) => {
    const table = tableOf(
      { [`c=${value}/a`]: "1\n" },
      { columns: columns("n int"), partitions: [{ name: "c", type }] },
    );
    await expect(run("SELECT c FROM t", table)).rejects.toThrow(`c=${value} of dag://`);
  });

  test("declared: refuses an object outside of the folders", async () => {
    const table = tableOf({ ...days, "b.csv": "1\n" }, { columns: columns("n int"), partitions: columns("dt string") });
    await expect(run("SELECT * FROM t", table)).rejects.toThrow("must lie in dt=…/");
  });
});

describe("pruning", () => {
  test("answers a condition with a function that can fail, without pruning", async () => {
    const table = tableOf(days);
    expect(await run("SELECT count(*) FROM t WHERE lpad(dt, 12, '0') = '002026-01-02'", table)).toEqual(["1"]);
  });

  const declared = { columns: columns("n int, s string"), partitions: columns("dt string, h int") };
  const hours = {
    "dt=2026-01-01/h=1/a.csv": "1,a\n",
    "dt=2026-01-01/h=2/a.csv": "2,b\n",
    "dt=2026-01-02/h=1/a.csv": "3,c\n",
    "dt=2026-01-03/h=1/a.csv": damaged,
  };

  test.each<[string, string, string[]]>([
    ["=", "SELECT n FROM t WHERE dt = '2026-01-02'", ["3"]],
    ["= of two columns", "SELECT n FROM t WHERE dt = '2026-01-01' AND h = 2", ["2"]],
    ["<>", "SELECT n FROM t WHERE dt <> '2026-01-03' ORDER BY n", ["1", "2", "3"]],
    ["<", "SELECT n FROM t WHERE dt < '2026-01-02' ORDER BY n", ["1", "2"]],
    ["BETWEEN", "SELECT n FROM t WHERE dt BETWEEN '2026-01-01' AND '2026-01-02' ORDER BY n", ["1", "2", "3"]],
    ["IN", "SELECT n FROM t WHERE dt IN ('2026-01-02', 'x')", ["3"]],
    ["LIKE", "SELECT n FROM t WHERE dt LIKE '%-02'", ["3"]],
    ["a function of a literal", "SELECT n FROM t WHERE dt = date_format(date '2026-01-02', 'yyyy-MM-dd')", ["3"]],
    ["a function of the column", "SELECT n FROM t WHERE month(dt) = 1 AND day(dt) < 3 ORDER BY n", ["1", "2", "3"]],
    ["the time of the statement", "SELECT count(*) FROM t WHERE dt = current_date", ["0"]],
    ["a number as text", "SELECT n FROM t WHERE h = '2'", ["2"]],
    [
      "OR with conditions on the data",
      "SELECT n FROM t WHERE (dt = '2026-01-02' AND n > 0) OR (h = 2 AND s = 'b') ORDER BY n",
      ["2", "3"],
    ],
    ["no partition", "SELECT count(*) FROM t WHERE dt = 'x'", ["0"]],
    ["an alias", "SELECT x.n FROM t x WHERE x.dt = '2026-01-02'", ["3"]],
    ["a subquery", "SELECT n FROM (SELECT * FROM t) s WHERE s.dt = '2026-01-02'", ["3"]],
    [
      "renamed columns and groups of a subquery",
      "SELECT d, c FROM (SELECT dt AS d, count(*) c FROM t GROUP BY dt) s WHERE d = '2026-01-01'",
      ["2026-01-01,2"],
    ],
    ["WITH", "WITH w AS (SELECT n FROM t WHERE dt = '2026-01-02') SELECT n FROM w", ["3"]],
    [
      "a table of WITH that is read in two places",
      "WITH w AS (SELECT n, dt, h FROM t) SELECT a.n FROM w a JOIN w b ON a.h = b.h AND b.dt = '2026-01-02' WHERE a.dt = '2026-01-01'",
      ["1"],
    ],
    [
      "a join",
      "SELECT a.n, b.n FROM t a JOIN t b ON a.h = b.h AND b.dt = '2026-01-02' WHERE a.dt = '2026-01-01'",
      ["1,3"],
    ],
    [
      "a left join",
      "SELECT a.n, b.n FROM t a LEFT JOIN t b ON a.n = b.n AND b.dt = '2026-01-02' WHERE a.dt = '2026-01-01' ORDER BY 1",
      ["1,\\N", "2,\\N"],
    ],
    [
      "a lateral view",
      "SELECT n, e FROM t LATERAL VIEW explode(array(1, 2)) v AS e WHERE dt = '2026-01-02' ORDER BY e",
      ["3,1", "3,2"],
    ],
    [
      "a subquery of a condition",
      "SELECT n FROM t WHERE dt = '2026-01-01' AND h IN (SELECT h FROM t WHERE dt = '2026-01-02')",
      ["1"],
    ],
    [
      "two places with other partitions",
      "SELECT n FROM t WHERE dt = '2026-01-02' UNION ALL SELECT n FROM t WHERE h = 2",
      ["3", "2"],
    ],
  ])("select: opens no object of another partition for %s", async (_, statement, expected) => {
    expect((await run(statement, tableOf(hours, declared))).toSorted()).toEqual(expected.toSorted());
  });

  test.each([
    ["without a condition", "SELECT count(*) FROM t"],
    ["with a condition on the data", "SELECT count(*) FROM t WHERE n = 1"],
    ["with OR that any row may meet", "SELECT count(*) FROM t WHERE dt = '2026-01-01' OR n = 1"],
    ["with a random value", "SELECT count(*) FROM t WHERE dt = '2026-01-01' OR rand() < 2"],
    ["when another place needs them", "SELECT a.n FROM t a JOIN t b ON a.n = b.n WHERE a.dt = '2026-01-01'"],
    [
      "of the other side of a full join",
      "SELECT a.n FROM t a FULL JOIN t b ON a.n = b.n WHERE a.dt = '2026-01-01' AND b.dt = '2026-01-01'",
    ],
    [
      "of the side that a left join fills",
      "SELECT a.n FROM t a LEFT JOIN t b ON a.n = b.n WHERE a.dt = '2026-01-01' AND b.dt IS NULL",
    ],
    [
      "when one place of a table of WITH needs them",
      "WITH w AS (SELECT * FROM t) SELECT a.n FROM w a JOIN w b ON a.n = b.n WHERE a.dt = '2026-01-01'",
    ],
    [
      "when a table of WITH is read in very many places",
      `WITH w AS (SELECT * FROM t) ${Array.from({ length: 10 }, () => "SELECT n FROM w WHERE dt = '2026-01-01'").join(" UNION ALL ")}`,
    ],
    ["below a LIMIT", "SELECT n FROM (SELECT * FROM t LIMIT 100) s WHERE dt = '2026-01-01'"],
    ["below a window", "SELECT n FROM (SELECT n, dt, count(*) OVER () c FROM t) s WHERE dt = '2026-01-01'"],
  ])("select: reads all partitions %s", async (_, statement) => {
    await expect(run(statement, tableOf(hours, declared))).rejects.toThrow("gzip");
  });

  test("select: a left join keeps rows whose match lies in another partition", async () => {
    const { "dt=2026-01-03/h=1/a.csv": _damaged, ...whole } = hours;
    const table = tableOf(whole, declared);
    const statement =
      "SELECT a.n FROM t a LEFT JOIN t b ON a.n = b.n WHERE b.dt IS NULL OR b.dt = '2026-01-02' ORDER BY 1";
    expect(await run(statement, table)).toEqual(["3"]);
  });

  test("select: undeclared columns are those of the objects that it reads", async () => {
    const table = tableOf({ "k=a/1.csv": "1,x\n", "k=b/1.csv": damaged });
    expect(await run("SELECT `_c0` + 1, `_c1` FROM t WHERE k = 'a'", table)).toEqual(["2,x"]);
  });

  test("select: columns are known where it reads no object", async () => {
    const table = tableOf({ "k=a/1.csv": "id,name\n1,x\n" });
    expect(await run("SELECT count(id), max(name) FROM t WHERE k = 'none'", table)).toEqual(["0,\\N"]);
  });

  test.each(["varchar(4)", "char(4)", "decimal(4,1)", "timestamp"])(
    "select: a column of type %s may be read where no partition is left",
    async (type) => {
      const options = { columns: columns("n int"), partitions: columns(`k int, v ${type}`) };
      const table = tableOf({ "k=1/v=1/a": "1\n" }, options);
      expect(await run("SELECT count(n), max(v) FROM t WHERE k = 2", table)).toEqual(["0,\\N"]);
    },
  );

  test("checkSelect: opens no object of another partition", async () => {
    const statement = "SELECT n FROM t WHERE dt = '2026-01-02'";
    await engine.checkSelect({ statement, tables: [tableOf(hours, declared)] }, submission);
  });
});
