/** How an engine finds the columns of tables without declared ones, on local files and on S3. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { InputFormat } from "../../../contract";
import type { Engine } from "../../../service/core/ports/engine";
import { contradictionsSuite } from "./contradictions-suite";
import { columns as columnsOf, type Machine, Recorder, submission } from "./harness";

/** A cell that is longer than the beginning of an object that is read at first. */
const long = "x".repeat(100_000);
const names = Array.from({ length: 100 }, (_, index) => `name_${String(index).padStart(1000, "0")}`);
const wideRow = names.map((_, index) => index).join(",");

/** The objects of tables, and the columns that a split finds in them. */
const tables: readonly [string, InputFormat, readonly (string | Uint8Array)[], readonly string[]][] = [
  ["a first row of 100 KB", "csv", [`${long},2,3\ny,5,6\n`], ["_c0 string", "_c1 bigint", "_c2 bigint"]],
  ["a first row of 100 KB", "tsv", [`${long}\t2\t3\ny\t5\t6\n`], ["_c0 string", "_c1 bigint", "_c2 bigint"]],
  ["a first row without a line end", "csv", [`${long},2`], ["_c0 string", "_c1 bigint"]],
  ["a first row that ends at CR", "csv", [`${long},2\ry,5\r`], ["_c0 string", "_c1 bigint"]],
  ["rows that end at CR", "csv", ["a,b\r1,x\r2,y\r"], ["a bigint", "b string"]],
  ["rows that end at CR", "tsv", ["a\tb\r1\tx\r"], ["a bigint", "b string"]],
  [
    "a first row after blank lines and a byte order mark",
    "csv",
    [`\u{feff}\r\n\n${long},2\n`],
    ["_c0 string", "_c1 bigint"],
  ],
  ["newlines in quotes", "csv", [`"${"l\n".repeat(50_000)}",2\ny,3\n`], ["_c0 string", "_c1 bigint"]],
  ["a name of 100 KB", "csv", [`${long},b\n1,2\n`], [`${long} bigint`, "b bigint"]],
  [
    "a header of 100 KB before short rows",
    "csv",
    [`${names.join(",")}\n${wideRow}\n`],
    names.map((name) => `${name} bigint`),
  ],
  ["a first row of 5 MB", "csv", [`${"x".repeat(5_000_000)},2\n`], ["_c0 string", "_c1 bigint"]],
  ["a longer row in a later object", "csv", ["1,2\n", `${long},5,6\n`], ["_c0 string", "_c1 bigint", "_c2 bigint"]],
  ["gzip that expands", "csv", [gzipSync(`${"x".repeat(2_000_000)},2\ny,5\n`)], ["_c0 string", "_c1 bigint"]],
  ["gzip of many empty members first", "csv", [manyMembers("1,x\n")], ["_c0 bigint", "_c1 string"]],
  ["1,000 levels, which stay text", "json", [`{"a":${"[".repeat(1000)}${"]".repeat(1000)}}\n`], ["a string"]],
  ["a first line of 100 KB", "json", [`{"a":"${long}","b":1}\n{"a":"y","b":2}\n`], ["a string", "b bigint"]],
];

/** Returns gzip data whose first members are empty. */
function manyMembers(text: string): Buffer {
  return Buffer.concat([...Array.from({ length: 5000 }, () => gzipSync("")), gzipSync(text)]);
}

