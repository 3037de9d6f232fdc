/** Results of selects that statements read as tables. */
import { copyFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ended } from "../caller";
import { codes, columnsOf, fixture, path, read, run, table, write } from "./support";

test("select: the log names what the result replaces when no query had published it", async () => {
  write("dag://mart/orders/a.csv", "1,x\n");
  write("dag://mart/orders/old/b.csv", "2,y\n");
  const first = await run("SELECT 1 AS n", "dag://mart/orders/");
  expect(first).toContain(
    "warning: dag://mart/orders/ had 2 objects, such as dag://mart/orders/a.csv, which no query published there: the result replaces them, and they are deleted",
  );
  expect(await run("SELECT 2 AS n", "dag://mart/orders/")).not.toContain("warning");
  write("dag://mart/orders/added.csv", "3,z\n");
  expect(await run("SELECT 3 AS n", "dag://mart/orders/")).toContain(
    "warning: dag://mart/orders/ had 2 objects, such as dag://mart/orders/added.csv, changed since query ",
  );
});

describe("a result that is a table", () => {
  test.each(["csv", "tsv"])("results: %s has every row, with the names and types of the query", async (format) => {
    await run(codes(["ab", "cd", "ef"]), "dag://mart/names/", format);
    expect(await read("SELECT count(*) FROM mart.names")).toEqual(["3"]);
    expect(await read("SELECT name, code FROM mart.names ORDER BY code")).toEqual(["AB\tab", "CD\tcd", "EF\tef"]);
    expect(await table("names")).toMatchObject({
      source: "select",
      format,
      isInferred: false,
      columns: [
        { name: "code", type: "string" },
        { name: "name", type: "string" },
      ],
      sample: {
        rows: [
          ["ab", "AB"],
          ["cd", "CD"],
          ["ef", "EF"],
        ],
      },
    });
    expect((await fixture.call("GET", "/catalog/mart")).json.tables).toMatchObject([
      { table: "names", source: "select", format, columns: [{ name: "code" }, { name: "name" }] },
    ]);
  });

  test.each([
    ["csv", "tsv"],
    ["tsv", "csv"],
  ])(
    "results: of %s that a select reads and writes as %s, commas, quotes, newlines and decimals stay as they are",
    async (one, other) => {
      const row = String.raw`SELECT 'x, "5"' AS size, 'tab\there\nnew' AS text, cast(4641.58 AS decimal(12,3)) AS price, 2 AS n`;
      await run(row, "dag://mart/first/", one);
      await run("SELECT * FROM mart.first", "dag://mart/second/", other);
      await run("SELECT size, text, price, n + 1 AS n FROM mart.second", "dag://mart/third/", one);
      for (const name of ["first", "second", "third"]) {
        expect(await columnsOf(name)).toEqual(["size string", "text string", "price decimal(12,3)", "n int"]);
      }
      expect(await read("SELECT * FROM mart.third")).toEqual([String.raw`x, "5"` + "\ttab\\there\\nnew\t4641.580\t3"]);
      expect(await read("SELECT price + 0.001 FROM mart.second WHERE size = 'x, \"5\"'")).toEqual(["4641.581"]);
    },
  );

  const types = [
    "boolean a_boolean, tinyint a_tinyint, smallint a_smallint, int an_int, bigint a_bigint, float a_float",
    "double a_double, decimal(30,2) a_decimal, string a_string, varchar(3) a_varchar, char(4) a_char, date a_date",
    "timestamp a_timestamp, binary a_binary",
  ].join(", ");
  const typed = [
    [
      "true",
      "-7",
      "300",
      "70000",
      "5000000000",
      "1.1",
      "1.0E-7",
      "12345678901234567890.50",
      "007",
      "ab",
      "ab",
      "2026-01-02",
    ],
    ["false", "7", "-300", "0", "-1", "-0.1", "1.0E10", "0.05", " x ", "a,b", "a  b", "1999-12-31"],
  ];
  const rest = [
    ["2026-01-02 03:04:05.678", "Ynl0ZXM"],
    ["2026-01-02 00:00:00", ""],
  ];
  const rows = [...typed.map((row, index) => [...row, ...rest[index]!]), Array.from({ length: 14 }, () => "\\N")];

  test.each(["csv", "tsv"] as const)(
    "results: %s has values of each type, and NULL, as a split has",
    async (format) => {
      const split = async (inputFormat: string, input: string, outputTable: string) => {
        const inputs = { inputObjectKeys: [input], inputFormat, outputDatabase: "mart", outputTable, schema: types };
        const { json } = await fixture.split(inputs);
        expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "finished" });
      };
      write("dag://raw/typed.tsv", rows.map((row) => `${row.join("\t")}\n`).join(""));
      await split("tsv", "dag://raw/typed.tsv", "source");
      await run("SELECT * FROM mart.source", "dag://mart/typed/", format);
      copyFileSync(path("dag://mart/typed/000000_0"), path("dag://raw/typed"));
      await split(format, "dag://raw/typed", "cut");
      expect(await columnsOf("typed")).toEqual(await columnsOf("source"));
      const found = await read("SELECT * FROM mart.typed");
      expect(found).toEqual(await read("SELECT * FROM mart.cut"));
      expect(found).toEqual(await read("SELECT * FROM mart.source"));
      expect(found).toHaveLength(3);
      const nulls = types.split(", ").map((column) => `${column.split(" ").at(-1)} IS NULL`);
      expect(await read(`SELECT count(*) FROM mart.typed WHERE ${nulls.join(" AND ")}`)).toEqual(["1"]);
    },
  );

  test("results: columns without a name by position, twice of the same name apart, arrays and nulls as strings", async () => {
    await run("SELECT 1, 'b' AS n, 'c' AS N, array(1, 2) AS list, NULL AS nothing", "dag://mart/odd/");
    expect(await columnsOf("odd")).toEqual(["_c0 int", "n string", "n_1 string", "list string", "nothing string"]);
    expect(await read("SELECT `_c0`, n, n_1, list, nothing FROM mart.odd")).toEqual(["1\tb\tc\t[1,2]\t\\N"]);
  });

  test("results: one without rows has its columns", async () => {
    await run(`${codes(["ab"])} WHERE code = 'none'`, "dag://mart/empty/");
    expect(await columnsOf("empty")).toEqual(["code string", "name string"]);
    expect(await read("SELECT code FROM mart.empty")).toEqual([]);
    expect(await read("SELECT count(code) FROM mart.empty")).toEqual(["0"]);
  });

  test("results: a replaced one has the columns of the last query", async () => {
    await run(codes(["ab"]), "dag://mart/names/");
    await run("SELECT 5 AS n", "dag://mart/names/", "tsv");
    expect(await columnsOf("names")).toEqual(["n int"]);
    expect(await read("SELECT n + 1 FROM mart.names")).toEqual(["6"]);
  });
});
