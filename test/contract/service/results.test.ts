/** Results of selects that statements read as tables. */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ended } from "./caller";
import { useService } from "./fixture";

const fixture = useService({ buckets: ["mart", "out", "raw"], objects: {}, tables: [] });
beforeEach(async () => {
  await fixture.service.reset();
  for (const bucket of ["mart", "out", "raw"]) {
    const folder = join(fixture.service.bucketsDirectory, bucket);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
});

let serial = 0;
const path = (location: string) => join(fixture.service.bucketsDirectory, location.slice("dag://".length));

/** Writes an object. */
function write(location: string, content: string): void {
  mkdirSync(dirname(path(location)), { recursive: true });
  writeFileSync(path(location), content);
}

/** Runs a statement to its end, and returns its log. */
async function run(query: string, outputResourcePath: string, outputFormat = "csv"): Promise<string> {
  const { status, json } = await fixture.select({ query, outputResourcePath, outputFormat });
  if (status !== 202) throw new Error(json.message);
  const record = await ended(fixture.service, json.queryId);
  const { log } = (await fixture.call("GET", `/v1/${json.queryId}/log?query`)).json;
  expect(record.status, log).toBe("finished");
  return log;
}

/** Runs a statement, and returns its rows, cells separated by tabs. */
async function read(query: string): Promise<string[]> {
  const to = `dag://out/read-${(serial += 1)}/`;
  await run(query, to, "tsv");
  const content = readFileSync(path(`${to}000000_0`), "utf8");
  return content === "" ? [] : content.replace(/\n$/, "").split("\n");
}

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
    "warning: dag://mart/orders/ had 2 objects, such as dag://mart/orders/000000_0, changed since query ",
  );
});

const table = async (name: string) => (await fixture.call("GET", `/catalog/mart/${name}`)).json;
const columnsOf = async (name: string) =>
  (await table(name)).columns.map((column: { name: string; type: string }) => `${column.name} ${column.type}`);

const codes = (values: readonly string[]) =>
  `SELECT code, name FROM (${values.map((value) => `SELECT '${value}' AS code, upper('${value}') AS name`).join(" UNION ALL ")}) t`;

