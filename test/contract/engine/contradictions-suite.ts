/** How an engine answers when objects of a table without declared columns contradict each other. */
import { describe, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns as columnsOf, type Machine, Recorder, submission } from "./harness";

/** The objects of a table by their names, and a part of the refusal. */
const refused: readonly [string, Readonly<Record<string, string>>, RegExp, Partial<TableDefinition>?][] = [
  [
    "a header in a later object, above numbers",
    { a: "1,2\n", b: "a,b\n3,4\n" },
    /\/b begins with a row of names \(a, b\), and dag:\S+\/a does not: give all objects the same header, or none, or declare/,
  ],
  ["a header alone in a later object", { a: "1,x\n", b: "a,b\n" }, /\/b begins with a row of names \(a, b\)/],
  ["a header in a later object of tsv", { a: "1\tx\n", b: "a\tb\n" }, /\/b begins with a row/, { format: "tsv" }],
  [
    "a header above dates, after a result",
    { "000000_0": "2026-01-02,x\n", "b.csv": "day,v\n2026-01-03,y\n" },
    /\/b.csv begins with a row of names/,
    { mayHaveHeader: false },
  ],
  [
    "a header in the 31st object",
    { ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, "1,x\n"])), b: "a,b\n3,y\n" },
    /\/b begins with a row of names/,
  ],
  [
    "the names of the header in another order",
    { a: "id,city\n1,x\n", b: "city,id\ny,2\n" },
    /\/b begins with a row of names \(city, id\), others than dag:\S+\/a \(id, city\): give all objects the same header/,
  ],
  ["other names above numbers", { a: "id,city\n1,x\n", b: "key,place\n2,y\n" }, /\/b begins with a row of names/],
  [
    "a further name",
    { a: "id,city\n1,x\n", b: "id,city,zip\n2,y,5\n" },
    /\/b begins with a row of names \(id, city, zip\), others than/,
  ],
  [
    "more cells than the header names, in another object",
    { a: "id,city\n1,x\n", b: "2,y,5\n" },
    /\/b has a row of more cells than the 2 that the header of dag:\S+\/a names: name them all, put cells with the/,
  ],
  [
    "more cells than the header names, in its own object",
    { a: "name,city\nSmith, John,berlin\n" },
    /\/a has a row of more cells than the 2 that the header/,
  ],
  [
    "a longer row far below the header",
    { a: "id,city\n1,x\n", b: `id,city\n${"1,x\n".repeat(3000)}2,y,5\n`, c: "id,city\n1,x\n" },
    /\/b has a row of more cells than the 2 that the header/,
  ],
  [
    "more cells of tsv than the header names, in quotes",
    { a: 'id\tname\n1\t"x\ty"\n' },
    /\/a has a row of more cells than the 2 that .* names: name them all, write a tab in a cell as \\t, or declare/,
    { format: "tsv" },
  ],
  [
    "more cells of tsv than the header names, far below it",
    { a: `id\tname\n${"1\tx\n".repeat(3000)}2\ty\tz\n` },
    /\/a has a row of more cells than the 2 that .* names: name them all, write a tab in a cell as \\t, or declare/,
    { format: "tsv" },
  ],
  [
    "semicolons between cells of which some have a comma",
    { a: "name;price\nx;1,5\n" },
    /\/a has a row of more cells than the 1 that the header of dag:\S+\/a names \(name;price\): separate the cells by commas/,
  ],
  [
    "text of one cell in the first object",
    { LIESMICH: "Die Daten\nsind alle wahr\n", "data.csv": "id,city\n1,x\n" },
    /\/data.csv has a row of more cells than the 1 that the header of dag:\S+\/LIESMICH names \(die daten\): name them all/,
  ],
  [
    "text of one cell in a later object",
    { "a.csv": "id,city\n1,x\n", note: "These data\nare all true.\n" },
    /the first rows of dag:\S+\/note have one cell each, and dag:\S+\/a.csv has rows of 2: move the one that is no part/,
  ],
  [
    "json beside csv",
    { a: "1,2\n", b: '{"a":1}\n' },
    /\/b begins with a JSON object, and its table is read as csv, as dag:\S+\/a is: move one of them/,
  ],
  [
    "json beside csv of one column",
    { a: "id\n1\n2\n", b: '{"id":3}\n' },
    /\/b begins with a JSON object, and its table is read as csv, as dag:\S+\/a is: move one of them/,
  ],
  [
    "a file that is no data by its name, first",
    { "README.md": "Sales\n", "a.csv": "id,city\n1,x\n" },
    /\/README.md is in the folder of a table, and its name is not that of an object with rows: move it to another/,
  ],
  [
    "a file that is no data by its name, last",
    { "a.csv": "id,n\n1,2\n", "a.csv.md5": "d41d8c,1\n" },
    /\/a.csv.md5 is in/,
  ],
  ["an earlier copy", { "a.csv": "1,2\n", "a.csv.bak": "1,2\n" }, /\/a.csv.bak is in the folder of a table/],
  ["a licence", { LICENSE: "a,b\n1,2\n", "a.csv": "a,b\n1,2\n" }, /\/LICENSE is in the folder of a table/],
  [
    "an extension of another format",
    { "a.csv": "1,2\n", "b.TSV": "3\t4\n" },
    /\/b.TSV has the extension of another format than dag:\S+\/a.csv, and its table is read as csv: move one of them/,
    { formatFound: true },
  ],
  ["an extension of Parquet", { a: "1,2\n", "b.parquet": "1,2\n" }, /\/b.parquet has the/, { formatFound: true }],
];

