import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ended } from "../service/caller";
import { useService } from "../service/fixture";
import { commandFor } from "./command";
import { settings } from "./settings";

const fixture = useService(settings);
beforeEach(() => fixture.service.reset());

const get = (target: string) => fixture.call("GET", target);

/** Writes an object of the database `default`. */
function put(key: string, content: string | Uint8Array): void {
  const path = join(fixture.service.bucketsDirectory, "default", key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe("catalog", () => {
  test("lists the databases and their tables with their source", async () => {
    expect((await get("/catalog")).json.databases.map(({ name }: { name: string }) => name)).toEqual([
      "data",
      "default",
      "out",
      "raw",
      "reporting",
      "sales",
    ]);
    expect((await get("/catalog/data")).json.tables).toEqual([
      {
        table: "events",
        source: "declared",
        format: "csv",
        columns: [
          { name: "id", type: "bigint" },
          { name: "v", type: "string" },
        ],
      },
      { table: "numbers", source: "declared", format: "csv", columns: [{ name: "n", type: "bigint" }] },
    ]);
    expect((await get("/catalog/sales")).json.tables).toEqual(
      ["orders", "packed", "odd", "wide"].toSorted().map((table) => ({ table, source: "folder" })),
    );
  });

  test("lists the views of a database with their columns, if they can be told", async () => {
    expect((await get("/catalog/sales")).json.views).toEqual([
      { view: "gone", query: "SELECT * FROM sales.nowhere", problem: expect.stringContaining("sales.nowhere") },
      {
        view: "totals",
        query: "SELECT o.*, count(*) OVER () AS n FROM sales.orders o",
        columns: ["id", "amount", "dt", "n"],
      },
    ]);
    expect((await get("/catalog/raw")).json.views).toEqual([]);
  });

  test("lists the views of a database that has no bucket, which has no tables", async () => {
    const views = [{ view: "daily", query: "SELECT id FROM sales.orders", columns: ["id"] }];
    expect((await get("/catalog/reporting")).json).toEqual({ database: "reporting", tables: [], views });
    const gone = { status: 404, json: { code: "DatabaseNotFound" } };
    expect(await get("/catalog/reporting/weekly")).toMatchObject(gone);
  });

  test("DESCRIBE has the columns of a view without their types, or where to see why they are not known", async () => {
    const run = (statement: string) => commandFor(fixture)(["sql", "--csv", statement]).ended;
    const { stdout } = await run("DESCRIBE sales.totals");
    expect(stdout.split("\n")[1]).toBe("id,,of a view");
    expect(stdout).toContain("\nn,,of a view\n");
    expect(await run("DESCRIBE sales.gone")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("SELECT * FROM sales.gone says why"),
    });
  });

  test("a table that a split wrote is told apart", async () => {
    const { json } = await fixture.split({ outputTable: "cut", schema: "bigint id, string v" });
    await ended(fixture.service, json.queryId);
    const { tables } = (await get("/catalog/data")).json;
    expect(tables.find(({ table }: { table: string }) => table === "cut").source).toBe("split");
  });

  test("a table of a split whose objects were deleted does not exist, as no other table does without objects", async () => {
    const { json } = await fixture.split({ outputTable: "purged", schema: "bigint id, string v" });
    await ended(fixture.service, json.queryId);
    rmSync(join(fixture.service.bucketsDirectory, "data/purged"), { recursive: true });
    const { tables } = (await get("/catalog/data")).json;
    expect(tables.map(({ table }: { table: string }) => table)).not.toContain("purged");
    const shown = await get("/catalog/data/purged");
    expect([shown.status, shown.json.code]).toEqual([400, "InvalidTableName"]);
    const { status, json: refused } = await fixture.select({ query: "SELECT count(*) FROM data.purged" });
    expect([status, refused.code]).toEqual([400, "InvalidTableName"]);
    expect(refused.message).toMatch(/^table "data.purged" does not exist: there are no objects under /);
    expect(refused.message).not.toContain("Did you mean");
  });

  test("a view is refused as a table, with where its page is, also in a database without a bucket", async () => {
    for (const [database, view] of [
      ["sales", "totals"],
      ["reporting", "daily"],
    ]) {
      expect(await get(`/catalog/${database}/${view}`)).toMatchObject({
        status: 400,
        json: {
          code: "InvalidTableName",
          message: `"${database}.${view}" is a view of the config, not a table: its page is /console/views/${database}/${view}, and GET /catalog/${database} has its statement and columns`,
        },
      });
    }
  });

  test("a table that does not exist is refused as in a statement, with the name that is near", async () => {
    const { message } = (await get("/catalog/sales/oders")).json;
    expect(message).toBe(
      'table "sales.oders" does not exist: there are no objects under dag://sales/oders/, and the config does not ' +
        "declare it. Did you mean `orders`?",
    );
    expect((await fixture.select({ query: "SELECT count(*) FROM sales.oders" })).json.message).toBe(message);
    expect((await get("/catalog/data/tmp")).json.message).toContain("a table's name is 1 to 128 characters of a-z");
  });

  test("a table of a split of empty objects exists, and has no rows", async () => {
    mkdirSync(join(fixture.service.bucketsDirectory, "raw"), { recursive: true });
    writeFileSync(join(fixture.service.bucketsDirectory, "raw/nothing.csv"), "");
    const split = { outputTable: "nothing", schema: "bigint id", inputObjectKeys: ["dag://raw/nothing.csv"] };
    const { json } = await fixture.split(split);
    await ended(fixture.service, json.queryId);
    expect((await get("/catalog/data/nothing")).json.columns).toEqual([{ name: "id", type: "bigint" }]);
    expect((await fixture.select({ query: "SELECT count(*) FROM data.nothing" })).status).toBe(202);
  });

  test("a table has its inferred columns, partitions, sizes and first rows", async () => {
    expect((await get("/catalog/sales/orders")).json).toEqual({
      database: "sales",
      table: "orders",
      source: "folder",
      format: "csv",
      location: "dag://sales/orders/",
      columns: [
        { name: "id", type: "bigint" },
        { name: "amount", type: "double" },
        { name: "dt", type: "string" },
      ],
      partitionColumns: ["dt"],
      isInferred: true,
      objects: 2,
      bytes: 43,
      isCut: false,
      partitions: [
        { name: "dt=2026-01-01", objects: 1, bytes: 25 },
        { name: "dt=2026-01-02", objects: 1, bytes: 18 },
      ],
      sample: {
        rows: [
          ["1", "7.50", "2026-01-01"],
          ["2", "14.25", "2026-01-01"],
          ["3", "21.00", "2026-01-02"],
        ],
        isTruncated: false,
      },
    });
  });

  test("a declared table shows what a select returns: NULL for what is no value of its type", async () => {
    const path = join(fixture.service.bucketsDirectory, "data/events/b.csv");
    writeFileSync(path, "x,bad\n04,\n");
    try {
      const { columns, isInferred, sample } = (await get("/catalog/data/events")).json;
      expect([columns.length, isInferred, sample.isTruncated]).toEqual([2, false, false]);
      expect(sample.rows).toEqual([
        ["1", "x"],
        ["2", "y"],
        ["3", "x"],
        [null, "bad"],
        ["4", ""],
      ]);
    } finally {
      rmSync(path);
    }
  });

  test("a Parquet table has the columns of its objects, partitions and first rows", async () => {
    const folder = join(fixture.service.bucketsDirectory, "default/lake");
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const day of [1, 2]) {
      mkdirSync(join(folder, `d=${day}`), { recursive: true });
      const path = join(folder, `d=${day}/a.parquet`);
      await connection.run(`COPY (SELECT range AS n, [1, 2] AS list FROM range(${day})) TO '${path}' (FORMAT parquet)`);
    }
    const { format, columns, partitionColumns, partitions, sample } = (await get("/catalog/default/lake")).json;
    // The engine reads the objects side by side.
    sample.rows.sort();
    expect({ format, columns, partitionColumns, sample }).toEqual({
      format: "parquet",
      columns: [
        { name: "n", type: "bigint" },
        { name: "list", type: "array<int>" },
        { name: "d", type: "string" },
      ],
      partitionColumns: ["d"],
      sample: {
        rows: [
          ["0", "[1,2]", "1"],
          ["0", "[1,2]", "2"],
          ["1", "[1,2]", "2"],
        ],
        isTruncated: false,
      },
    });
    expect(partitions.map(({ name, objects: count }: { name: string; objects: number }) => [name, count])).toEqual([
      ["d=1", 1],
      ["d=2", 1],
    ]);
    const whole = readFileSync(join(folder, "d=2/a.parquet"));
    writeFileSync(join(folder, "d=2/a.parquet"), Buffer.from(whole).fill(0xff, 4, 60));
    rmSync(join(folder, "d=1"), { recursive: true });
    expect((await get("/catalog/default/lake")).json.message).toMatch(
      /^dag:\/\/default\/lake\/d=2\/a.parquet is damaged/,
    );
    writeFileSync(join(folder, "d=2/b.parquet"), "no Parquet");
    const refused = await get("/catalog/default/lake");
    expect([refused.status, refused.json.code]).toEqual([400, "InvalidFormat"]);
    expect(refused.json.message).toContain("d=2/b.parquet is not a Parquet object");
  });

  test("a header before a row of 100 KB: the catalog has the types that a query finds, and its log takes no row for names", async () => {
    put("long/a.csv", `id,v\n1,${"x".repeat(100_000)}\n2,y\n`);
    const { columns } = (await get("/catalog/default/long")).json;
    expect(columns.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`)).toEqual([
      "id bigint",
      "v string",
    ]);
    const { json } = await fixture.select({ query: "SELECT sum(id) FROM default.long" });
    expect((await ended(fixture.service, json.queryId)).status).toBe("finished");
    const { log } = (await get(`/v1/${json.queryId}/log?query`)).json;
    expect(log).not.toContain("is taken for the names");
  });

  test.each<[string, string, string | Uint8Array, string]>([
    ["an array of JSON", "array.json", '[{"id":1}]\n', "a line that is not a JSON object"],
    ["UTF-16", "utf16.csv", Buffer.from("\uFEFFid,v\n1,a\n", "utf16le"), "its text must be UTF-8"],
    ["too many columns", "wide.csv", `${Array.from({ length: 1001 }, () => "1").join(",")}\n`, "at most 1000"],
  ])("refuses what every query refuses: %s", async (_, name, content, message) => {
    put(`refused_${name.slice(0, 4)}/${name}`, content);
    const shown = await get(`/catalog/default/refused_${name.slice(0, 4)}`);
    expect([shown.status, shown.json.code]).toEqual([400, "InvalidFormat"]);
    expect(shown.json.message).toContain(message);
  });

  test("compressed JSON lines are shown by their members", async () => {
    const { columns, sample } = (await get("/catalog/sales/packed")).json;
    expect(columns.map(({ name }: { name: string }) => name)).toEqual(["id", "tags"]);
    expect(sample.rows).toEqual([
      ["1", '["a"]'],
      ["2", null],
    ]);
  });

  test("a cell of 1 MB is cut off", async () => {
    const { sample } = (await get("/catalog/sales/wide")).json;
    expect(sample.rows[0][0]).toBe(`${"x".repeat(2000)}…`);
    expect(sample.rows[0][1]).toBe("1");
  });

  test.each([
    ["/catalog/nowhere", 404, "DatabaseNotFound"],
    ["/catalog/UPPER", 404, "DatabaseNotFound"],
    ["/catalog/sales/nothing", 400, "InvalidTableName"],
    ["/catalog/sales/..%2F..%2Fetc", 400, "InvalidParameter"],
    ["/catalog/data/tmp", 400, "InvalidTableName"],
  ])("refuses %s", async (target, status, code) => {
    const answer = await get(target);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

test("catalog: a folder whose name is too short for a bucket is refused with the reason that a statement has", async () => {
  const path = join(fixture.service.bucketsDirectory, "w/nums");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "a.csv"), "1\n");
  const rule = "must be 3 to 63 characters of a-z, 0-9, '.' and '-', with a letter or digit at each end";
  const refused = await get("/catalog/w/nums");
  expect([refused.status, refused.json.code, refused.json.message]).toEqual([
    404,
    "DatabaseNotFound",
    `database "w" does not exist: its name ${rule}, as that of a bucket`,
  ]);
  expect((await fixture.select({ query: "SELECT * FROM w.nums" })).json.message).toContain(rule);
  rmSync(join(fixture.service.bucketsDirectory, "w"), { recursive: true });
});

describe("objects", () => {
  test("lists a folder in pages", async () => {
    const first = (await get("/objects?prefix=dag://sales/&max=3")).json;
    expect(first.objects.map(({ location }: { location: string }) => location)).toEqual([
      "dag://sales/odd/a&b=c d.csv",
      "dag://sales/orders/dt=2026-01-01/a.csv",
      "dag://sales/orders/dt=2026-01-02/b.csv",
    ]);
    expect(first.isTruncated).toBe(true);
    const rest = (await get(`/objects?prefix=dag://sales/&marker=${encodeURIComponent(first.nextMarker)}`)).json;
    expect(rest.objects).toHaveLength(2);
    expect(rest).not.toHaveProperty("nextMarker");
  });

  test("sends the bytes of one object as a download", async () => {
    const answer = await get("/objects/sales/odd/a%26b%3Dc%20d.csv");
    expect(answer.text).toBe("1\n");
    expect(answer.headers["content-type"]).toBe("application/octet-stream");
    expect(answer.headers["content-disposition"]).toBe("attachment; filename*=UTF-8''a%26b%3Dc%20d.csv");
  });

  test.each([
    ["/objects", 400, "InvalidParameter"],
    ["/objects?prefix=dag://sales/../x", 400, "InvalidParameter"],
    ["/objects?prefix=dag://nowhere/", 404, "InputBucketIsNotFound"],
    ["/objects?prefix=dag://sales/&max=1000", 400, "InvalidParameter"],
    ["/objects?prefix=dag://sales/&max=x", 400, "InvalidParameter"],
    ["/objects?prefix=dag://sales/&marker=dag://data/x", 400, "InvalidParameter"],
    ["/objects/sales/none.csv", 404, "InputObjectNotFound"],
    ["/objects/sales/orders/", 404, "InputObjectNotFound"],
    ["/objects/sales/..%2F..%2F..%2Fetc%2Fpasswd", 400, "InvalidParameter"],
    ["/objects/sales/%zz", 400, "InvalidParameter"],
  ])("refuses %s", async (target, status, code) => {
    const answer = await get(target);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});
