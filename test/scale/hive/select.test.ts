import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns, Recorder, submission } from "../../contract/engine/harness";
import { selectSuite } from "../suites/select";

const { engines, same } = selectSuite("hive");
const { machine } = engines;

describe("results", () => {
  test("values of each type", async () => {
    const list = columns(
      "id int, b boolean, i tinyint, l bigint, f float, d double, m decimal(10,3), s date, t timestamp, v varchar(3), c char(4)",
    );
    const rows = [
      "1,true,7,9007199254740993,1.5,1e10,12.500,2026-01-02,2026-01-02 03:04:05.6,abcd,ab",
      "2,false,-1,-5,0.1,-0.001,-1,1999-12-31,1999-12-31 00:00:00,x,",
      "3,x,300,x,x,NaN,x,x,x,\\N,\\N",
    ];
    const table = machine.tableOf([`${rows.join("\n")}\n`], { columns: list });
    await same("SELECT * FROM t ORDER BY id", [table]);
  });
});

test("columns of one name in a statement with SORT BY: refused, with the remedy", async () => {
  const table = machine.tableOf(["1,a\n"], { columns: columns("id int, v string") });
  const statement = "SELECT * FROM t a JOIN t b ON a.id = b.id SORT BY a.id, b.v";
  await expect(engines.remote.checkSelect({ statement, tables: [table] }, submission)).rejects.toMatchObject({
    code: "InvalidDMLStatement",
    message: expect.stringMatching(/in the result: name the columns of the result apart with AS/),
  });
});

describe("tables", () => {
  test("csv, tsv and gzip objects, with headers and without, declared and undeclared", async () => {
    const plain = machine.tableOf(["id,v\n1,a\n2,b\n", "id,v\n3,c\n"]);
    expect(await same("SELECT id + 1, v FROM t ORDER BY id", [plain])).toBe("2,a\n3,b\n4,c\n");
    const key = "zipped/";
    machine.put("default", `${key}a.gz`, gzipSync("1\tx\n2\ty\n"));
    machine.put("default", `${key}deep/b`, "3\tz\n");
    machine.put("default", `${key}_hidden`, "9\tno\n");
    const location = { bucket: "default", key };
    const zipped = { database: "default", table: "t", location, format: "tsv", columns: columns("n int, v string") };
    expect(await same("SELECT sum(n), count(*) FROM t", [zipped as TableDefinition])).toBe("6,3\n");
  });

  test("short rows, long rows, blank lines, CR LF and a byte order mark", async () => {
    const content = "\uFEFF1,a\r\n2\r\n\r\n3,c,d,e\n4,\n";
    const table = machine.tableOf([content], { columns: columns("n int, v string") });
    await same("SELECT n, v FROM t ORDER BY n, v", [table]);
  });

  test("a statement over several tables, an alias, WITH, a view and a subquery", async () => {
    const sales = machine.table("sales", "1,10\n2,20\n2,5\n", { columns: columns("shop int, amount int") });
    const shops = machine.table("shops", "1,North\n2,South\n", { columns: columns("id int, name string") });
    const views = [
      { database: "default", view: "totals", query: "SELECT shop, sum(amount) AS total FROM sales GROUP BY shop" },
    ];
    const statement = `-- the totals
      WITH s AS (SELECT * FROM shops)
      SELECT s.name, totals.total, (SELECT max(amount) FROM \`default\`.sales) FROM totals JOIN s ON s.id = totals.shop
      WHERE s.id IN (SELECT shop FROM sales x) ORDER BY name DESC; -- end`;
    const answers: string[] = [];
    for (const engine of [engines.embedded, engines.remote]) {
      const output = machine.output();
      await engine.select(
        { queryId: 3, statement, tables: [sales, shops], views, outputFormat: "csv", output },
        new Recorder(),
      );
      answers.push(Object.values(machine.objects(output)).join(""));
    }
    expect(answers).toEqual(["South,25,20\nNorth,10,20\n", "South,25,20\nNorth,10,20\n"]);
  });

  test.each([
    ["quotes and separators in quotes", '1,"a,b"\n2,"q""x"\n3,","\n4,\n5,""\n6,\\N\n7,"  "\n8,c\\d\n'],
    ["rows that end at CR LF", '1,"a"\r\n2,""""\r\n3,\r\n4,"z"\r\n'],
    ["a byte order mark and a header", '\uFEFF"id","v"\n1,"a,b"\n2,\n'],
  ])("csv with quotes: %s", async (name, content) => {
    const options = name.includes("header") ? {} : { columns: columns("id int, v string") };
    await same("SELECT id, v FROM t ORDER BY id", [machine.tableOf([content], options)]);
  });

  const list = columns("a string, c char(2)");
  test.each<[string, readonly (string | Uint8Array)[], Partial<TableDefinition>]>([
    ["csv with newlines in quotes", ['1,"a\nb"\n'], {}],
    ["csv with quotes beside a char", ['"a",x\n'], { columns: list }],
    ["gzip without its ending", [gzipSync("1,a\n")], {}],
    ["a header in the first object only", ["id,v\n1,a\n", "2,b\n"], {}],
    ["tsv with escapes beside a char", ["a\\tb\tx\n"], { format: "tsv", columns: list }],
    ["tsv with escapes beside U+0001", ["a\\tb\u0001\n"], { format: "tsv" }],
  ])("%s: is refused with the table and the remedy", async (_, contents, options) => {
    const table = machine.tableOf(contents, options);
    const query = { statement: "SELECT * FROM t", tables: [table] };
    await expect(engines.remote.checkSelect(query, submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringMatching(/table "default\.t" .*duckdb cluster/),
    });
  });
});

describe("running", () => {
  test("select: reports stages, progress, the server's job ID and the server's log", async () => {
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const context = new Recorder();
    expect(await machine.run(engines.remote, "SELECT sum(n) FROM t", [table], { context })).toBe("3\n");
    expect([...new Set(context.steps.map(({ stage }) => stage))]).toEqual([1, 2, 3]);
    expect(context.steps.at(-1)).toEqual({ percent: 100, stage: 3 });
    expect(context.jobIds).toEqual([expect.stringMatching(/^\w+_\d{14}_/)]);
    expect(context.lines.join("\n")).toMatch(/Completed executing command/);
    expect(context.lines.join("\n")).not.toContain(machine.root);
  });

  test("select: the log has the notes on undeclared columns", async () => {
    const context = new Recorder();
    const table = machine.tableOf(["city,2023,2024\nberlin,1,2\n"]);
    expect(await machine.run(engines.remote, "SELECT count(*) FROM t", [table], { context })).toBe("2\n");
    expect(context.lines[0]).toMatch(/^warning: the first row of dag:\S+ \(city, 2023, 2024\) is read as data/);
  });

  test("select: a failure at run time is the server's reason, without a stack trace", async () => {
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const failed = machine.run(engines.remote, "SELECT n, (SELECT n FROM t) FROM t", [table]);
    await expect(failed).rejects.toThrow(/[Ss]calar subquery/);
    await expect(failed).rejects.not.toThrow(/\n\s+at |org\.apache/);
  });
});
