import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports";
import { columns, Machine, Recorder } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

let count = 0;
/** A table named `t` over new objects. */
function table(contents: readonly (string | Uint8Array)[], options: Partial<TableDefinition> = {}): TableDefinition {
  const key = `t${++count}/`;
  contents.forEach((content, index) => machine.put("default", `${key}part-${index}`, content));
  return { database: "default", table: "t", location: { bucket: "default", key }, format: "csv", ...options };
}

const run = (statement: string, tables: readonly TableDefinition[]) => machine.run(engine, statement, tables);
const rowsOf = async (definition: TableDefinition, statement = "SELECT * FROM t") =>
  (await run(statement, [definition])).replace(/\n$/, "").split("\n");

describe("tables with declared columns", () => {
  test.each<[string, string, string, string[]]>([
    ["short rows are padded with NULL, extra cells are dropped", "a int, b string", "1\n2,x,y,z\n", ["1,\\N", "2,x"]],
    ["a value that is none of its type is NULL", "a int, b double", "x,1.5\n1.5,y\n", ["\\N,1.5", "1,\\N"]],
    ["an empty cell is an empty string, and NULL for other types", "a string, b int", ",\nx,1\n", [",\\N", "x,1"]],
    ["\\N is NULL", "a string, b int", "\\N,\\N\n", ["\\N,\\N"]],
    ["cells keep their spaces", "a string, b string", "  x ,\ty\n", ["  x ,\ty"]],
    ["rows end at LF, CR LF or CR", "a string", "a\r\nb\nc\rd", ["a", "b", "c", "d"]],
    ["a last row without a newline counts", "a string", "a\nb", ["a", "b"]],
    ["a byte order mark is no part of the first cell", "a string", "\u{feff}a\n", ["a"]],
    ["every row is data, the first too", "a int, b string", "a,b\n1,x\n", ["\\N,b", "1,x"]],
    ["names are folded and may hold anything", "`x y'\"` string", "1\n", ["1"]],
  ])("csv: %s", async (_, list, content, expected) => {
    const declared = list.startsWith("`") ? [{ name: "x y'\"", type: "string" }] : columns(list);
    expect(await rowsOf(table([content], { columns: declared }))).toEqual(expected);
  });

  test("csv: quoted cells hold commas, quotes and newlines", async () => {
    const definition = table(['"a,b","c""d"\n"e\nf",g\n'], { columns: columns("x string, y string") });
    expect(await run("SELECT length(x), y FROM t", [definition])).toBe('3,"c""d"\n3,g\n');
  });

  test("csv: a quoted newline far into a large file is read right", async () => {
    const plain = "x,1\n".repeat(1_000_000);
    const definition = table([`${plain}"y\nz",2\n${plain}`], { columns: columns("a string, n int") });
    expect(await run("SELECT count(*), sum(n), count(DISTINCT a) FROM t", [definition])).toBe("2000001,2000002,2\n");
    expect(await run("SELECT count(*) FROM t", [definition])).toBe("2000001\n");
  });

  test("tsv: quotes are characters; tab, newline and backslash are escaped", async () => {
    const content = '"a"\tb\\tc\n\\N\t\\\\N\nC:\\dir\t\\\\\\\\t\n';
    const definition = table([content], { format: "tsv", columns: columns("x string, y string") });
    expect(await rowsOf(definition)).toEqual(['"""a""",b\tc', '\\N,"\\N"', "C:\\dir,\\\\t"]);
  });

  test("json: members by name whatever their case; numbers, texts and nested values", async () => {
    const lines = [
      '{"id":1,"Name":"x","tags":["a","b"],"o":{"k":null}}',
      '{"name":null,"ID":"2"}',
      '{"id":2.5,"other":true}',
      '{"id":"y","name":7}',
    ];
    const definition = table([`${lines.join("\n")}\n`], {
      format: "json",
      columns: columns("id int, name string, tags string, o string"),
    });
    expect(await rowsOf(definition)).toEqual([
      '1,x,"[""a"",""b""]","{""k"":null}"',
      "2,\\N,\\N,\\N",
      "2,\\N,\\N,\\N",
      "\\N,7,\\N,\\N",
    ]);
  });

  test("json: a line that is no object ends the query with the reason, without a path of this machine", async () => {
    const definition = table(['{"a":1}\nnot json\n'], { format: "json", columns: columns("a int") });
    const failure = await run("SELECT a FROM t", [definition]).catch((error: Error) => error.message);
    expect(failure).toMatch(/Malformed JSON/);
    expect(failure).not.toContain(machine.root);
    expect(failure).toContain("dag://default/");
  });

  test("gzip is known by its first bytes, whatever the name; objects of both kinds form one table", async () => {
    const definition = table([gzipSync("a,1\n"), "b,2\n", gzipSync("c,3\n")], { columns: columns("x string, n int") });
    machine.put("default", `${definition.location.key}part-9.gz`, "d,4\n");
    expect(await rowsOf(definition)).toEqual(["a,1", "b,2", "c,3", "d,4"]);
  });

  test("objects of any name are read, and only those", async () => {
    const definition = table([], { columns: columns("x string") });
    const names = ["it's", "[1]", "*", "?.csv", "ü {a,b}", "a'b\"c", "sub/part", "$HOME", "%s"];
    for (const name of names)
      machine.put("default", definition.location.key + name, `${Buffer.from(name).toString("hex")}\n`);
    expect((await rowsOf(definition)).toSorted()).toEqual(
      names.map((name) => Buffer.from(name).toString("hex")).toSorted(),
    );
  });

  test.each(["csv", "tsv", "json"] as const)(
    "%s: a table without objects or with empty ones has no rows",
    async (format) => {
      const list = columns("a int, b string");
      for (const contents of [[], [""], ["", ""], [gzipSync("")]]) {
        expect(await run("SELECT count(*), sum(a) FROM t", [table(contents, { format, columns: list })])).toBe(
          "0,\\N\n",
        );
      }
    },
  );
});