/** Objects that are read together, and the number of their rows. */
const accepted: readonly [string, Readonly<Record<string, string>>, number, Partial<TableDefinition>?][] = [
  ["a header in the first object only", { a: "id,city\n1,x\n", b: "2,y\n" }, 2],
  ["texts like names under texts", { a: "x1,x1\n", b: "alice,berlin\nbob,paris\n" }, 3],
  ["texts like names over texts and numbers", { a: "x1,1\n", b: "alice,berlin\nbob,2\nx,paris\n" }, 4],
  ["a second row like a header", { a: "id,city\nkey,place\nkey,1\n", b: "id,city\nx,y\n2,1\n" }, 4],
  ["rows of one cell under a header of two", { a: "id,city\n1\n2\n", b: "id,city\n3\n" }, 3],
  ["shorter rows", { a: "1,2,3\n", b: "4,5\n" }, 2],
  ["a single column of numbers", { a: "1\n2\n", b: "3\n" }, 3],
  ["empty cells after those of the header", { a: "id,city\n1,x,\n" }, 1],
  ["a result of texts beside numbers", { "000000_0": "5\n", "000001_0": "abc\n6\n" }, 3, { mayHaveHeader: false }],
  ["a column of JSON texts", { "a.tsv": '{"a":1}\n', "b.tsv": '{"a":2}\n' }, 2, { format: "tsv" }],
  [
    "a result of JSON texts",
    { "000000_0": "x\n", "000001_0": '{"a":2}\n' },
    2,
    { mayHaveHeader: false, format: "tsv" },
  ],
  ["an extension of another format where the format is given", { "a.csv": "1,2\n", "b.tsv": "3,4\n" }, 2],
  ["names without an extension", { "a.csv": "1,2\n", "part-1": "3,4\n" }, 2, { formatFound: true }],
];

