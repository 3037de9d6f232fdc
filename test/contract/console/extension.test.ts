import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { ended, send } from "../service/caller";
import { objects, quick, slow, useService } from "../service/fixture";

const fixture = useService({
  objects: {
    ...objects,
    "dag://sales/orders/dt=2026-01-01/a.csv": "id,amount\n1,7.50\n2,14.25\n",
    "dag://sales/orders/dt=2026-01-02/b.csv": "id,amount\n3,21.00\n",
    "dag://sales/packed/a.jsonl.gz": gzipSync('{"id":1,"tags":["a"]}\n{"id":2}\n'),
    "dag://sales/wide/a.csv": `${"x".repeat(1_000_000)},1\n2,3\n`,
    "dag://sales/odd/a&b=c d.csv": "1\n",
  },
  views: [
    { database: "sales", view: "totals", query: "SELECT o.*, count(*) OVER () AS n FROM sales.orders o" },
    { database: "sales", view: "gone", query: "SELECT * FROM sales.nowhere" },
    { database: "data", view: "other", query: "SELECT 1" },
  ],
});
beforeEach(() => fixture.service.reset());

const get = (target: string) => fixture.call("GET", target);

describe("catalog", () => {
  test("lists the databases and their tables with their source", async () => {
    expect((await get("/catalog")).json.databases.map(({ name }: { name: string }) => name)).toEqual([
      "data",
      "default",
      "out",
      "raw",
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
      { view: "gone", query: "SELECT * FROM sales.nowhere" },
      {
        view: "totals",
        query: "SELECT o.*, count(*) OVER () AS n FROM sales.orders o",
        columns: ["id", "amount", "dt", "n"],
      },
    ]);
    expect((await get("/catalog/raw")).json.views).toEqual([]);
  });

  test("a table that a split wrote is told apart", async () => {
    const { json } = await fixture.split({ outputTable: "cut", schema: "bigint id, string v" });
    await ended(fixture.service, json.queryId);
    const { tables } = (await get("/catalog/data")).json;
    expect(tables.find(({ table }: { table: string }) => table === "cut").source).toBe("split");
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
    writeFileSync(join(folder, "d=2/b.parquet"), "no Parquet");
    const refused = await get("/catalog/default/lake");
    expect([refused.status, refused.json.code]).toEqual([400, "InvalidFormat"]);
    expect(refused.json.message).toContain("d=2/b.parquet is not a Parquet object");
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
    ["/catalog/sales/..%2F..%2Fetc", 400, "InvalidTableName"],
    ["/catalog/data/tmp", 400, "InvalidTableName"],
  ])("refuses %s", async (target, status, code) => {
    const answer = await get(target);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
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
    ["/objects/sales/none.csv", 404, "InputObjectNotFound"],
    ["/objects/sales/orders/", 404, "InputObjectNotFound"],
    ["/objects/sales/..%2F..%2F..%2Fetc%2Fpasswd", 400, "InvalidParameter"],
    ["/objects/sales/%zz", 400, "InvalidParameter"],
  ])("refuses %s", async (target, status, code) => {
    const answer = await get(target);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe("results", () => {
  test("a finished select has its objects, column names and first rows", async () => {
    const { json } = await fixture.select({ outputResourcePath: "dag://out/res" });
    await ended(fixture.service, json.queryId);
    const result = (await get(`/results/${json.queryId}`)).json;
    expect(result).toMatchObject({ location: "dag://out/res/", columns: ["v", "n"] });
    expect(result.page.objects).toEqual([expect.objectContaining({ location: "dag://out/res/000000_0", size: 8 })]);
    expect(result.sample).toEqual({
      rows: [
        ["x", "2"],
        ["y", "1"],
      ],
      isTruncated: false,
    });
  });

  test.each([
    ["select * from data.events", ["id", "v"]],
    ["select * from sales.packed", ["id", "tags"]],
    ["select e.*, n.n + 1 from data.events e join data.numbers n on e.id = n.n", ["id", "v", "_c2"]],
    ["with t as (select id * 2 twice, v from data.events) select * from t", ["twice", "v"]],
  ])("the columns of a * have the names of the table: %s", async (query, columns) => {
    const { json } = await fixture.select({ query });
    await ended(fixture.service, json.queryId);
    expect((await get(`/results/${json.queryId}`)).json.columns).toEqual(columns);
  });

  test("the columns of a * have no names when its table is gone", async () => {
    const { json } = await fixture.select({ query: "select * from sales.odd" });
    await ended(fixture.service, json.queryId);
    rmSync(join(fixture.service.bucketsDirectory, "sales/odd"), { recursive: true });
    expect((await get(`/results/${json.queryId}`)).json).not.toHaveProperty("columns");
  });

  test("escapes of a tsv result are reversed, and more than 100 rows are cut off", async () => {
    const query = "select concat('a\\t', cast(n as string)), cast(null as string) from data.numbers order by n";
    const { json } = await fixture.select({ query, outputFormat: "tsv" });
    await ended(fixture.service, json.queryId);
    const { columns, sample } = (await get(`/results/${json.queryId}`)).json;
    expect(columns).toEqual(["_c0", "_c1"]);
    expect(sample.rows).toHaveLength(100);
    expect(sample.rows[0]).toEqual(["a\t0", null]);
    expect(sample.isTruncated).toBe(true);
  });

  test("refuses splits, running queries and unknown ones", async () => {
    const split = (await fixture.split()).json.queryId;
    const running = (await fixture.select({ query: slow })).json.queryId;
    expect((await get(`/results/${split}`)).json.code).toBe("InvalidQueryType");
    expect((await get(`/results/${running}`)).json.code).toBe("InvalidQueryState");
    expect((await get("/results/4711")).json.code).toBe("QueryNotFound");
    expect((await get("/results/x")).json.code).toBe("InvalidQueryId");
  });
});

describe("check", () => {
  const check = (query: string, clusterName?: string) =>
    fixture.call("POST", "/check", { body: { query, ...(clusterName ? { clusterName } : {}) } });

  test.each([
    ["select v\nfrm data.events", undefined, 2, 5],
    ["select v, nothing from data.events", "c1", 1, 11],
  ])("%j has a problem with its position", async (query, cluster, line, column) => {
    const { problems } = (await check(query, cluster)).json;
    expect(problems).toEqual([{ line, column, message: expect.any(String), severity: "error" }]);
  });

  test("a table that does not exist is a problem", async () => {
    const { problems } = (await check("select 1 from data.nothing", "c1")).json;
    expect(problems[0].message).toContain("data.nothing");
  });

  test("a good statement has none, and nothing is submitted", async () => {
    expect((await check(quick, "c1")).json).toEqual({ problems: [] });
    expect((await get("/v1/?query")).json.queries).toEqual([]);
  });

  test("refuses a body of another form", async () => {
    expect((await fixture.call("POST", "/check", { body: { query: 1 } })).json.code).toBe("InvalidParameter");
    expect((await fixture.call("POST", "/check", { body: "{" })).json.code).toBe("MalformedJSON");
  });
});

test("usage: has slots, limit and measurements of each cluster", async () => {
  const { clusters } = (await get("/usage")).json;
  expect(clusters.map(({ name, slots }: { name: string; slots: number }) => [name, slots])).toEqual([
    ["c1", 2],
    ["c2", 1],
  ]);
  const [point] = clusters[0].points;
  expect(point).toMatchObject({ running: expect.any(Number), disk: expect.any(Number) });
  // Only Linux tells the memory of processes.
  expect(point.memory ?? Number.POSITIVE_INFINITY).toBeGreaterThan(1_000_000);
  expect((await get(`/usage?since=${clusters[0].points.at(-1).time}`)).json.clusters[0].points).toEqual([]);
});

test.each([
  ["GET", "/catalog"],
  ["GET", "/catalog/data"],
  ["GET", "/catalog/data/events"],
  ["GET", "/objects?prefix=dag://data/"],
  ["GET", "/objects/data/events/a.csv"],
  ["GET", "/results/1"],
  ["POST", "/check"],
  ["GET", "/usage"],
  ["POST", "/console/links"],
])("%s %s needs a signature", async (method, target) => {
  const answer = await send(fixture.service.url, method, target, {});
  expect([answer.status, answer.json.code]).toEqual([403, "AccessDenied"]);
});

describe("console", () => {
  const page = (path: string, headers: Record<string, string> = {}) => send(fixture.service.url, "GET", path, headers);

  test("the root leads to the page, and the page has a strict policy", async () => {
    const root = await page("/?endpoint=https%3A%2F%2Fdag.example.com", { Accept: "text/html,*/*" });
    expect([root.status, root.headers["location"]]).toEqual([302, "/console/?endpoint=https%3A%2F%2Fdag.example.com"]);
    const { status, headers, text } = await page("/console/queries/7");
    expect(status).toBe(200);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
  });

  test.each([
    ["https://dag.example.com/base", "connect-src 'self' https://dag.example.com;"],
    ["javascript:alert(1)", "connect-src 'self';"],
    ["https://a.example; script-src *", "connect-src 'self';"],
    ["x", "connect-src 'self';"],
  ])("the endpoint %s gives the policy %s", async (endpoint, expected) => {
    const { headers } = await page(`/console/?endpoint=${encodeURIComponent(endpoint)}`);
    expect(headers["content-security-policy"]).toContain(expected);
    expect(headers["content-security-policy"]).not.toContain("script-src *");
  });

  test("files are compressed and kept by browsers, other paths are none", async () => {
    const { text } = await page("/console/");
    const script = /src="([^"]+)"/.exec(text)![1]!;
    const { headers } = await page(script, { "Accept-Encoding": "gzip" });
    expect(headers).toMatchObject({
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
    });
    const again = await page(script, { "If-None-Match": String(headers["etag"]) });
    expect(again.status).toBe(304);
    for (const path of ["/console/none.js", "/console/..%2f..%2fpackage.json", "/console/../package.json"]) {
      expect([403, 404]).toContain((await page(path)).status);
    }
  });

  test("a sign-in link works once, only with the control header", async () => {
    const { path } = (await fixture.call("POST", "/console/links")).json;
    const token = path.split("=")[1];
    const redeem = (headers: Record<string, string>) =>
      send(
        fixture.service.url,
        "POST",
        "/console/sign-in",
        { ...headers, "Content-Length": String(token.length) },
        token,
      );
    expect((await redeem({})).json.code).toBe("AccessDenied");
    expect((await redeem({ "x-dag-control": "1" })).json).toEqual(fixture.service.credentials);
    expect((await redeem({ "x-dag-control": "1" })).json.code).toBe("AccessDenied");
  });

  test("other origins: those of this machine may call with a signature, others get no permission", async () => {
    const preflight = (origin: string, path = "/v1/?query") =>
      send(fixture.service.url, "OPTIONS", path, { Origin: origin, "Access-Control-Request-Method": "GET" });
    const allowed = await preflight("http://localhost:9393");
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      "access-control-allow-origin": "http://localhost:9393",
      "access-control-allow-headers": "Authorization, Content-Type, x-svc-date",
    });
    for (const [origin, path] of [
      ["https://evil.example", "/v1/?query"],
      ["http://localhost.evil.example", "/v1/?query"],
      ["null", "/v1/?query"],
      ["http://localhost:9393", "/_reset"],
      ["http://localhost:9393", "/console/sign-in"],
    ] as const) {
      expect((await preflight(origin, path)).headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  test("x-svc-date: a request without Date is taken, one with a wrong signature is not", async () => {
    const date = new Date().toUTCString();
    const { accessKeyId, secretAccessKey } = fixture.service.credentials;
    const signed = await import("node:crypto").then(({ createHmac }) =>
      createHmac("sha1", secretAccessKey).update(`GET\n\n\n\nx-svc-date:${date}\n/v1/?query`).digest("base64"),
    );
    const headers = { "x-svc-date": date, Authorization: `IIJGIO ${accessKeyId}:${signed}` };
    expect((await page("/v1/?query", headers)).status).toBe(200);
    expect((await page("/v1/?clusterManagement", headers)).json.code).toBe("SignatureDoesNotMatch");
  });
});
