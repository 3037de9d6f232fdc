import { beforeEach, expect, test } from "vitest";
import { connect } from "node:net";
import { once } from "node:events";
import { call, ended, send, signedHead } from "./caller";
import { quick, slow, useService } from "./fixture";

const f = useService();
const control = { "x-dag-control": "1" };
const put = (rules: unknown, path = "/_faults") => send(f.service.url, "PUT", path, control, JSON.stringify(rules));

beforeEach(async () => void (await send(f.service.url, "POST", "/_reset", control)));

test("faults: code answers an error and the operation is not run (ServiceUnavailable)", async () => {
  expect((await put([{ operation: "submitSelect", probability: 1, code: "ServiceUnavailable" }])).status).toBe(204);
  const { status, json } = await f.select();
  expect([status, json.code]).toEqual([503, "ServiceUnavailable"]);
  await put([]);
  expect((await f.call("GET", "/v1/?query")).json.queries).toEqual([]);
});

test("faults: latencyMs delays the response", async () => {
  await put([{ operation: "getCluster", probability: 1, latencyMs: 300 }]);
  const started = performance.now();
  expect((await f.call("GET", "/v1/c1?clusterManagement")).status).toBe(200);
  expect(performance.now() - started).toBeGreaterThanOrEqual(290);
});

test("faults: dropConnection before the operation leaves no query, after it leaves one", async () => {
  for (const [dropConnection, count] of [
    ["before", 0],
    [true, 0],
    ["after", 1],
  ] as const) {
    await put([{ operation: "submitSelect", probability: 1, dropConnection }]);
    await expect(f.select()).rejects.toThrow(/socket hang up|ECONNRESET/);
    await put([]);
    expect((await f.call("GET", "/v1/?query")).json.queries).toHaveLength(count);
  }
});