/** Declares the tests of an engine. @param tested is read when a test runs */
export function contradictionsSuite(tested: { readonly machine: Machine; readonly engine: Engine }): void {
  const { machine } = tested;

  function tableWith(objects: Readonly<Record<string, string>>, options: Partial<TableDefinition> = {}) {
    const table = machine.tableOf([], options);
    for (const [name, content] of Object.entries(objects)) machine.put("default", table.location.key + name, content);
    return table;
  }

  describe("objects that contradict each other", () => {
    test.each(refused)("checkSelect, select: %s: refused with the object", async (_name, objects, reason, options) => {
      const query = { statement: "SELECT count(*) FROM t", tables: [tableWith(objects, options)] };
      await expect(tested.engine.checkSelect(query, submission)).rejects.toMatchObject({
        code: "InvalidDMLStatement",
        message: expect.stringMatching(reason),
      });
      await expect(machine.run(tested.engine, query.statement, query.tables)).rejects.toThrow(reason);
    });

    test.each(refused)("select: %s: read where the columns are declared", async (_name, objects, _reason, options) => {
      const columns = columnsOf("a string, b string");
      const table = tableWith(objects, { ...options, columns });
      const rows = Object.values(objects).reduce((sum, content) => sum + content.split("\n").length - 1, 0);
      expect(await machine.run(tested.engine, "SELECT count(*) FROM t", [table])).toBe(`${rows}\n`);
    });

    test("checkSelect: json beside csv is named as such, although its quotes are wrong in csv too", async () => {
      const table = tableWith({ "a.csv": "1,2\n", "b.json": '{"id":2,"v":"b"}\n' }, { formatFound: true });
      const check = tested.engine.checkSelect({ statement: "SELECT * FROM t", tables: [table] }, submission);
      await expect(check).rejects.toThrow(/\/b.json has the extension of another format than dag:\S+\/a.csv/);
    });

    test.each(accepted)("checkSelect, select: %s: read", async (_name, objects, rows, options) => {
      const query = { statement: "SELECT count(*) FROM t", tables: [tableWith(objects, options)] };
      await tested.engine.checkSelect(query, submission);
      expect(await machine.run(tested.engine, query.statement, query.tables)).toBe(`${rows}\n`);
    });

    test.each<[string, Readonly<Record<string, string>>, RegExp]>([
      [
        "a row like a header among texts",
        { a: "1-a,x\n", b: "key,place\n2-b,y\n" },
        /^warning: the first row of dag:\S+\/b is like a header \(key, place\), and is read as data, because dag:\S+\/a has none$/,
      ],
      [
        "another header among texts",
        { a: "id,city\n1-a,x\n", b: "key,place\n2-b,y\n" },
        /^warning: the first row of dag:\S+\/b is like a header \(key, place\), and is read as data, because that of dag:\S+\/a is/,
      ],
      [
        "a row of names and years, which is data",
        { a: "city,2023,2024\nberlin,1,2\n", b: "city,2023,2024\nparis,3,4\n" },
        /^warning: the first row of dag:\S+\/a \(city, 2023, 2024\) is read as data, although it is like a header/,
      ],
      [
        "cells that semicolons separate",
        { a: "id;name\n1;x\n" },
        /^warning: the cells of dag:\S+\/a seem to be separated by semicolons, .*: separate them by commas/,
      ],
      [
        "rows of fewer cells",
        { a: "1,2,3\n", b: "4,5\n" },
        /^warning: the first rows of dag:\S+\/b have 2 cells, and those of dag:\S+\/a have 3: missing cells are NULL$/,
      ],
    ])("select: the log names %s", async (_name, objects, note) => {
      const recorder = new Recorder();
      await machine.run(tested.engine, "SELECT count(*) FROM t", [tableWith(objects)], { context: recorder });
      expect(recorder.lines.filter((line) => note.test(line))).toHaveLength(1);
    });

    test("split: the log says that statements over the table will be refused", async () => {
      const inputs = ["1,2\n", "a,b\n3,4\n"].map((content, index) =>
        machine.put("default", `raw/header/${index}`, content),
      );
      const recorder = new Recorder();
      await tested.engine.split(
        { queryId: 1, inputs, format: "csv", output: machine.output(), objectBytes: 100 },
        recorder,
      );
      // On S3 the columns are read from the inputs.
      const warning =
        /^warning: statements over this table will be refused: (?:000001_0|dag:\S+\/1) begins with a row of names \(a, b\)/;
      expect(recorder.lines.some((line) => warning.test(line))).toBe(true);
    });
  });
}