describe("tables without declared columns", () => {
  test.each<[string, readonly (string | Uint8Array)[], string, string]>([
    ["names come from a header row", ["Id,Full Name\n1,x\n"], "SELECT id, `full name` FROM t", "1,x\n"],
    ["names are _c0, _c1 without one", ["1,x\n2,y\n"], "SELECT `_c1`, `_c0` + 1 FROM t", "x,2\ny,3\n"],
    [
      "every object's header row is left out",
      ["a,b\n1,2\n", "a,b\n3,4\n", "5,6\n"],
      "SELECT sum(a), count(*) FROM t",
      "9,3\n",
    ],
    ["whole numbers are bigint", ["n\n1\n-2\n\n0\n"], "SELECT sum(n) FROM t", "-1\n"],
    ["numbers with a point are double", ["n\n1\n2.5\n"], "SELECT sum(n) FROM t", "3.5\n"],
    ["dates and timestamps", ["d,s\n2020-02-29,2020-01-01 10:00:00\n"], "SELECT year(d), hour(s) FROM t", "2020,10\n"],
    ["what is no day of the calendar is a string", ["d\n2021-02-29\n"], "SELECT d FROM t", "2021-02-29\n"],
    ["leading zeros make it a string", ["n\n007\n"], "SELECT n FROM t", "007\n"],
    ["booleans", ["b\ntrue\nfalse\n"], "SELECT count(*) FROM t WHERE b", "1\n"],
    ["a column without values is a string", ["a,b\n1,\n"], "SELECT length(b) FROM t", "0\n"],
    ["gzip", [gzipSync("n\n1\n2\n")], "SELECT sum(n) FROM t", "3\n"],
    ["a header alone", ["a,b\n"], "SELECT count(a) FROM t", "0\n"],
  ])("csv: %s", async (_, contents, statement, expected) => {
    const definition = table(contents);
    await engine.checkSelect({ statement, tables: [definition] });
    expect(await run(statement, [definition])).toBe(expected);
  });

  test.each(["csv", "tsv", "json"] as const)("%s: a table without rows", async (format) => {
    for (const contents of [[], [""], [gzipSync("")], ["\n"]]) {
      const definition = table(contents, { format });
      await engine.checkSelect({ statement: "SELECT * FROM t", tables: [definition] });
      expect(await run("SELECT count(*) FROM t", [definition])).toBe("0\n");
    }
  });

  test("csv: columns of every type, with and without empty cells and NULL, are what declared ones would be", async () => {
    const content = [
      "b,i,f,d,s,x",
      "true,1,1.5,2020-01-01,2020-01-01 10:00:00,y",
      "FALSE,-9000,-1,0099-12-31,1999-12-31 23:59:59.123,",
      "\\N,\\N,\\N,\\N,\\N,\\N",
      "true",
    ];
    const types = columns("b boolean, i bigint, f double, d date, s timestamp, x string");
    const statement = "SELECT b, i + 1, f * 2, date_add(d, 1), s, concat(x, '!') FROM t";
    for (const empty of [[], [",,,,,"]]) {
      const rows = [...content, ...empty].join("\n");
      const declared = table([rows.slice(rows.indexOf("\n") + 1)], { columns: types });
      expect(await run(statement, [table([rows])])).toBe(await run(statement, [declared]));
    }
  });

  test("json: numbers that a double cannot hold stay texts", async () => {
    const definition = table(['{"a":18446744073709551615,"b":9007199254740993}\n{"a":1,"b":0.5}\n'], {
      format: "json",
    });
    expect(await run("SELECT max(a), max(b) FROM t", [definition])).toBe("18446744073709551615,9007199254740993\n");
  });

  test("csv: a value beyond the sample decides the type too", async () => {
    const definition = table([`n\n${"1\n".repeat(100_000)}x\n`]);
    expect(await run("SELECT max(n), count(n) FROM t", [definition])).toBe("x,100001\n");
  });

  test("csv: very many objects", async () => {
    const definition = table(Array.from({ length: 500 }, (_, index) => `n,s\n${index},x\n`));
    expect(await run("SELECT count(*), sum(n) FROM t", [definition])).toBe(`500,${(499 * 500) / 2}\n`);
  });

  test("csv: what an object held is not remembered when it changes", async () => {
    const definition = table(["n\n1\n"]);
    expect(await run("SELECT n + 1 FROM t", [definition])).toBe("2\n");
    machine.put("default", `${definition.location.key}part-0`, "n\nabc\n");
    expect(await run("SELECT n FROM t", [definition])).toBe("abc\n");
  });

  test("csv: quoted newlines beyond the sample", async () => {
    const definition = table([`a,n\n${"x,1\n".repeat(300_000)}"y\nz",2\n`]);
    expect(await run("SELECT sum(n), max(length(a)) FROM t", [definition])).toBe("300002,3\n");
  });

  test("json: the members of all objects, those beyond the sample too", async () => {
    const definition = table([`${'{"a":1,"B":true}\n'.repeat(20_000)}{"a":1.5,"c":"x"}\n`], { format: "json" });
    expect(await run("SELECT sum(a), count(b), max(c) FROM t", [definition])).toBe("20001.5,20000,x\n");
  });
});

