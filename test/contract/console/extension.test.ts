import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ended, send } from "../service/caller";
import { quick, slow, useService } from "../service/fixture";
import { settings } from "./settings";

const fixture = useService(settings);
beforeEach(() => fixture.service.reset());

const get = (target: string) => fixture.call("GET", target);

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

  test("the columns of a * have the names that its table had, also when that is gone", async () => {
    const { json } = await fixture.select({ query: "select * from sales.odd" });
    await ended(fixture.service, json.queryId);
    rmSync(join(fixture.service.bucketsDirectory, "sales/odd"), { recursive: true });
    expect((await get(`/results/${json.queryId}`)).json.columns).toEqual(["_c0"]);
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

  test("a result that a later query overwrote names that query, and shows none of its rows", async () => {
    const first = (await fixture.select({ outputResourcePath: "dag://out/same" })).json.queryId;
    await ended(fixture.service, first);
    const second = (await fixture.select({ outputResourcePath: "dag://out/same" })).json.queryId;
    await ended(fixture.service, second);
    const { page, sample, replaced } = (await get(`/results/${first}`)).json;
    expect(replaced).toEqual({ queryId: second, reason: expect.stringContaining(`query ${second} has written`) });
    expect([page.objects, sample.rows]).toEqual([[], []]);
    expect((await get(`/results/${second}`)).json.replaced).toBeUndefined();
  });

  test.each([
    ["an object was put beside it", (folder: string) => writeFileSync(join(folder, "mine.csv"), "1\n")],
    ["its object was changed", (folder: string) => writeFileSync(join(folder, "000000_0"), "1\n")],
    ["its object was deleted", (folder: string) => rmSync(join(folder, "000000_0"))],
  ])("a result is not shown after %s", async (_, change) => {
    const id = (await fixture.select({ outputResourcePath: "dag://out/mixed" })).json.queryId;
    await ended(fixture.service, id);
    change(join(fixture.service.bucketsDirectory, "out/mixed"));
    const { sample, replaced } = (await get(`/results/${id}`)).json;
    expect(replaced.reason).toMatch(/query \d+ wrote its result/);
    expect(sample.rows).toEqual([]);
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
    expect(problems).toEqual([
      { line, column, message: expect.any(String), severity: "error", code: "InvalidDMLStatement" },
    ]);
  });

  test("a table that does not exist is a problem", async () => {
    const { problems } = (await check("select 1 from data.nothing", "c1")).json;
    expect(problems[0].message).toContain("data.nothing");
  });

  test("a table that is the folder of running queries is a problem, as at the submission", async () => {
    const { json } = await fixture.select({ query: "select 1 from data.tmp" });
    expect(json.code).toBe("InvalidTableName");
    const { problems } = (await check("select 1 from data.tmp", "c1")).json;
    expect(problems).toMatchObject([{ code: json.code, message: json.message }]);
  });

  test("a good statement has none, and nothing is submitted", async () => {
    expect((await check(quick, "c1")).json).toEqual({ problems: [], clusterName: "c1" });
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
  ["GET", "/results/1/download"],
  ["GET", "/queries"],
  ["GET", "/queries/1"],
  ["GET", "/queries?stale=true"],
  ["GET", "/lineage/data/events"],
  ["PUT", "/objects/data/new.csv"],
  ["POST", "/check"],
  ["GET", "/usage"],
  ["POST", "/console/links"],
])("%s %s needs a signature", async (method, target) => {
  const answer = await send(fixture.service.url, method, target, {});
  expect([answer.status, answer.json.code]).toEqual([403, "AccessDenied"]);
});