describe("a result that is a table", () => {
  test.each(["csv", "tsv"])("%s: every row is one, with the names and types of the statement", async (format) => {
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
    "%s read by a select that writes %s: commas, quotes, newlines and decimals stay as they are",
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

  test.each(["csv", "tsv"] as const)("%s: a value of each type, and NULL, is read as from a split", async (format) => {
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
  });

  test("columns: without a name by position, twice of the same name apart, arrays and nulls as strings", async () => {
    await run("SELECT 1, 'b' AS n, 'c' AS N, array(1, 2) AS list, NULL AS nothing", "dag://mart/odd/");
    expect(await columnsOf("odd")).toEqual(["_c0 int", "n string", "n_1 string", "list string", "nothing string"]);
    expect(await read("SELECT `_c0`, n, n_1, list, nothing FROM mart.odd")).toEqual(["1\tb\tc\t[1,2]\t\\N"]);
  });

  test("empty: a result without rows has its columns", async () => {
    await run(`${codes(["ab"])} WHERE code = 'none'`, "dag://mart/empty/");
    expect(await columnsOf("empty")).toEqual(["code string", "name string"]);
    expect(await read("SELECT code FROM mart.empty")).toEqual([]);
    expect(await read("SELECT count(code) FROM mart.empty")).toEqual(["0"]);
  });

  test("replaced: the columns are those of the last query", async () => {
    await run(codes(["ab"]), "dag://mart/names/");
    await run("SELECT 5 AS n", "dag://mart/names/", "tsv");
    expect(await columnsOf("names")).toEqual(["n int"]);
    expect(await read("SELECT n + 1 FROM mart.names")).toEqual(["6"]);
  });
});

describe("a result that was moved or copied", () => {
  const content = () => codes(["ab", "cd, ef", "gh"]);
  const isRead = async (name: string) => {
    expect(await columnsOf(name)).toEqual(["code string", "name string"]);
    expect(await read(`SELECT code FROM mart.${name} ORDER BY code`)).toEqual(["ab", "cd, ef", "gh"]);
  };

  test.each(["csv", "tsv"])(
    "moved: a folder of %s is read as what it is, also when another result took its place",
    async (format) => {
      await run(content(), "dag://mart/names/", format);
      renameSync(path("dag://mart/names/"), path("dag://mart/old_names/"));
      await isRead("old_names");
      await run("SELECT 1 AS n", "dag://mart/names/", "csv");
      await isRead("old_names");
      expect(await columnsOf("names")).toEqual(["n int"]);
    },
  );

  test.each([true, false])("copied: with its times kept: %s", async (preserveTimestamps) => {
    await run(content(), "dag://mart/names/", "tsv");
    cpSync(path("dag://mart/names/"), path("dag://mart/copied/"), { recursive: true, preserveTimestamps });
    await isRead("names");
    await isRead("copied");
  });

  test("restored: an output folder whose objects have other times is read as what it is", async () => {
    await run(content(), "dag://mart/names/", "tsv");
    await run("SELECT code AS other, name FROM mart.names", "dag://mart/others/", "tsv");
    for (const name of ["names", "others"]) utimesSync(path(`dag://mart/${name}/000000_0`), new Date(0), new Date(0));
    await isRead("names");
    expect(await columnsOf("others")).toEqual(["other string", "name string"]);
    expect(await table("others")).not.toHaveProperty("note");
  });

  test("copied: after it was read under other names, a copy has the columns of the result, and says so", async () => {
    await run("SELECT 'ab' AS one, 7 AS `Two`, array(1) AS three", "dag://mart/names/");
    const copy = (to: string, from = "names") =>
      cpSync(path(`dag://mart/${from}/`), path(`dag://mart/${to}/`), { recursive: true });
    copy("before");
    const columns = ["one string", "two int", "three string"];
    expect(await columnsOf("before")).toEqual(columns);
    await run("SELECT * FROM mart.names", "dag://mart/again/");
    copy("meanwhile");
    expect(await table("meanwhile")).not.toHaveProperty("note");
    await run("SELECT one AS other, two, three FROM mart.names", "dag://mart/others/");
    copy("after");
    copy("other_copy", "others");
    for (const name of ["names", "before", "meanwhile", "after", "other_copy"]) {
      expect(await columnsOf(name)).toEqual(columns);
      expect(await read(`SELECT one, two + 1 FROM mart.${name}`)).toEqual(["ab\t8"]);
    }
    expect(await columnsOf("others")).toEqual(["other string", "two int", "three string"]);
    expect(await table("names")).not.toHaveProperty("note");
    const { note } = await table("after");
    expect(note).toMatch(
      /^table mart\.after is read as the first of two results .*: query \d+ \(csv: string one, .* and query \d+ \(csv: string other, /,
    );
    expect(await run("SELECT * FROM mart.after", "dag://out/log/")).toContain(note);
  });

  test("copied: of one column, after it was read in another format", async () => {
    await run("SELECT 'ab' AS one", "dag://mart/names/", "csv");
    await run("SELECT * FROM mart.names", "dag://out/tsv/", "tsv");
    cpSync(path("dag://mart/names/"), path("dag://mart/copied/"), { recursive: true });
    expect(await read("SELECT one FROM mart.copied")).toEqual(["ab"]);
  });

  test("copied: what two queries with columns of other types wrote is an ordinary folder that says so", async () => {
    await run("SELECT '10' AS n UNION ALL SELECT '9'", "dag://mart/names/");
    await run("SELECT cast(n AS int) AS n FROM mart.names", "dag://mart/numbers/");
    cpSync(path("dag://mart/names/"), path("dag://mart/copied/"), { recursive: true });
    expect(await columnsOf("names")).toEqual(["n string"]);
    expect(await columnsOf("copied")).toEqual(["_c0 bigint"]);
    const { note } = await table("copied");
    expect(note).toMatch(
      /ordinary folder: query \d+ \(csv: string n\) and query \d+ \(csv: int n\) wrote the objects that/,
    );
    expect(await run("SELECT * FROM mart.copied", "dag://out/log/")).toContain(note);
    await expect(run("SELECT n FROM mart.copied", "dag://out/log/")).rejects.toThrow(`; ${note}`);
  });

  test("moved: the table of a split without a schema has the header that its objects have", async () => {
    write("dag://raw/in.csv", "code,name\nab,AB\n");
    const { json } = await fixture.split({
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "mart",
      outputTable: "cut",
    });
    expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "finished" });
    expect(await read("SELECT code FROM mart.cut")).toEqual(["ab"]);
    renameSync(path("dag://mart/cut/"), path("dag://mart/moved/"));
    expect(await read("SELECT code FROM mart.moved")).toEqual(["ab"]);
  });
});

describe("a result with other objects", () => {
  test.each([
    ["beside it", () => write("dag://mart/names/more.csv", "cd,CD\n"), 2],
    ["changed", () => write("dag://mart/names/000000_0", "cd,CD\nef,EF\ngh,GH\n"), 3],
    ["of the same size", () => write("dag://mart/names/000000_0", "cd,CD\n"), 1],
    ["in a folder", () => write("dag://mart/names/below/000000_0", "cd,CD\n"), 2],
  ])("%s: is an ordinary folder, and says so, until a query writes it again", async (_, change, count) => {
    await run(codes(["ab"]), "dag://mart/names/");
    change();
    const described = await table("names");
    expect(described).toMatchObject({ source: "folder", isInferred: true });
    expect(described.note).toMatch(/^table mart\.names is read as an ordinary folder: .*query \d+ wrote its result/);
    const log = await run("SELECT count(*) FROM mart.names", "dag://out/count/");
    expect(log).toContain(described.note);
    // Objects with such names have no header.
    expect(readFileSync(path("dag://out/count/000000_0"), "utf8")).toBe(`${count}\n`);
    await run(codes(["ab"]), "dag://mart/names/");
    expect(await table("names")).toMatchObject({ source: "select" });
    expect(await table("names")).not.toHaveProperty("note");
    expect(await run("SELECT count(*) FROM mart.names", "dag://out/count/")).not.toContain("ordinary folder");
  });

  test("removed: one of several objects is gone", async () => {
    const rows = (n: number) =>
      `SELECT x, y FROM (SELECT 'a' AS x, 'b' AS y) t LATERAL VIEW explode(array(${n})) e AS z`;
    await run(rows(1), "dag://mart/parts/");
    copyFileSync(path("dag://mart/parts/000000_0"), path("dag://mart/parts/000001_0"));
    expect((await table("parts")).note).toContain("were changed, removed or added since query");
    rmSync(path("dag://mart/parts/000001_0"));
    expect(await table("parts")).toMatchObject({ source: "select" });
  });

  test("of a split: the table keeps its format and schema, and says so", async () => {
    write("dag://raw/in.csv", "ab,1\n");
    const { json } = await fixture.split({
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "mart",
      outputTable: "cut",
      schema: "string code, int n",
    });
    expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "finished" });
    expect(await table("cut")).not.toHaveProperty("note");
    write("dag://mart/cut/more.csv", "cd,2\n");
    const note = `table mart.cut is read with the format and schema of its split: query ${json.queryId} wrote its result to dag://mart/cut/, and not dag://mart/cut/more.csv`;
    expect(await table("cut")).toMatchObject({ source: "split", note, columns: [{ name: "code" }, { name: "n" }] });
    expect(await run("SELECT sum(n) FROM mart.cut", "dag://out/sum/")).toContain(note);
    expect(readFileSync(path("dag://out/sum/000000_0"), "utf8")).toBe("3\n");
  });

  test("markers: what holds no rows changes nothing", async () => {
    await run(codes(["ab"]), "dag://mart/names/");
    write("dag://mart/names/_SUCCESS", "");
    write("dag://mart/names/.DS_Store", "x");
    expect(await table("names")).toMatchObject({ source: "select" });
    expect(readdirSync(path("dag://mart/names/")).toSorted()).toEqual([".DS_Store", "000000_0", "_SUCCESS"]);
    expect(statSync(path("dag://mart/names/000000_0")).size).toBe(6);
  });

  test("unknown: objects that Hive names have no header, any other may have one", async () => {
    write("dag://mart/hive/000000_0", "code,name\nab,AB\n");
    write("dag://mart/hive/000001_0", "cd,CD\n");
    write("dag://mart/people/part.csv", "code,name\nab,AB\n");
    expect(await read("SELECT count(*) FROM mart.hive")).toEqual(["3"]);
    expect(await table("hive")).toMatchObject({
      source: "folder",
      columns: [{ name: "_c0" }, { name: "_c1" }],
      sample: {
        rows: [
          ["code", "name"],
          ["ab", "AB"],
          ["cd", "CD"],
        ],
      },
    });
    expect(await read("SELECT code FROM mart.people")).toEqual(["ab"]);
  });
});