describe("results", () => {
  const letters = columns("a string, b string");

  test("csv: cells are quoted only where they must be; NULL is \\N; no header", async () => {
    const definition = table(['"a,b","c""d"\n"e\nf",\n\\N, x \n'], { columns: letters });
    expect(await run("SELECT a, b FROM t", [definition])).toBe('"a,b","c""d"\n"e\nf",\n\\N, x \n');
  });

  test("csv: an only cell that is empty is quoted, so that its row is none of the blank lines", async () => {
    const content = ["", "a", "x,y", 'q"', "l\nm", "\\N", "\r", null].map((a) => `${JSON.stringify({ a })}\n`).join("");
    const definition = table([content], { format: "json", columns: columns("a string") });
    expect(await run("SELECT a FROM t", [definition])).toBe('""\na\n"x,y"\n"q"""\n"l\nm"\n"\\N"\n"\r"\n\\N\n');
  });

  test("tsv: tab, newline, carriage return and backslash are escaped; NULL is \\N", async () => {
    const definition = table(['"a\tb","c\nd"\ne\\f,"\r"\n\\N,"g""h"\n'], { columns: letters });
    const text = await machine.run(engine, "SELECT a, b FROM t", [definition], { outputFormat: "tsv" });
    expect(text).toBe('a\\tb\tc\\nd\ne\\\\f\t\\r\n\\N\tg"h\n');
  });

  test("a result without rows is one empty object", async () => {
    const output = machine.output();
    await engine.select(
      { queryId: 1, statement: "SELECT 1 WHERE false", tables: [], outputFormat: "csv", output },
      new Recorder(),
    );
    expect(machine.objects(output)).toEqual({ "000000_0": "" });
  });

  test("columns of one name are all there", async () => {
    expect(await run("SELECT 1 AS a, 2 AS a", [])).toBe("1,2\n");
  });

  test("a large result becomes several objects of bounded size that keep the order", async () => {
    await using other = new Machine();
    const small = await other.start({}, { resultObjectBytes: 1_000_000 });
    const rows = Array.from({ length: 300_000 }, (_, index) => `${(index * 7919) % 300_000}\n`).join("");
    const numbers = other.table("t", rows, { columns: columns("n int") });
    const output = other.output();
    const job = {
      queryId: 1,
      statement: "SELECT n, 'a \\'\\n\\' b' FROM t ORDER BY n",
      tables: [numbers],
      outputFormat: "csv",
      output,
    } as const;
    const context = new Recorder();
    await small.select(job, context);
    const objects = other.objects(output);
    const names = Object.keys(objects);
    expect(names.length).toBeGreaterThan(4);
    expect(names).toEqual(names.map((_, index) => `${String(index).padStart(6, "0")}_0`));
    for (const text of Object.values(objects)) {
      expect(text.length).toBeLessThanOrEqual(1_000_000);
      expect(text).toMatch(/^\d+,"a '\n' b"\n/);
    }
    const all = Object.values(objects).join("");
    expect(all).toBe(Array.from({ length: 300_000 }, (_, index) => `${index},"a '\n' b"\n`).join(""));
    expect(context.lines).toContain(`stored ${all.length} bytes in ${names.length} objects`);
  });

  test.each(["csv", "tsv"] as const)("%s: a result that is read as a table is the same again", async (outputFormat) => {
    const cell = fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          "",
          "a",
          '"',
          ",",
          "\t",
          "\n",
          "\\",
          "\\n",
          "\\\\",
          " ",
          "é",
          "\\t",
          '"x"',
          "\r",
          "N",
          "1",
        ),
      },
      {
        weight: 3,
        arbitrary: fc.string({
          unit: fc.constantFrom('"', ",", "\t", "\n", "\\", "a", " ", "n", "t", "\r", "ü"),
          maxLength: 8,
        }),
      },
    );
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, async (cells) => {
        const content = cells.map(([a, b]) => `${JSON.stringify({ a, b })}\n`).join("");
        const source = table([content], { format: "json", columns: letters });
        const output = machine.output();
        const statement = "SELECT a, b FROM t";
        await engine.select({ queryId: 1, statement, tables: [source], outputFormat, output }, new Recorder());
        const again: TableDefinition = { ...source, location: output, format: outputFormat, columns: letters };
        const hex = "SELECT coalesce(hex(a), 'NULL'), coalesce(hex(b), 'NULL') FROM t";
        const expected = cells.map((row) =>
          row.map((value) => (value === null ? "NULL" : Buffer.from(value).toString("hex").toUpperCase())),
        );
        expect((await run(hex, [again])).trimEnd().split("\n")).toEqual(expected.map((row) => row.join(",")));
      }),
      { numRuns: 60 },
    );
  });
});

