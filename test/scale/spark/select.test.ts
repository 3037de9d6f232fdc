import { describe, expect, inject, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns, Recorder, submission } from "../../contract/engine/harness";
import { startRemote } from "../harness";
import { selectSuite } from "../suites/select";

const { engines, same } = selectSuite("spark");
const { machine } = engines;

describe("results", () => {
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

  test("select: a failure at run time is the server's reason, without a stack trace", async () => {
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const scalar = machine.run(engines.remote, "SELECT n, (SELECT n FROM t) FROM t", [table]);
    await expect(scalar).rejects.toThrow(/More than one row returned by a subquery/);
    const raised = machine.run(engines.remote, "SELECT assert_true(n < 2) FROM t", [table]);
    await expect(raised).rejects.toThrow(/is not true/);
    await expect(raised).rejects.not.toThrow(/\n\s+at |org\.apache|Driver stacktrace/);
  });
});
