import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns, Recorder, submission } from "../../contract/engine/harness";
import { startRemote, useEngines } from "../harness";

const engines = useEngines("spark");
const { machine } = engines;

/** Runs a statement on both engines and expects the same bytes, which it returns. */
async function same(statement: string, tables: readonly TableDefinition[], outputFormat: "csv" | "tsv" = "csv") {
  const expected = await machine.run(engines.embedded, statement, tables, { outputFormat });
  const answer = await machine.run(engines.remote, statement, tables, { outputFormat });
  expect(answer).toBe(expected);
  return answer;
}

/** Every character that a cell of a result quotes or escapes. */
const special = [
  '1\ta,b\tq"x',
  "2\t\\N\tl1\\nl2",
  "3\t\tc\\\\d\\te",
  "4\t\\r\té漢😀",
  "5\t'single'\t;--",
  "6\t\\\\N\tx\u0001\\t\\\\\\n",
].join("\n");

describe("results, as the embedded engine writes them", () => {
  test.each(["csv", "tsv"] as const)("%s: quotes, separators, newlines, NULL and empty cells", async (format) => {
    const list = columns("id int, a string, b string");
    const table = machine.tableOf([`${special}\n`], { format: "tsv", columns: list });
    const text = await same("SELECT id, a, b FROM t ORDER BY id", [table], format);
    expect(text).toContain(format === "csv" ? '1,"a,b","q""x"\n2,\\N,"l1\nl2"\n3,,' : "2\t\\N\tl1\\nl2\n");
  });

  test("csv: an empty cell of the only column is quoted", async () => {
    const table = machine.tableOf(["1\t\n2\t\\N\n3\tx\n"], { format: "tsv", columns: columns("id int, a string") });
    expect(await same("SELECT a FROM t ORDER BY id", [table])).toBe('""\n\\N\nx\n');
  });

  test("values of each type", async () => {
    const list = columns(
      "id int, b boolean, i tinyint, l bigint, f float, d double, m decimal(10,3), n decimal(20,18), s date, t timestamp, v varchar(3), c char(4), x binary",
    );
    const rows = [
      "1,true,7,9007199254740993,1.5,1e10,12.500,0.000000000000000001,2026-01-02,2026-01-02 03:04:05.6,abcd,ab,aGk=",
      "2,false,-1,-5,0.1,-0.001,-1,-0.5,1999-12-31,1999-12-31 00:00:00,x,,plain",
      "3,x,300,x,x,NaN,x,0,x,x,\\N,\\N,",
    ];
    const table = machine.tableOf([`${rows.join("\n")}\n`], { columns: list });
    const text = await same("SELECT * FROM t ORDER BY id", [table]);
    expect(text).toContain("0.000000000000000001");
  });

  test("a result without rows is one empty object", async () => {
    const table = machine.tableOf(["1\n"], { columns: columns("n int") });
    expect(await same("SELECT n FROM t WHERE n > 5", [table])).toBe("");
    expect(await same("SELECT 1 WHERE false", [])).toBe("");
  });

  test("a result that exceeds the size of an object is cut between rows", async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => `${n}\tl1\\nl2 ${n}\n`).join("");
    const table = machine.tableOf([rows], { format: "tsv", columns: columns("n int, a string") });
    const small = await startRemote("spark", machine, { resultObjectBytes: 10_000 });
    const output = machine.output();
    const statement = "SELECT n, a FROM t ORDER BY n";
    await small.select({ queryId: 9, statement, tables: [table], outputFormat: "csv", output }, new Recorder());
    await small.close();
    const objects = Object.entries(machine.objects(output));
    expect(objects.length).toBeGreaterThan(3);
    for (const [, text] of objects) expect(text).toMatch(/^\d+,"l1\nl2 \d+"\n/);
    expect(objects.map(([, text]) => text).join("")).toBe(await machine.run(engines.embedded, statement, [table]));
  });

  test.each(["array(1)", "map('a', 1)", "named_struct('a', 1)"])("%s as a column is refused", async (value) => {
    const checked = engines.remote.checkSelect({ statement: `SELECT ${value} AS x`, tables: [] }, submission);
    await expect(checked).rejects.toThrow(/column "x" of the result is (?:array|map|struct)<.*select its elements/);
  });
});

