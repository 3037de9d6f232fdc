import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns, Recorder, submission } from "../../contract/engine/harness";
import { startRemote, useEngines } from "../harness";

const engines = useEngines("hive");
const { machine } = engines;

/** Runs a statement on both engines and expects the same bytes, which it returns. */
async function same(statement: string, tables: readonly TableDefinition[], outputFormat: "csv" | "tsv" = "csv") {
  const expected = await machine.run(engines.embedded, statement, tables, { outputFormat });
  const answer = await machine.run(engines.remote, statement, tables, { outputFormat });
  expect(answer).toBe(expected);
  return answer;
}

const texts = columns("id int, a string, b string");
/** Every character that a cell of a result quotes or escapes. */
const special = [
  '1\ta,b\tq"x',
  "2\t\\N\tl1\\nl2",
  "3\t\tc\\\\d\\te",
  "4\t\\r\té漢😀",
  "5\t'single'\t;--",
  "6\t\\\\N\tx",
].join("\n");

describe("results, as the embedded engine writes them", () => {
  test.each(["csv", "tsv"] as const)("%s: quotes, separators, newlines, NULL and empty cells", async (format) => {
    const table = machine.tableOf([`${special}\n`], { format: "tsv", columns: texts });
    const text = await same("SELECT id, a, b FROM t ORDER BY id", [table], format);
    expect(text).toContain(format === "csv" ? '1,"a,b","q""x"\n2,\\N,"l1\nl2"\n3,,' : "2\t\\N\tl1\\nl2\n");
  });

  test("csv: an empty cell of the only column is quoted", async () => {
    const table = machine.tableOf(["1\t\n2\t\\N\n3\tx\n"], { format: "tsv", columns: columns("id int, a string") });
    expect(await same("SELECT a FROM t ORDER BY id", [table])).toBe('""\n\\N\nx\n');
  });

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

  test("a result without rows is one empty object", async () => {
    const table = machine.tableOf(["1\n"], { columns: columns("n int") });
    expect(await same("SELECT n FROM t WHERE n > 5", [table])).toBe("");
    expect(await same("SELECT 1 WHERE false", [])).toBe("");
  });

  test("a result that exceeds the size of an object is cut between rows", async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => `${n}\tl1\\nl2 ${n}\n`).join("");
    const table = machine.tableOf([rows], { format: "tsv", columns: columns("n int, a string") });
    const small = await startRemote("hive", machine, { resultObjectBytes: 10_000 });
    const output = machine.output();
    const statement = "SELECT n, a FROM t ORDER BY n";
    await small.select({ queryId: 9, statement, tables: [table], outputFormat: "csv", output }, new Recorder());
    await small.close();
    const objects = Object.entries(machine.objects(output));
    expect(objects.length).toBeGreaterThan(3);
    expect(objects.map(([name]) => name)).toEqual(objects.map((_, n) => `${String(n).padStart(6, "0")}_0`));
    for (const [, text] of objects) expect(text).toMatch(/^\d+,"l1\nl2 \d+"\n/);
    expect(objects.map(([, text]) => text).join("")).toBe(await machine.run(engines.embedded, statement, [table]));
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

  const list = columns("a string, c char(2)");
  test.each<[string, readonly (string | Uint8Array)[], Partial<TableDefinition>]>([
    ["csv with quotes", ['1,"a"\n'], {}],
    ["json", ['{"a":1}\n'], {}],
    ["gzip without its ending", [gzipSync("1,a\n")], {}],
    ["a header in the first object only", ["id,v\n1,a\n", "2,b\n"], {}],
    ["tsv with escapes beside a char", ["a\\tb\tx\n"], { format: "tsv", columns: list }],
    ["tsv with escapes beside U+0001", ["a\\tb\u0001\n"], { format: "tsv" }],
  ])("%s: is refused with the table and the remedy", async (name, contents, options) => {
    const format = name === "json" ? "json" : "csv";
    const table = machine.tableOf(contents, { format, ...options });
    const query = { statement: "SELECT * FROM t", tables: [table] };
    await expect(engines.remote.checkSelect(query, submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringMatching(/table "default\.t" .*duckdb cluster/),
    });
  });

  test("partition folders: are refused", async () => {
    machine.put("default", "parts/day=2026-01-02/a.csv", "1\n");
    const location = { bucket: "default", key: "parts/" };
    const table: TableDefinition = { database: "default", table: "t", location, format: "csv" };
    const query = { statement: "SELECT * FROM t", tables: [table] };
    await expect(engines.remote.checkSelect(query, submission)).rejects.toThrow(/has partition folders/);
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

  test("select: two statements run side by side, each in its own session", async () => {
    const results = await Promise.all(
      [1, 2].map((n) => {
        const table = machine.tableOf([`${n}\n`.repeat(10)], { columns: columns("n int") });
        return machine.run(engines.remote, "SELECT sum(n) FROM t", [table]);
      }),
    );
    expect(results).toEqual(["10\n", "20\n"]);
  });

  test("select: a failure at run time is the server's reason, without a stack trace", async () => {
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const failed = machine.run(engines.remote, "SELECT n, (SELECT n FROM t) FROM t", [table]);
    await expect(failed).rejects.toThrow(/[Ss]calar subquery/);
    await expect(failed).rejects.not.toThrow(/\n\s+at |org\.apache/);
  });
});