/** Declares the tests of an engine. @param tested is read when a test runs */
export function undeclaredSuite(tested: { readonly machine: Machine; readonly engine: Engine }): void {
  const { machine } = tested;

  describe("undeclared columns", () => {
    test.each(tables)("split, checkSelect, select: %s (%s)", async (name, format, contents, expected) => {
      const inputs = contents.map((content, index) => machine.put("default", `raw/${name}/${index}`, content));
      const split = { queryId: 1, inputs, format, output: machine.output(), objectBytes: 100_000_000 };
      const { columns } = await tested.engine.split(split, new Recorder());
      expect(columns.map((column) => `${column.name} ${column.type}`)).toEqual(expected);
      const table = machine.tableOf(contents, { format });
      const statement = `SELECT count(\`${columns.at(-1)!.name}\`) FROM t`;
      await tested.engine.checkSelect({ statement, tables: [table] }, submission);
      expect(await machine.run(tested.engine, statement, [table])).not.toBe("0\n");
    });

    test.each<[string, string, string]>([
      ["text after a closing quote", 'x,1\n"a"b,c\n', "text after the closing quote of a cell in row 2"],
      ["text after a closing quote in a header", '"a"b,c\nx,1\n', "text after the closing quote of a cell in row 1"],
      ["text after the last closing quote", 'x,1\na,"b"c', "text after the closing quote of a cell in row 2"],
      ["a quote within quotes", 'x,1\n"5" pipe",c\ny,2\n', "text after the closing quote of a cell in row 2"],
      ["a quote that is not closed", 'x,1\n"a,2\ny,3\n', "ends within a quoted cell, which begins in row 2"],
      ["a quote that the next cell closes", 'x,1\n"a,2\ny,"3"\n', "text after the closing quote of a cell in row 2"],
    ])("csv: %s is refused with the object's name, never dropped", async (_name, content, reason) => {
      const refusal = new RegExp(`dag://default/t\\d+/part-1 (?:has )?${reason}`);
      for (const options of [{}, { columns: columnsOf("s string, n string") }]) {
        const table = machine.tableOf(["x,1\n", content], options);
        await expect(
          tested.engine.checkSelect({ statement: "SELECT * FROM t", tables: [table] }, submission),
        ).rejects.toMatchObject({ code: "InvalidDMLStatement", message: expect.stringMatching(refusal) });
        await expect(machine.run(tested.engine, "SELECT count(*) FROM t", [table])).rejects.toThrow(refusal);
      }
      const input = machine.put("default", "raw/quotes.csv", content);
      const recorder = new Recorder();
      const split = { queryId: 1, inputs: [input], format: "csv", output: machine.output(), objectBytes: 100 } as const;
      expect(await tested.engine.split(split, recorder)).toMatchObject({ columns: [] });
      const warning = recorder.lines.find((line) => line.startsWith("warning: statements over this table"));
      expect(warning).toContain(reason);
      expect(warning).toMatch(/: dag:\/\/\S+ (?:has|ends)/);
    });

    test("checkSelect: of a large json table, a column that no first row has is refused with what to do", async () => {
      const rows = `{"a":1,"p":"${"x".repeat(1000)}"}\n`.repeat(34_000);
      const table = machine.tableOf([`${rows}{"a":2,"late":7}\n`], { format: "json" });
      const check = (statement: string) => tested.engine.checkSelect({ statement, tables: [table] }, submission);
      await expect(check("SELECT late FROM t")).rejects.toThrow(
        /column late: does not exist; the columns are a, p; these are the columns of the first rows only of default\.t: declare /,
      );
      expect(await machine.run(tested.engine, "SELECT * FROM t WHERE a = 2", [table])).toBe(`2,\\N,7\n`);
      const small = machine.tableOf(['{"a":1}\n'], { format: "json" });
      const refused = tested.engine.checkSelect({ statement: "SELECT late FROM t", tables: [small] }, submission);
      await expect(refused).rejects.toThrow(/does not exist; the columns are a$/);
    });

    const packed = { csv: gzipSync("1,a\n2,b\n"), json: gzipSync('{"a":1}\n'.repeat(3)) } as const;
    const damaged = (data: Buffer) => Buffer.from(data).fill(data.at(-6)! ^ 1, data.length - 6, data.length - 5);
    test.each<[string, (data: Buffer) => Buffer, string]>([
      [
        "zeros after its end",
        (data) => Buffer.concat([data, Buffer.alloc(512)]),
        "has other bytes after its gzip data",
      ],
      ["another member after zeros", (data) => Buffer.concat([data, Buffer.alloc(512), data]), "has other bytes after"],
      [
        "text after its end",
        (data) => Buffer.concat([data, Buffer.from("more text")]),
        "starts like gzip data but .* other bytes follow",
      ],
      ["no end", (data) => data.subarray(0, -4), "is not valid gzip data: its end is missing"],
      ["another checksum", damaged, "starts like gzip data but .* it is damaged"],
    ])("gzip with %s is refused with the object's name and the reason", async (_name, change, reason) => {
      for (const format of ["csv", "json"] as const) {
        const table = machine.tableOf([packed[format], change(packed[format])], { format });
        const refusal = expect.stringMatching(new RegExp(`dag://default/t\\d+/part-1 ${reason}`));
        await expect(
          tested.engine.checkSelect({ statement: "SELECT * FROM t", tables: [table] }, submission),
        ).rejects.toMatchObject({ code: "InvalidDMLStatement", message: refusal });
        await expect(machine.run(tested.engine, "SELECT * FROM t", [table])).rejects.toMatchObject({
          message: refusal,
        });
      }
    });

    test("split: gzip with zeros after its end is read, with other bytes there it is refused", async () => {
      const split = (content: Buffer) => {
        const inputs = [machine.put("default", "raw/padded", content)];
        const output = machine.output();
        return { queryId: 1, inputs, format: "csv", output, objectBytes: 1000 } as const;
      };
      const padded = split(Buffer.concat([packed.csv, Buffer.alloc(70_000)]));
      await tested.engine.split(padded, new Recorder());
      expect(machine.objects(padded.output)).toEqual({ "000000_0": "1,a\n2,b\n" });
      const hidden = split(Buffer.concat([packed.csv, Buffer.alloc(70_000), packed.csv]));
      await expect(tested.engine.split(hidden, new Recorder())).rejects.toThrow(
        "cannot split dag://default/raw/padded: other bytes follow its gzip data",
      );
    });

    test.each<[string, string, readonly string[]]>([
      ["names and texts", "name,city\nalice,berlin\n", ["name, city"]],
      ["texts only, whose first row looks like names", "alice,berlin\nbob,paris\n", ["alice, berlin"]],
      ["names and a number", "name,age\nalice,30\n", []],
      ["a row that cannot be names", "x,x\nbob,paris\n", []],
    ])("select: the log names a first row that only its form makes a header: %s", async (_name, content, taken) => {
      const recorder = new Recorder();
      await machine.run(tested.engine, "SELECT count(*) FROM t", [machine.tableOf([content])], { context: recorder });
      const note =
        /^note: the first row of dag:\/\/\S+ is taken for the names of the columns \((.*)\): declare the columns/;
      expect(recorder.lines.flatMap((line) => note.exec(line)?.[1] ?? [])).toEqual(taken);
    });

    const numbers = Array.from({ length: 30_000 }, (_, index) => `${index},x`).join("\n");
    test.each<[string, string, readonly string[]]>([
      ["marks of missing values", "price,n\n10,1\n9,-\nN/A,2\n8,3\n,-\n,-\n,-\n", ['price ("N/A"), n ("-")']],
      ["a value after those of which columns are found", `id,t\n${numbers}\n?,x\n5,x\n`, ['id ("?")']],
      ["thousands", 'price,n\n10,1\n9,2\n"1,234",x\n"5,678.50",y\n"1,000",z\n', ['price ("1,234")']],
      ["signs and blanks", "a,b,c\n5%, 5,$7\n12.5%, 10,$1.50\n", ['a ("5%"), b (" 5"), c ("$7")']],
      ["several marks", "a\n1\n2\n3\n4\n5\nN/A\n-\n?\nTBD\n", ['a ("N/A")']],
      ["other forms", "a,b,c\n1,.5,1e999\n2,1,0.1\n+3,9,10\n", ['a ("+3"), b (".5"), c ("1e999")']],
      [
        "long numbers",
        `a,b\n9,0.1\n10,1\n${"9".repeat(20)},1234567890123456789\n`,
        [`a ("${"9".repeat(20)}"), b ("1234567890123456789")`],
      ],
      ["a long number later", `id,t\n${numbers}\n5.5,x\n1234567890123456789,x\n`, ['id ("1234567890123456789")']],
      [
        "rare other values",
        `a,t\n${numbers.slice(0, 1000)}\n${Array.from({ length: 11 }, (_, index) => `b${index},x\n`).join("")}`,
        ['a ("b0")'],
      ],
      ["a value among dates", `d,t\n2026-01-01,x\n2026-01-02,2026-01-01\nn/a,y\n`, ['d ("n/a")']],
      ["a value among dates of one day", `d,t\n${"2026-01-01,x\n".repeat(20)}n/a,y\n`, ['d ("n/a")']],
      ["a value later than dates", `d,t\n${"2026-01-02 10:00:00,x\n".repeat(30_000)}n/a,x\n`, ['d ("n/a")']],
      ["a value later than empty cells", `v,t\n${",x\n".repeat(30_000)}${numbers}\nn/a,x\n`, ['v ("n/a")']],
      ["a value before empty cells", `v,t\nn/a,x\n${",x\n".repeat(30_000)}${numbers}\n`, ['v ("n/a")']],
      [
        "a date later than empty cells",
        `d,t\n${",x\n".repeat(30_000)}${"2026-01-02,x\n".repeat(20)}n/a,x\n`,
        ['d ("n/a")'],
      ],
      ["no dates of two kinds", "d,t\n2026-01-01,x\n2026-01-02 10:00:00,y\n", []],
      ["no texts later than empty cells", `v,t\n${",x\n".repeat(30_000)}${"a,x\n1,x\n".repeat(20)}`, []],
      ["no codes", "zip\n12345\n01234\n01235\n99999\n", []],
      ["no texts", "a,b\n1,1\nx,2\ny,A3\nz,B4\n", []],
      ["no numbers", "a,b\n1,1.5\n2,\n", []],
    ])("select: the log names columns of numbers that are texts because of %s", async (_name, content, named) => {
      const recorder = new Recorder();
      const table = machine.tableOf([content]);
      const note = /^note: of default.t, these columns have numbers, .* all their values: (.*)\. So "10" sorts/;
      // The second time, the columns are known.
      for (const _time of [1, 2])
        await machine.run(tested.engine, "SELECT count(*) FROM t", [table], { context: recorder });
      expect(recorder.lines.flatMap((line) => note.exec(line)?.[1] ?? [])).toEqual([...named, ...named]);
    });

    test.each<[string, readonly string[], string]>([
      ["the names", ["id,Name,v\n1,a,2\n"], "has names of the declared columns, and counts as data: remove it$"],
      ["most of the names", ["id,name,x,y\n1,a,2,3\n"], "counts as data: remove it$"],
      [
        "the names in another order",
        ["name,v,id\na,2,1\n"],
        "remove it\\. The columns stand in another order there \\(name, v, id\\), and declared ones are found by their places",
      ],
      [
        "the names in later objects",
        ["1,a,2\n", "id,name,v\n2,b,3\n", "id,name,v\n3,c,4\n"],
        "/part-1 \\(and that of 1 more of the table's objects\\) has names",
      ],
      ["one name among values", ["1,name,2\n"], ""],
      ["a name several times", ["name,name,name\n"], ""],
    ])("select: the log warns of a first row of declared columns with %s", async (_, contents, expected) => {
      const recorder = new Recorder();
      const table = machine.tableOf(contents, { columns: columnsOf("id int, name string, v int") });
      const count = await machine.run(tested.engine, "SELECT count(*) FROM t", [table], { context: recorder });
      // The row is data, whatever is said of it.
      expect(count).toBe(`${contents.join("").match(/\n/g)!.length}\n`);
      const warnings = recorder.lines.filter((line) => line.startsWith("warning: "));
      expect(warnings).toHaveLength(expected === "" ? 0 : 1);
      expect(warnings.join("")).toMatch(new RegExp(expected));
    });

    test.each<[string, string, string]>([
      ["a text", '{"v":9}\n{"v":10,"o":1}\n{"v":"N/A"}\n{"v":null,"o":{"p":1}}\n', 'v ("N/A")'],
      ["a text later", `${'{"v":9}\n'.repeat(30_000)}{"v":"N/A"}\n{"v":1}\n`, 'v ("N/A")'],
      ["a long number", '{"v":9.5}\n{"v":10}\n{"v":12345678901234567}\n', 'v ("12345678901234567")'],
      ["a long number later", `${'{"v":9.5}\n'.repeat(30_000)}{"v":12345678901234567}\n`, 'v ("12345678901234567")'],
    ])("select: the log names members of numbers that are texts because of %s", async (_name, content, named) => {
      const recorder = new Recorder();
      const table = machine.tableOf([content], { format: "json" });
      await machine.run(tested.engine, "SELECT max(v) FROM t", [table], { context: recorder });
      expect(recorder.lines.filter((line) => line.includes(`all their values: ${named}. So`))).toHaveLength(1);
    });

    test("select: spaces around quotes are not part of the cell", async () => {
      const table = machine.tableOf(['a, "b,""c""" ,d\n"e" ,f,"g"  \n'], {
        columns: columnsOf("a string, b string, c string"),
      });
      expect(await machine.run(tested.engine, "SELECT * FROM t", [table])).toBe('a,"b,""c""",d\ne,f,g\n');
    });

    test("select: a header of more than 64 KiB is left out of every object", async () => {
      const content = `${names.join(",")}\n${wideRow}\n`;
      const table = machine.tableOf([content, content, `${wideRow}\n`]);
      expect(await machine.run(tested.engine, `SELECT count(*), sum(${names[1]}) FROM t`, [table])).toBe("3,3\n");
    });

    test("select: a row with more cells than the first 1,000 has columns of its own, and a header has them all", async () => {
      const rows = "1,x\n".repeat(2000);
      const later = machine.tableOf([`${rows}2,y,3,,2026-01-02\n${rows}`]);
      const statement = "SELECT max(`_c2`) + 1, max(`_c3`), max(year(`_c4`)), count(`_c4`), count(*) FROM t";
      await tested.engine.checkSelect({ statement, tables: [later] }, submission);
      expect(await machine.run(tested.engine, statement, [later])).toBe("4,,2026,1,4001\n");
      const named = machine.tableOf([`a,b\n${rows}2,y,,\n`]);
      const { columns } = await tested.engine.sampleTable(named, 1, submission);
      expect(columns.map(({ name }) => name)).toEqual(["a", "b"]);
      const wide = machine.tableOf([`${rows}${",".repeat(1000)}\n`]);
      await expect(machine.run(tested.engine, "SELECT count(*) FROM t", [wide])).rejects.toThrow("has 1001 columns");
    });

    test.each([
      ["csv", `${"x".repeat(17_000_000)},2\n`],
      ["tsv", `${"x".repeat(17_000_000)}\t2\n`],
      ["json", `{"a":"${"x".repeat(17_000_000)}"}\n`],
    ] as const)(
      "checkSelect, select: a first row above the limit is refused with the object (%s)",
      async (format, content) => {
        const table = machine.tableOf([content, content], { format });
        const reason = /dag:\/\/default\/t\d+\/part-0 has a row of more than 16777216 bytes, .*: shorten the row/;
        const query = { statement: "SELECT count(*) FROM t", tables: [table] };
        await expect(tested.engine.checkSelect(query, submission)).rejects.toThrow(reason);
        await expect(machine.run(tested.engine, query.statement, [table])).rejects.toThrow(reason);
      },
    );

    test.each([
      ["csv", "id\n1453029384756102837\n-9223372036854775808\n", "bigint"],
      ["csv", "id\n9223372036854775807\n9223372036854775808\n", "string"],
      ["csv", "id\n1453029384756102837\n0.5\n", "string"],
      ["csv", "id\n9999999999999.9999\n9999999999999.9998\n", "string"],
      ["tsv", "id\n0.30000000000000004\n10.500000000000000\n2.220446049250313e-16\n", "double"],
      ["json", '{"id":99999999999999999999}\n{"id":99999999999999999998}\n', "string"],
      ["json", '{"id":9007199254740993}\n{"id":0.5}\n', "string"],
      ["json", '{"id":1e400}\n{"id":0.5}\n', "string"],
      ["json", '{"id":100}\n{"id":1e2}\n', "double"],
      ["json", '{"id":-9223372036854775808}\n', "bigint"],
    ] as const)("select, sampleTable: numbers keep all digits (%s, %j)", async (format, text, type) => {
      const table = machine.tableOf([text], { format });
      const run = (statement: string) => machine.run(tested.engine, statement, [table]);
      const rows = text.split("\n").length - (format === "json" ? 1 : 2);
      expect(await run("SELECT count(DISTINCT id), count(*) FROM t")).toBe(
        `${format === "json" && type === "double" ? 1 : rows},${rows}\n`,
      );
      const { columns } = await tested.engine.sampleTable(table, 1, submission);
      expect(columns).toMatchObject([{ name: "id", type }]);
    });

    test.each([
      ["csv", "d,t,n\n2026-01-01,2026-01-01 10:00:00,1\n", "date", "timestamp", "bigint"],
      ["json", '{"d":"2026-01-01","t":"2026-01-01 10:00:00","n":"1"}\n', "string", "string", "string"],
    ] as const)("sampleTable: %s has the types that docs/engine.md says", async (format, text, ...types) => {
      const { columns } = await tested.engine.sampleTable(machine.tableOf([text], { format }), 1, submission);
      expect(columns.map(({ type }) => type)).toEqual(types);
    });

    test("select: types come from all rows also where the first rows have no value, or are long", async () => {
      const wide = machine.tableOf([`id,t\n1,${long}\n2,b\n`]);
      expect(await machine.run(tested.engine, "SELECT sum(id + 1) FROM t", [wide])).toBe("5\n");
      const late = machine.tableOf([`id,n\n${"1,\n".repeat(2000)}2,9223372036854775807\n`]);
      expect(await machine.run(tested.engine, "SELECT max(n) FROM t", [late])).toBe("9223372036854775807\n");
      expect(await machine.run(tested.engine, "SELECT max(n) - 1 FROM t", [late])).toBe("9223372036854775806\n");
    });

    test("checkSelect: an object of another format is refused with its name", async () => {
      const check = (table: ReturnType<typeof machine.tableOf>) =>
        tested.engine.checkSelect({ statement: "SELECT * FROM t", tables: [table] }, submission);
      const mixed = machine.tableOf(["id\n2\n", "PAR1\u0015\u0004PAR1"]);
      await expect(check(mixed)).rejects.toThrow(/part-1 is Parquet, and its table is read as csv/);
      for (const options of [{}, { columns: columnsOf("s string") }]) {
        const zip = machine.tableOf(['PK\u0003\u0004\u0014\0\0\0"a"b\n'], options);
        await expect(check(zip)).rejects.toThrow(/part-0 is a ZIP archive: write it as plain text/);
      }
      const wide = machine.tableOf([Buffer.from("id,v\n1,a\n", "utf16le")]);
      await expect(check(wide)).rejects.toThrow(
        /part-0 is UTF-16, and its text must be UTF-8: write it again as UTF-8/,
      );
      const latin = machine.tableOf([Buffer.from("id,größe\n1,2\n", "latin1")]);
      await expect(check(latin)).rejects.toThrow(/part-0 has a row that cannot be read: its text must be UTF-8/);
      const marked = machine.tableOf(['\u{feff}{"a":1}\n'], { format: "json" });
      await expect(check(marked)).rejects.toThrow(/part-0 begins with a byte order mark, which json must not have/);
    });

    test("checkSelect, select: a name with a line break after a byte order mark is refused with the object", async () => {
      const table = machine.tableOf(['\u{feff}"two\nlines",b\n1,2\n']);
      const reason = /dag:\/\/default\/t\d+\/part-0 begins with a byte order mark, and a name .* has a line break/;
      const query = { statement: "SELECT count(*) FROM t", tables: [table] };
      await expect(tested.engine.checkSelect(query, submission)).rejects.toThrow(reason);
      await expect(machine.run(tested.engine, query.statement, [table])).rejects.toThrow(reason);
      const marked = machine.tableOf(['\u{feff}"one line",b\n1,"two\nlines"\n']);
      expect(await machine.run(tested.engine, query.statement, [marked])).toBe("1\n");
    });

    test("checkSelect: a large table whose first row has 1 MB is checked by all its columns", async () => {
      const rows = `${"y,5,6,some text that is not short\n".repeat(1_000_000)}`;
      const table = machine.tableOf([`${long.repeat(10)},2,3,z\n${rows}`]);
      const check = (statement: string) => tested.engine.checkSelect({ statement, tables: [table] }, submission);
      await check("SELECT `_c2` + 1, `_c3` FROM t");
      await expect(check("SELECT `_c4` FROM t")).rejects.toMatchObject({ code: "InvalidDMLStatement" });
    });

    test.each([1, 150, 999, 1000])("checkSelect, select: %d columns are read", async (count) => {
      const cells = (value: (index: number) => string) => Array.from({ length: count }, (_, index) => value(index));
      const values = ["7", "1.5", "2026-01-02", "2026-01-02 03:04:05", "true", "text"];
      const row = cells((index) => values[index % values.length]!).join(",");
      const table = machine.tableOf([`${cells((index) => `c${index}`).join(",")}\n${`${row}\n`.repeat(20)}`]);
      const query = { statement: "SELECT * FROM t", tables: [table] };
      await tested.engine.checkSelect(query, submission);
      const text = await machine.run(tested.engine, query.statement, [table]);
      expect(text).toBe(`${row}\n`.repeat(20));
      expect(await machine.run(tested.engine, `SELECT sum(c0), max(c${count - 1}) FROM t`, [table])).toBe(
        `140,${values[(count - 1) % values.length]}\n`,
      );
    });

    test.each([1001, 33_000])("checkSelect, select: %d columns are refused with the remedy", async (count) => {
      const table = machine.tableOf([`${Array.from({ length: count }, (_, index) => index).join(",")}\n`]);
      const query = { statement: "SELECT * FROM t", tables: [table] };
      const reason = `the data of the table "default.t" has ${count} columns, and at most 1000 can be inferred: declare the table's columns in the config`;
      await expect(tested.engine.checkSelect(query, submission)).rejects.toMatchObject({
        code: "InvalidDMLStatement",
        message: expect.stringContaining(reason),
      });
      await expect(machine.run(tested.engine, query.statement, [table])).rejects.toThrow(reason);
    });
  });

  contradictionsSuite(tested);
}
