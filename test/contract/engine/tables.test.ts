import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine, submission } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

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
    ["a blank line is a row of one empty cell", "a string, b string", "a\n\nb,c\n", ["a,\\N", "b,c", ",\\N"]],
    ["a blank line is NULL where its cell is no text", "a int", "\r\n1\r\n\r\n", ["1", "\\N", "\\N"]],
    ["names are folded and may hold anything", "`x y'\"` string", "1\n", ["1"]],
  ])("csv: %s", async (_, list, content, expected) => {
    const declared = list.startsWith("`") ? [{ name: "x y'\"", type: "string" }] : columns(list);
    expect(await rowsOf(machine.tableOf([content], { columns: declared }))).toEqual(expected);
  });

  test("csv: quoted cells hold commas, quotes and newlines", async () => {
    const definition = machine.tableOf(['"a,b","c""d"\n"e\nf",g\n'], { columns: columns("x string, y string") });
    expect(await run("SELECT length(x), y FROM t", [definition])).toBe('3,"c""d"\n3,g\n');
  });

  test("csv: a quote opens a cell at its start or after one space, and is a character after more", async () => {
    const content = '1,"a,b",x\n2, "c,d",y\n3,  "e,z\n4,   5" g,w\n';
    for (const options of [{ columns: columns("n int, s string, t string") }, {}]) {
      const statement = "SELECT concat(n, '|', s, '|', t) FROM t";
      const found = await run(statement, [machine.tableOf([options.columns ? content : `n,s,t\n${content}`], options)]);
      expect(found).toBe('"1|a,b|x"\n"2|c,d|y"\n"3|  ""e|z"\n"4|   5"" g|w"\n');
    }
  });

  test("csv: a quoted newline far into a large file is read correctly", async () => {
    const plain = "x,1\n".repeat(1_000_000);
    const definition = machine.tableOf([`${plain}"y\nz",2\n${plain}`], { columns: columns("a string, n int") });
    expect(await run("SELECT count(*), sum(n), count(DISTINCT a) FROM t", [definition])).toBe("2000001,2000002,2\n");
    expect(await run("SELECT count(*) FROM t", [definition])).toBe("2000001\n");
  });

  // DuckDB reads 64 MiB at a time.
  test.each(['"y\nz"', '"y\r\nz"'])("csv: %j at the end of 64 MiB is read correctly", async (cell) => {
    const row = `p,${"p".repeat(123)},1\n`;
    const [count, rest] = [Math.floor(2 ** 26 / row.length), 2 ** 26 % row.length];
    // The cell is the second of its row, and begins where the 64 MiB end.
    const last = `p,${"p".repeat(rest + row.length - 2 - 3 - 2)},1\n`;
    const content = `${row.repeat(count - 1)}${last}q,${cell},2\n${'p,"z",1\n'.repeat(3)}`;
    const definition = machine.tableOf([content], { columns: columns("a string, b string, n int") });
    const statement = "SELECT count(*), sum(n), max(if(a = 'q', length(b), 0)) FROM t";
    expect(await run(statement, [definition])).toBe(`${count + 4},${count + 5},${cell.length - 2}\n`);
  });

  test("tsv: quotes are characters; tab, newline and backslash are escaped", async () => {
    const content = '"a"\tb\\tc\n\\N\t\\\\N\nC:\\dir\t\\\\\\\\t\n';
    const definition = machine.tableOf([content], { format: "tsv", columns: columns("x string, y string") });
    expect(await rowsOf(definition)).toEqual(['"""a""",b\tc', '\\N,"\\N"', "C:\\dir,\\\\t"]);
  });

  test.each(["csv", "tsv"] as const)("%s: has as many rows as lines for every line ending", async (format) => {
    const parts = fc.array(fc.constantFrom("a", ",", "\t", " ", "\n", "\r", "\r\n"), { maxLength: 30 });
    const property = fc.asyncProperty(fc.array(parts, { maxLength: 3 }), fc.boolean(), async (files, zipped) => {
      const contents = files.map((file) => file.join(""));
      const definition = machine.tableOf(
        contents.map((content) => (zipped ? gzipSync(content) : content)),
        { format, columns: columns("x string, y int") },
      );
      const lines = contents.flatMap((content) => {
        const all = content.split(/\r\n|\n|\r/);
        return all.at(-1) === "" ? all.slice(0, -1) : all;
      });
      expect(await run("SELECT count(*) FROM t", [definition])).toBe(`${lines.length}\n`);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test("json: finds members case-insensitively; reads numbers, texts and nested values", async () => {
    const lines = [
      '{"id":1,"Name":"x","tags":["a","b"],"o":{"k":null}}',
      '{"name":null,"ID":"2"}',
      '{"id":2.5,"other":true}',
      '{"id":"y","name":7}',
    ];
    const definition = machine.tableOf([`${lines.join("\n")}\n`], {
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

  test("json: a declared decimal has the digits of the object, whatever is beside it", async () => {
    const lines = [
      ['{"D":12345678901234.565}', "12345678901234.56500"],
      ['{"d":12345678901234567890.12345,"n":-1}', "12345678901234567890.12345"],
      [
        String.raw`{"s":"\\\"1.5,é\"{","d1":[-1.5e0,{"d":2}],"d":-99999999999999.99 , "z":"2"}`,
        "-99999999999999.99000",
      ],
      ['{"i":-Infinity,"d2":"x","d":9.99999123456789012E+3,"n":NaN,}', "9999.99123"],
      ['{"d":"99999999999999.99","n":1234567890123456.5,"e":{}}', "99999999999999.99000"],
      ['{"d":1e3,"n":1234567890123456.5}', "1000.00000"],
      ['{"d":[1234567890123456.5]}', "\\N"],
      ['{"d":null,"n":"1234567890123456.5"}', "\\N"],
      ['{"d":2.5}', "2.50000"],
    ] as const;
    const content = lines.map(([line]) => `${line}\n`).join("");
    const definition = machine.tableOf([content], { format: "json", columns: columns("d decimal(38,5)") });
    expect(await rowsOf(definition)).toEqual(lines.map(([, value]) => value));
  });

  test("json: a line that is not an object fails the query with the reason, without a path of this machine", async () => {
    const definition = machine.tableOf(['{"a":1}\nnot json\n'], { format: "json", columns: columns("a int") });
    const failure = await run("SELECT a FROM t", [definition]).catch((error: Error) => error.message);
    expect(failure).toMatch(
      /has a line that is not a JSON object \(write one object a line, without a list around them\), has half a surrogate pair such as \\ud800, or is longer than 16 MiB$/,
    );
    expect(failure).not.toContain(machine.root);
    expect(failure).toContain("dag://default/");
  });

  test("gzip is detected by the first bytes and not by the name; a table may have plain and gzip objects", async () => {
    const definition = machine.tableOf([gzipSync("a,1\n"), "b,2\n", gzipSync("c,3\n")], {
      columns: columns("x string, n int"),
    });
    machine.put("default", `${definition.location.key}part-9.gz`, "d,4\n");
    expect(await rowsOf(definition)).toEqual(["a,1", "b,2", "c,3", "d,4"]);
  });

  test.each(["csv", "json"] as const)(
    "%s: gzip data whose end is missing is refused, however little of it is left",
    async (format) => {
      const rows = Array.from({ length: 1000 }, (_, n) => (format === "csv" ? `${n},x\n` : `{"a":${n}}\n`)).join("");
      for (const kept of [20, 24, 40, 64]) {
        const cut = gzipSync(rows).subarray(0, kept);
        for (const contents of [[cut], [gzipSync(rows), cut]])
          for (const options of [{ format }, { format, columns: columns("a int") }]) {
            const statement = "SELECT count(*) FROM t";
            const reading = async () => {
              const definition = machine.tableOf(contents, options);
              await engine.checkSelect({ statement, tables: [definition] }, submission);
              return run(statement, [definition]);
            };
            await expect(reading()).rejects.toThrow("is not valid gzip data: its end is missing");
          }
      }
    },
  );

  test("objects with any name are read", async () => {
    const definition = machine.tableOf([], { columns: columns("x string") });
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
        expect(
          await run("SELECT count(*), sum(a) FROM t", [machine.tableOf(contents, { format, columns: list })]),
        ).toBe("0,\\N\n");
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
    const definition = machine.tableOf(contents);
    await engine.checkSelect({ statement, tables: [definition] }, submission);
    expect(await run(statement, [definition])).toBe(expected);
  });

  test.each(["csv", "tsv", "json"] as const)("%s: a table without rows", async (format) => {
    for (const contents of [[], [""], [gzipSync("")], ...(format === "json" ? [["\n"]] : [])]) {
      const definition = machine.tableOf(contents, { format });
      await engine.checkSelect({ statement: "SELECT * FROM t", tables: [definition] }, submission);
      expect(await run("SELECT count(*) FROM t", [definition])).toBe("0\n");
    }
  });

  test("csv: inferred columns of every type, with and without empty cells and NULL, equal declared ones", async () => {
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
      const declared = machine.tableOf([rows.slice(rows.indexOf("\n") + 1)], { columns: types });
      expect(await run(statement, [machine.tableOf([rows])])).toBe(await run(statement, [declared]));
    }
  });

  test("json: numbers that a double cannot represent stay texts", async () => {
    const definition = machine.tableOf(['{"a":18446744073709551615,"b":9007199254740993}\n{"a":1,"b":0.5}\n'], {
      format: "json",
    });
    expect(await run("SELECT max(a), max(b) FROM t", [definition])).toBe("18446744073709551615,9007199254740993\n");
  });

  test("csv: a value beyond the sample affects the type", async () => {
    const definition = machine.tableOf([`n\n${"1\n".repeat(100_000)}x\n`]);
    expect(await run("SELECT max(n), count(n) FROM t", [definition])).toBe("x,100001\n");
  });

  test("csv: very many objects", async () => {
    const definition = machine.tableOf(Array.from({ length: 500 }, (_, index) => `n,s\n${index},x\n`));
    expect(await run("SELECT count(*), sum(n) FROM t", [definition])).toBe(`500,${(499 * 500) / 2}\n`);
  });

  test("csv: cached properties are discarded when an object changes", async () => {
    const definition = machine.tableOf(["n\n1\n"]);
    expect(await run("SELECT n + 1 FROM t", [definition])).toBe("2\n");
    machine.put("default", `${definition.location.key}part-0`, "n\nabc\n");
    expect(await run("SELECT n FROM t", [definition])).toBe("abc\n");
  });

  test("csv: blank lines are counted again when an object changes", async () => {
    const definition = machine.tableOf(["n\n1\n\n"]);
    expect(await run("SELECT count(*), sum(n) FROM t", [definition])).toBe("2,1\n");
    machine.put("default", `${definition.location.key}part-0`, "n\n\n1\n\n\n");
    expect(await run("SELECT count(*), sum(n) FROM t", [definition])).toBe("4,1\n");
  });

  test.each([
    ["alone", "", ""],
    ["alone, with a line end", "", "\n"],
    ["at the end", "1\n", ""],
    ["in the middle", "1\n", "\n2\n"],
    ["between carriage returns", "1\r", "\r2\r"],
  ])("a row of 40 MB fails the query with the reason: %s", async (_, before, after) => {
    for (const format of ["csv", "tsv"] as const) {
      const content = `${before}${"x".repeat(40_000_000)}${after}`;
      const definition = machine.tableOf([content], { format, columns: columns("s string") });
      await expect(run("SELECT count(*) FROM t", [definition])).rejects.toThrow(
        /^dag:\S+ has a row of more than 16777216 bytes, which is the longest that can be read: shorten the row, or remove the object$/,
      );
    }
  });

  test("a row of 16 MB is read, wherever it stands", async () => {
    const long = "x".repeat(16_000_000);
    const definition = machine.tableOf([long, `${long}\n`, `1\n${long}`, `1\r${long}\r2`], {
      columns: columns("s string"),
    });
    expect(await run("SELECT count(*), sum(length(s)) FROM t", [definition])).toBe("7,64000003\n");
  });

  test("csv: quoted newlines beyond the sample", async () => {
    const definition = machine.tableOf([`a,n\n${"x,1\n".repeat(300_000)}"y\nz",2\n`]);
    expect(await run("SELECT sum(n), max(length(a)) FROM t", [definition])).toBe("300002,3\n");
  });

  test("json: finds the members of all objects, also beyond the sample", async () => {
    const definition = machine.tableOf([`${'{"a":1,"B":true}\n'.repeat(20_000)}{"a":1.5,"c":"x"}\n`], {
      format: "json",
    });
    expect(await run("SELECT sum(a), count(b), max(c) FROM t", [definition])).toBe("20001.5,20000,x\n");
  });
});

describe("tables of very many objects", () => {
  test("checkSelect: looks at the first 10,000 objects, and at all partitions; the select looks at every object", async () => {
    const names = Array.from({ length: 10_100 }, (_, index) => `part-${String(index).padStart(5, "0")}`);
    const flat = machine.tableOf([]);
    for (const name of names) machine.put("default", `${flat.location.key}${name}`, "1,x\n");
    machine.put("default", `${flat.location.key}part-10050`, "PAR1");
    const statement = "SELECT `_c0` + 1 FROM t WHERE `_c1` = 'x'";
    await engine.checkSelect({ statement, tables: [flat] }, submission);
    await expect(run(statement, [flat])).rejects.toThrow(`${flat.location.key}part-10050 is Parquet`);

    const partitioned = machine.tableOf([]);
    for (const name of names) machine.put("default", `${partitioned.location.key}k=${name}/a`, "a,b\n1,x\n");
    machine.put("default", `${partitioned.location.key}k=part-10050/a`, "a,b,later\n1,x,y\n");
    const later = "SELECT later FROM t WHERE k = 'part-10050'";
    await engine.checkSelect({ statement: later, tables: [partitioned] }, submission);
    expect(await run(later, [partitioned])).toBe("y\n");
    await engine.checkSelect({ statement: "SELECT count(*) FROM t", tables: [partitioned] }, submission);
  });
});