describe("text tables", () => {
  test("csv, tsv and gzip objects, with headers and without, declared and undeclared", async () => {
    const plain = machine.tableOf(["\uFEFFid,v\n1,a\n\n2,b\r\n", "id,v\r\n3,c\n"]);
    const statement = "SELECT id + 1, v FROM t ORDER BY id IS NULL, id";
    expect(await same(statement, [plain])).toBe("2,a\n3,b\n4,c\n\\N,\\N\n");
  });

  test("gzip, folders below and hidden objects", async () => {
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
    await same("SELECT n, v FROM t WHERE n IS NOT NULL ORDER BY n", [table]);
    expect(await same("SELECT count(*) FROM t", [table])).toBe("5\n");
  });

  test.each([
    ["newlines, quotes and separators in quotes", '1,"a\nb"\n2,"q""x"\n3,","\n4,\n5,""\n6,\\N\n7,"  "\n'],
    ["rows that end at CR LF, and newlines of both kinds in quotes", '1,"a\r\nb"\r\n2,"x\ny"\r\n3,\r\n4,"z"\r\n'],
    ["a byte order mark and a header", '\uFEFF"id","v"\n1,"a\nb"\n2,\n'],
  ])("csv with quotes: %s", async (name, content) => {
    const options = name.includes("header") ? {} : { columns: columns("id int, v string") };
    await same("SELECT id, v FROM t ORDER BY id", [machine.tableOf([content], options)]);
  });

  test.each<[string, string, Partial<TableDefinition>]>([
    ["rows with another number of cells", '1,"a"\n2\n', {}],
    ["blank rows", '1,"a"\n\n2,b\n', {}],
    ["a quote inside a cell without quotes", '1,a"b\n', {}],
    ['a cell "\\N" in quotes', '1,"\\N"\n', {}],
    ["a carriage return at another place", '1,"a"\r2,b\n', {}],
    ["rows that end at LF and at CR LF", '1,"a"\r\n2,b\n', {}],
    ["a quote that is not closed", '1,"a\n', {}],
  ])("csv with quotes and %s: is refused with the table and the remedy", async (why, content, options) => {
    const table = machine.tableOf([content], { columns: columns("id int, v string"), ...options });
    const query = { statement: "SELECT * FROM t", tables: [table] };
    await expect(engines.remote.checkSelect(query, submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringContaining(why),
    });
  });

  test("a row that is the same as the header: is refused", async () => {
    const table = machine.tableOf(["id,v\n1,a\nid,v\n2,b\n"]);
    const query = { statement: "SELECT * FROM t", tables: [table] };
    await expect(engines.remote.checkSelect(query, submission)).rejects.toThrow(
      /has a row that is the same as its header/,
    );
  });

  test("a table without objects has no rows", async () => {
    const table: TableDefinition = {
      database: "default",
      table: "t",
      location: { bucket: "default", key: "nothing/" },
      format: "csv",
      columns: columns("n int, v varchar(3), c char(2)"),
    };
    expect(await same("SELECT count(*), max(n), max(v) FROM t", [table])).toBe("0,\\N,\\N\n");
  });
});

describe("json tables", () => {
  test("members of every type, missing members, other spellings and blank lines", async () => {
    const rows = [
      '{"id":1,"Name":"a,b","price":1.5,"ok":true,"day":"2026-01-02"}',
      "",
      '{"id":2,"name":null,"price":"2.5","ok":"TRUE","day":"x"}',
      '{"id":3,"name":"l1\\nl2","extra":[1]}',
      '{"id":4,"name":{"a":[1,2]},"price":1e2,"ok":1}',
    ];
    const list = columns("id int, name string, price double, ok boolean, day date");
    const table = machine.tableOf([`${rows.join("\n")}\n`], { format: "json", columns: list });
    await same("SELECT * FROM t ORDER BY id", [table]);
  });

  test("undeclared columns", async () => {
    const table = machine.tableOf(['{"id":1,"v":"x"}\n{"id":2,"v":"y","w":1.5}\n'], { format: "json" });
    expect(await same("SELECT id, v, w FROM t ORDER BY id", [table])).toBe("1,x,\\N\n2,y,1.5\n");
  });

  test("a line that is no object fails the select", async () => {
    const table = machine.tableOf(['{"n":1}\n', '{"n":2\n'], { format: "json", columns: columns("n int") });
    await expect(machine.run(engines.remote, "SELECT sum(n) FROM t", [table])).rejects.toThrow(/[Mm]alformed/);
  });
});

describe("running", () => {
  test("select: reports stages, progress, the server's job ID and its log", async () => {
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const context = new Recorder();
    expect(await machine.run(engines.remote, "SELECT sum(n) FROM t", [table], { context })).toBe("3\n");
    expect([...new Set(context.steps.map(({ stage }) => stage))]).toEqual([1, 2, 3]);
    expect(context.steps.at(-1)).toEqual({ percent: 100, stage: 3 });
    expect(context.jobIds).toEqual([expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)]);
    expect(context.lines.join("\n")).toContain(`Spark runs the statement as ${context.jobIds[0]}`);
    expect(context.lines.join("\n")).not.toContain(machine.root);
  });

  test("select: the progress is that of the statement's tasks when the web interface is known", async () => {
    const table = machine.tableOf(["1\n".repeat(3000)], { columns: columns("n int") });
    const engine = await startRemote("spark", machine, { ui: inject("sparkUi") });
    const abort = new AbortController();
    const context = new Recorder(abort.signal);
    const statement = "SELECT count(*) FROM t a CROSS JOIN t b CROSS JOIN t c WHERE a.n * b.n + c.n > 0.5";
    const running = machine.run(engine, statement, [table], { context });
    running.catch(() => undefined);
    await expect
      .poll(() => context.steps.some(({ percent, stage }) => stage === 2 && percent > 0), { timeout: 60_000 })
      .toBe(true);
    abort.abort(new Error("cancelled by the test"));
    await expect(running).rejects.toThrow("cancelled by the test");
    await engine.close();
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
    const scalar = machine.run(engines.remote, "SELECT n, (SELECT n FROM t) FROM t", [table]);
    await expect(scalar).rejects.toThrow(/More than one row returned by a subquery/);
    const raised = machine.run(engines.remote, "SELECT assert_true(n < 2) FROM t", [table]);
    await expect(raised).rejects.toThrow(/is not true/);
    await expect(raised).rejects.not.toThrow(/\n\s+at |org\.apache|Driver stacktrace/);
  });
});