describe("running", () => {
  test("select: tells its stages in order, progress that only grows, a job id and what it wrote", async () => {
    const context = new Recorder();
    const definition = table(["1\n2\n"], { columns: columns("n int") });
    await machine.run(engine, "SELECT n FROM t", [definition], { context });
    const stages = context.steps.map(({ stage }) => stage);
    const percents = context.steps.map(({ percent }) => percent);
    expect([...new Set(stages)]).toEqual([1, 2, 3]);
    expect(stages).toEqual(stages.toSorted());
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);
    expect(context.jobIds).toEqual([expect.stringMatching(/^select-\d+-\d+$/)]);
    expect(context.lines).toContain("wrote 2 rows");
  });

  test("select: many at once on one engine, each with its own tables", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const definition = table([`${index}\n`.repeat(1000)], { columns: columns("n int") });
        return run("SELECT sum(n) FROM t", [definition]);
      }),
    );
    expect(results).toEqual(results.map((_, index) => `${index * 1000}\n`));
  });

  test("select: works where the buckets are reached through a symbolic link", async () => {
    await using other = new Machine({ linked: true });
    const linked = await other.start();
    const definition = other.table("t", "1\n2\n", { columns: columns("n int") });
    expect(await other.run(linked, "SELECT sum(n) FROM t", [definition])).toBe("3\n");
  });

  test("tablesRead: names, databases and what they must be", async () => {
    const statement = "WITH c AS (SELECT * FROM x) SELECT * FROM c JOIN `my-db`.y ON c.a = y.a JOIN X ON true";
    expect(await engine.tablesRead(statement)).toEqual([
      { database: "default", table: "x" },
      { database: "my-db", table: "y" },
    ]);
    await expect(engine.tablesRead("SELECT * FROM `A_b`.t")).rejects.toMatchObject({
      code: "InvalidDatabaseName",
      field: "query",
    });
    await expect(engine.tablesRead("SELECT * FROM `a-b`")).rejects.toMatchObject({
      code: "InvalidTableName",
      field: "query",
    });
  });

  test.each([
    "SELEC 1",
    "SELECT 1; SELECT 2",
    "INSERT INTO t SELECT 1",
    "DROP TABLE t",
    "SET threads=1",
    "LOAD DATA INPATH '/etc/passwd' INTO TABLE t",
    "SHOW TABLES",
    "",
  ])("tablesRead: refuses %j as InvalidDMLStatement with line and column", async (statement) => {
    await expect(engine.tablesRead(statement)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringMatching(/^query \d+:\d+ /),
    });
  });

  test.each([
    "SELECT nothing FROM t",
    "SELECT read_text('/etc/passwd') FROM t",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT getvariable('x') FROM t",
    "SELECT current_setting('temp_directory') FROM t",
    "SELECT reflect('java.lang.System', 'getenv') FROM t",
    "SELECT java_method('java.lang.Math', 'max', 1, 2) FROM t",
    "SELECT in_file('x', '/etc/passwd') FROM t",
    "SELECT TRANSFORM (n) USING '/bin/cat' AS (x) FROM t",
    "SELECT * FROM `/etc/passwd`",
    "SELECT * FROM t, `duckdb_settings()`",
    "SELECT n FROM t WHERE n IN (SELECT a FROM missing)",
  ])("checkSelect and select: refuse %j", async (statement) => {
    const definition = table(["1\n"], { columns: columns("n int") });
    const refusal = { code: "InvalidDMLStatement" };
    await expect(engine.checkSelect({ statement, tables: [definition] })).rejects.toMatchObject(refusal);
    await expect(run(statement, [definition])).rejects.toMatchObject(refusal);
  });

  test("checkSelect: lets pass what select runs", async () => {
    const definition = table(["1\n"], { columns: columns("n int") });
    await expect(engine.checkSelect({ statement: "SELECT n FROM t", tables: [definition] })).resolves.toBeUndefined();
  });
});