describe("partitions that selects wrote", () => {
  test("are one table with their columns and that of the folders, also when they were moved", async () => {
    await run(codes(["ab"]), "dag://mart/days/dt=2026-01-01/", "tsv");
    await run(codes(["cd, ef"]), "dag://mart/days/dt=2026-01-02/", "tsv");
    const check = async (name: string) => {
      expect(await columnsOf(name)).toEqual(["code string", "name string", "dt string"]);
      expect(await read(`SELECT dt, code FROM mart.${name} ORDER BY dt`)).toEqual([
        "2026-01-01\tab",
        "2026-01-02\tcd, ef",
      ]);
      expect(await read(`SELECT name FROM mart.${name} WHERE dt = '2026-01-02'`)).toEqual(["CD, EF"]);
      expect(await table(name)).toMatchObject({ source: "select", partitionColumns: ["dt"] });
    };
    await check("days");
    renameSync(path("dag://mart/days/"), path("dag://mart/moved/"));
    await check("moved");
    await run(codes(["gh"]), "dag://mart/moved/dt=2026-01-03/", "tsv");
    expect(await read("SELECT count(*) FROM mart.moved")).toEqual(["3"]);
    rmSync(path("dag://mart/moved/dt=2026-01-01"), { recursive: true });
    expect(await read("SELECT count(*) FROM mart.moved")).toEqual(["2"]);
    expect(await table("moved")).toMatchObject({ source: "select" });
  });

  test("with other columns, other formats or foreign objects are an ordinary folder that says so", async () => {
    await run(codes(["a,b"]), "dag://mart/days/dt=1/", "tsv");
    await run("SELECT 1 AS n, 'b' AS name", "dag://mart/days/dt=2/", "tsv");
    expect((await table("days")).note).toMatch(/queries \d+ and \d+ wrote results with different columns or formats/);
    expect(await columnsOf("days")).toEqual(["_c0 string", "_c1 string", "dt string"]);
    expect(await read("SELECT `_c0` FROM mart.days ORDER BY dt")).toEqual(["a,b", "1"]);
    await run("SELECT 1 AS n, 'b' AS name", "dag://mart/days/dt=2/", "csv");
    // The first has tabs, the second commas.
    const refused = await fixture.select({ query: "SELECT * FROM mart.days", outputResourcePath: "dag://out/no/" });
    expect(refused.json.message).toMatch(/dt=2\/000000_0 have one cell each.*different columns or formats/);
    await run(codes(["ab"]), "dag://mart/days/dt=1/");
    await run(codes(["cd"]), "dag://mart/days/dt=2/");
    expect(await columnsOf("days")).toEqual(["code string", "name string", "dt string"]);
    write("dag://mart/days/dt=3/own.csv", "ef,EF\n");
    const { note } = await table("days");
    expect(note).toContain("and not dag://mart/days/dt=3/own.csv");
    expect(await read("SELECT count(*) FROM mart.days")).toEqual(["3"]);
  });

  test("without names of partitions are folders of one table", async () => {
    await run(codes(["ab"]), "dag://mart/all/one/");
    await run(codes(["cd"]), "dag://mart/all/two/");
    expect(await columnsOf("all")).toEqual(["code string", "name string"]);
    expect(await read("SELECT code FROM mart.`all` ORDER BY code")).toEqual(["ab", "cd"]);
  });
});