test.each(["select", "split"] as const)(
  "%s: a caller that leaves before it is accepted leaves no query",
  async (name) => {
    // It leaves while its submission is delayed; the delay of the next one ends later.
    const operation = name === "select" ? "submitSelect" : "submitSplit";
    await put([{ operation, probability: 1, latencyMs: 300 }]);
    const body = JSON.stringify(
      name === "select"
        ? { clusterName: "c1", query: quick, outputResourcePath: "dag://out/left" }
        : { clusterName: "c1", inputObjectKeys: ["dag://raw/in.csv"], outputDatabase: "data", outputTable: "left" },
    );
    const headers = { "Content-Type": "application/json", "Content-Length": String(body.length) };
    const { hostname, port } = new URL(f.service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.end(signedHead(f.service, "POST", `/v1/?${name}`, headers) + body);
    socket.destroySoon();
    await once(socket, "close");
    const { queryId } = (await f[name]()).json;
    expect((await f.call("GET", "/v1/?query")).json.queries.map(({ id }: { id: number }) => id)).toEqual([queryId]);
  },
);

test("faults: probability is the share of failing requests (TooManyRequests)", async () => {
  await put([{ operation: "*", probability: 0.5, code: "TooManyRequests" }]);
  const answers = await Promise.all(Array.from({ length: 200 }, () => f.call("GET", "/v1/c1?clusterManagement")));
  const hit = answers.filter(({ status }) => status === 429).length;
  expect(hit).toBeGreaterThan(50);
  expect(hit).toBeLessThan(150);
});

test("faults: invalid rules are refused and the current rules stay", async () => {
  await put([{ operation: "getQuery", probability: 1, code: "InternalError" }]);
  for (const rules of [
    {},
    [{ operation: "x", probability: 1, code: "InternalError" }],
    [{ operation: "getQuery", probability: 7, latencyMs: 1 }],
  ]) {
    expect((await put(rules)).json).toMatchObject({ code: "InvalidParameter", status: 400 });
  }
  const { json } = await put([{ operation: "getQuery", probability: 7, latencyMs: 1 }]);
  expect(json.message).toMatch(/^body\[0\]\.probability is not valid: .* a probability from 0 to 1/);
  expect((await send(f.service.url, "PUT", "/_faults", control, "{")).json.code).toBe("MalformedJSON");
  expect((await send(f.service.url, "GET", "/_faults", {})).json).toHaveLength(1);
});

test("clock: can be advanced, and the Date of requests is checked against it", async () => {
  const before = Date.now();
  expect((await put({ advanceMs: 3_600_000 }, "/_clock")).status).toBe(200);
  const late = await f.call("GET", "/v1/?query");
  expect(late.json.code).toBe("RequestTimeTooSkewed");
  const date = String(late.headers.date);
  expect(Date.parse(date) - before).toBeGreaterThan(3_590_000);
  const { json } = await call(f.service, "POST", "/v1/?select", {
    date,
    body: { clusterName: "c1", query: quick, outputResourcePath: "dag://out/hour" },
  });
  const { startTime } = (await call(f.service, "GET", `/v1/${json.queryId}?query`, { date })).json;
  expect(Date.parse(`${startTime}Z`) - before).toBeGreaterThan(3_590_000);
});

test.each([2 ** 53, 2 ** 53 - 1, 8.64e15, 36_525 * 86_400_000 + 1, -1, 0.5, "1"])(
  "clock: refuses to be advanced by %s ms, and callers are still served (InvalidParameter)",
  async (advanceMs) => {
    const { status, json } = await put({ advanceMs }, "/_clock");
    expect([status, json.code]).toEqual([400, "InvalidParameter"]);
    expect(json.message).toContain("advanceMs");
    expect((await f.call("GET", "/v1/?query&max=1")).status).toBe(200);
  },
);

test("clock: is at most 100 years ahead in all, and a reset returns it (InvalidParameter)", async () => {
  const year = 365 * 86_400_000;
  for (const _ of [1, 2]) expect((await put({ advanceMs: 50 * year }, "/_clock")).status).toBe(200);
  expect((await put({ advanceMs: year }, "/_clock")).json).toMatchObject({ status: 400, code: "InvalidParameter" });
  const late = await f.call("GET", "/v1/?query");
  const date = String(late.headers.date);
  expect((await call(f.service, "GET", "/v1/?query", { date })).status).toBe(200);
  expect((await send(f.service.url, "POST", "/_reset", control)).status).toBe(204);
  expect((await f.call("GET", "/v1/?query&max=1")).status).toBe(200);
});

test("reset: works while the retention deletes queries, as after an advance of the clock", async () => {
  for (let count = 0; count < 15; count += 1) {
    await ended(f.service, (await f.select({ outputResourcePath: `dag://out/old-${count}` })).json.queryId);
  }
  expect((await put({ advanceMs: 31 * 86_400_000 }, "/_clock")).status).toBe(200);
  expect((await send(f.service.url, "POST", "/_reset", control)).status).toBe(204);
  expect((await f.call("GET", "/v1/?query")).json.queries).toEqual([]);
});

test("reset: deletes queries and their results, restores rules and clock, and does not reuse IDs", async () => {
  const { queryId } = (await f.select({ outputResourcePath: "dag://out/kept" })).json;
  await ended(f.service, queryId);
  const split = await f.split({ outputTable: "reset_me" });
  await ended(f.service, split.json.queryId);
  const running = (await f.select({ query: slow })).json.queryId;
  await put([{ operation: "*", probability: 1, code: "InternalError" }]);
  expect((await send(f.service.url, "POST", "/_reset", control)).status).toBe(204);
  expect((await f.call("GET", "/v1/?query")).json.queries).toEqual([]);
  expect((await f.call("GET", `/v1/${running}?query`)).json.code).toBe("QueryNotFound");
  expect(f.get("data/reset_me/000000_0")).toBeUndefined();
  expect(f.get("out/kept/000000_0")).toBeUndefined();
  expect(f.entries("out").filter((name) => name.startsWith("tmp"))).toEqual([]);
  expect((await f.split({ outputTable: "reset_me" })).json.queryId).toBeGreaterThan(running);
});

test("controls: a request without the header x-dag-control is refused (AccessDenied)", async () => {
  await put([{ operation: "getQuery", probability: 1, code: "InternalError" }]);
  for (const [method, path] of [
    ["PUT", "/_faults"],
    ["PUT", "/_clock"],
    ["POST", "/_reset"],
  ] as const) {
    const { status, json } = await send(f.service.url, method, path, { "Content-Type": "text/plain" }, "[]");
    expect([status, json.code]).toEqual([403, "AccessDenied"]);
    expect(json.message).toContain("x-dag-control");
  }
  expect((await send(f.service.url, "GET", "/_faults", {})).json).toHaveLength(1);
});

test.each([
  { Host: "evil.example" },
  { Host: "127.0.0.1.evil.example" },
  { Host: "192.168.0.1:80" },
  { Origin: "http://evil.example" },
  { Origin: "null" },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
])("local paths: a request with %j is refused (AccessDenied)", async (headers) => {
  for (const path of ["/_faults", "/metrics", "/healthz"]) {
    const { status, json } = await send(f.service.url, "GET", path, headers as Record<string, string>);
    expect([status, json.code]).toEqual([403, "AccessDenied"]);
  }
  const all = { ...control, ...headers } as Record<string, string>;
  expect((await send(f.service.url, "POST", "/_reset", all)).json.code).toBe("AccessDenied");
});

test.each([
  { Host: "localhost:9393", Origin: "http://localhost:9393", "Sec-Fetch-Site": "same-origin" },
  { Host: "LOCALHOST" },
  { Host: "127.8.9.10:1" },
  { Host: "[::1]:9393" },
  { "Sec-Fetch-Site": "none" },
])("local paths: a request with %j is answered", async (headers) => {
  for (const path of ["/_faults", "/metrics", "/healthz"]) {
    expect((await send(f.service.url, "GET", path, headers as Record<string, string>)).status).toBe(200);
  }
});
