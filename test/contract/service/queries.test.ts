import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ended, hasStatus } from "./caller";
import { quick, slow, useService } from "./fixture";

const f = useService();
const common = [
  "accessKeyId",
  "clusterName",
  "clusterRebooted",
  "dsl",
  "id",
  "label",
  "processEngine",
  "progress",
  "startTime",
  "status",
  "type",
];
const fieldsOf = (record: object) => Object.keys(record).sort();

let selectId = 0;
let splitId = 0;

beforeAll(async () => {
  selectId = (await f.select({ label: "first-a", outputResourcePath: "dag://out/shown" })).json.queryId;
  splitId = (await f.split({ label: "first-b", schema: "bigint id, string v" })).json.queryId;
  await ended(f.service, selectId);
  await ended(f.service, splitId);
});

test("getQuery: returns the common fields and the fields of a select", async () => {
  const { status, json } = await f.call("GET", `/v1/${selectId}?query`);
  expect(status).toBe(200);
  expect(fieldsOf(json)).toEqual([...common, "outputFormat", "outputResourcePath", "query", "stage"].sort());
  expect(json).toMatchObject({
    id: selectId,
    type: "select",
    processEngine: "mapreduce",
    dsl: "hive",
    status: "finished",
    clusterName: "c1",
    clusterRebooted: false,
    accessKeyId: f.service.credentials.accessKeyId,
    progress: "100%",
    label: "first-a",
    query: quick,
    outputFormat: "csv",
    outputResourcePath: "dag://out/shown/",
  });
  expect(json.stage).toBeGreaterThanOrEqual(1);
  expect(json.startTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(Math.abs(Date.parse(`${json.startTime}Z`) - Date.now())).toBeLessThan(120_000);
});

test("getQuery: returns the common fields and the fields of a split", async () => {
  const { json } = await f.call("GET", `/v1/${splitId}?query`);
  expect(fieldsOf(json)).toEqual(
    [...common, "inputFormat", "inputObjectKeys", "jobId", "outputDatabase", "outputTable", "schema"].sort(),
  );
  expect(json).toMatchObject({
    type: "split",
    processEngine: "mapreduce",
    dsl: "mapreduce",
    schema: "bigint id, string v",
    inputObjectKeys: ["dag://raw/in.csv"],
    inputFormat: "csv",
    outputDatabase: "data",
  });
  expect(json.jobId).toEqual(expect.any(String));
});

test("getQuery: a split without schema has a jobId and an empty schema at once, and then the columns that were found", async () => {
  const { json } = await f.split();
  const first = await f.call("GET", `/v1/${json.queryId}?query`);
  expect(first.json).toMatchObject({ jobId: `split-${json.queryId}`, schema: "" });
  expect(await ended(f.service, json.queryId)).toMatchObject({
    status: "finished",
    jobId: first.json.jobId,
    schema: "bigint _c0, string _c1",
  });
});

test("getQuery: returns a new query at once", async () => {
  const { json } = await f.select();
  expect((await f.call("GET", `/v1/${json.queryId}?query`)).status).toBe(200);
  await ended(f.service, json.queryId);
});

test("getQuery: refuses an ID that is not a positive integer (InvalidQueryId)", async () => {
  for (const id of ["0", "-1", "abc", "1.5", "1e3", "99999999999999999999", "%20"]) {
    expect((await f.call("GET", `/v1/${id}?query`)).json).toMatchObject({ code: "InvalidQueryId", status: 400 });
  }
});

test("getQuery: refuses an unknown ID (QueryNotFound)", async () => {
  const { status, json } = await f.call("GET", "/v1/999999?query");
  expect([status, json.code]).toEqual([404, "QueryNotFound"]);
});

test("listQueries: returns the fields of each query's type", async () => {
  const { status, json } = await f.call("GET", "/v1/?query&order=asc&max=2");
  expect(status).toBe(200);
  expect(json.queries.map(({ id }: { id: number }) => id)).toEqual([selectId, splitId]);
  expect(fieldsOf(json.queries[0])).toEqual([...common, "query", "stage"].sort());
  expect(fieldsOf(json.queries[1])).toEqual(common);
});

test("listQueries: returns pages by marker, newest first, until isTruncated is false", async () => {
  const ids: number[] = [];
  for (let marker = ""; ;) {
    const { json } = await f.call("GET", `/v1/?query&max=1${marker}`);
    ids.push(...json.queries.map(({ id }: { id: number }) => id));
    if (!json.isTruncated) break;
    marker = `&marker=${json.nextMarker}`;
  }
  expect(ids.length).toBeGreaterThanOrEqual(2);
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  expect(new Set(ids).size).toBe(ids.length);
});

test("listQueries: applies every filter", async () => {
  const ids = async (filter: string) => {
    const { json } = await f.call("GET", `/v1/?query&order=asc${filter}`);
    return json.queries.map(({ id }: { id: number }) => id);
  };
  expect(await ids("&labelPrefix=first-")).toEqual([selectId, splitId]);
  expect(await ids("&labelPrefix=first-&type=split")).toEqual([splitId]);
  expect(await ids("&labelPrefix=FIRST-")).toEqual([]);
  expect(await ids("&labelPrefix=first-&clusterName=c1&clusterNamePrefix=c&clusterRebooted=false")).toEqual([
    selectId,
    splitId,
  ]);
  expect(await ids("&labelPrefix=first-&clusterName=c")).toEqual([]);
  expect(await ids("&labelPrefix=first-&clusterRebooted=true")).toEqual([]);
  expect(await ids("&status=finished,%20error,&labelPrefix=first-")).toEqual([selectId, splitId]);
  expect(await ids("&status=canceled&labelPrefix=first-")).toEqual([]);
});

test("listQueries: refuses a parameter that is out of range, unknown or repeated (InvalidParameter)", async () => {
  for (const bad of [
    "max=0",
    "max=101",
    "max=x",
    "marker=0",
    "marker=x",
    "status=done",
    "type=x",
    "order=up",
    "clusterRebooted=1",
    "page=2",
    "max=1&max=2",
  ]) {
    const { status, json } = await f.call("GET", `/v1/?query&${bad}`);
    expect([bad, status, json.code]).toEqual([bad, 400, "InvalidParameter"]);
    expect(json.message).toContain(bad.split("=")[0]);
  }
});

test("listQueries: max is at most 100, which is also the default", async () => {
  expect((await f.call("GET", "/v1/?query&max=100")).status).toBe(200);
});

test("cancelQuery: answers 204 text/plain without a body when the query has ended", async () => {
  const { json } = await f.select({ query: slow });
  const { status, headers, text } = await f.call("DELETE", `/v1/${json.queryId}?query`);
  expect([status, text]).toEqual([204, ""]);
  expect(headers["content-type"]).toMatch(/^text\/plain/);
  expect((await f.call("GET", `/v1/${json.queryId}?query`)).json.status).toBe("canceled");
});

test("cancelQuery: accepts a Content-Type with an empty body", async () => {
  const { json } = await f.select({ query: slow });
  expect((await f.call("DELETE", `/v1/${json.queryId}?query`, { contentType: "application/json" })).status).toBe(204);
});

test("cancelQuery: refuses a query that has ended (InvalidQueryState)", async () => {
  expect((await f.call("DELETE", `/v1/${selectId}?query`)).json).toMatchObject({
    code: "InvalidQueryState",
    status: 400,
  });
});

test("cancelQuery: refuses an invalid ID (InvalidQueryId)", async () => {
  expect((await f.call("DELETE", "/v1/x?query")).json.code).toBe("InvalidQueryId");
});

test("cancelQuery: refuses an unknown ID (QueryNotFound)", async () => {
  expect((await f.call("DELETE", "/v1/999999?query")).json).toMatchObject({ code: "QueryNotFound", status: 404 });
});

test("getQueryLog: has the statement, the engine and the outcome", async () => {
  const { status, json } = await f.call("GET", `/v1/${selectId}/log?query`);
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(["log"]);
  expect(json.log).toContain(quick);
  expect(json.log).toContain("duckdb");
  expect(json.log).toMatch(/finished after \d+\.\d s\n$/);
});

test("getQueryLog: is available while the query is running", async () => {
  const { json } = await f.select({ query: slow });
  await expect
    .poll(async () => (await f.call("GET", `/v1/${json.queryId}/log?query`)).json.log)
    .toContain("running on duckdb");
  await f.call("DELETE", `/v1/${json.queryId}?query`);
});

test("getQueryLog: reports an unreadable log file without its path (InternalError)", async () => {
  const { json } = await f.select();
  await ended(f.service, json.queryId);
  const file = join(f.service.dataDirectory, `logs/c1/queries/0/${json.queryId}.log`);
  rmSync(file);
  mkdirSync(file);
  const answer = await f.call("GET", `/v1/${json.queryId}/log?query`);
  expect(answer.json).toMatchObject({ code: "InternalError", status: 500 });
  expect(answer.text).not.toMatch(/EISDIR|logs\/c1/);
});

test("getQueryLog: refuses a split (InvalidQueryType)", async () => {
  expect((await f.call("GET", `/v1/${splitId}/log?query`)).json).toMatchObject({
    code: "InvalidQueryType",
    status: 400,
  });
});

test("getQueryLog: refuses an invalid ID (InvalidQueryId)", async () => {
  expect((await f.call("GET", "/v1/0/log?query")).json.code).toBe("InvalidQueryId");
});

test("getQueryLog: refuses an unknown ID (QueryNotFound)", async () => {
  expect((await f.call("GET", "/v1/999999/log?query")).json).toMatchObject({ code: "QueryNotFound", status: 404 });
});

test("getQueryLog: refuses after a restart of the cluster (InvalidQueryState)", async () => {
  const { json } = await f.select({ clusterName: "c2" });
  await ended(f.service, json.queryId);
  await f.call("PUT", "/v1/c2?clusterManagement");
  await hasStatus(f.service, "c2", "norm");
  expect((await f.call("GET", `/v1/${json.queryId}/log?query`)).json).toMatchObject({
    code: "InvalidQueryState",
    status: 400,
  });
  const { json: page } = await f.call("GET", "/v1/?query&clusterRebooted=true");
  expect(page.queries.map(({ id }: { id: number }) => id)).toEqual([json.queryId]);
});
