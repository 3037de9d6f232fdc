import { expect, test } from "vitest";
import { operationNames, operations } from "../../../contract";
import { call, pause, send } from "./caller";
import { useService } from "./fixture";

const f = useService({ clusters: [{ name: "c1", instances: [{ grade: "small", quantity: 2 }] }] });

test("authentication: refuses a request without an Authorization header (AccessDenied)", async () => {
  const { status, json } = await f.call("GET", "/v1/?query", { without: ["Authorization"] });
  expect([status, json.code]).toEqual([403, "AccessDenied"]);
});

test("authentication: refuses another scheme (AccessDenied)", async () => {
  expect((await f.call("GET", "/v1/?query", { scheme: "AWS" })).json.code).toBe("AccessDenied");
});

test("authentication: refuses a request without a Date header (AccessDenied)", async () => {
  expect((await f.call("GET", "/v1/?query", { without: ["Date"] })).json.code).toBe("AccessDenied");
});

test("authentication: refuses an unknown access key (InvalidAccessKeyId)", async () => {
  expect((await f.call("GET", "/v1/?query", { accessKeyId: "NOBODY" })).json).toMatchObject({
    code: "InvalidAccessKeyId",
    status: 403,
  });
});

test("authentication: refuses a signature with a wrong secret (SignatureDoesNotMatch)", async () => {
  expect((await f.call("GET", "/v1/?query", { secretAccessKey: "wrong" })).json).toMatchObject({
    code: "SignatureDoesNotMatch",
    status: 403,
  });
});

test("authentication: refuses a Date that differs by more than 15 minutes and returns its own Date (RequestTimeTooSkewed)", async () => {
  const date = new Date(Date.now() - 901_000).toUTCString();
  const { status, json, headers } = await f.call("GET", "/v1/?query", { date });
  expect([status, json.code]).toEqual([403, "RequestTimeTooSkewed"]);
  expect(Math.abs(Date.parse(String(headers.date)) - Date.now())).toBeLessThan(5000);
});

test("authentication: is checked before everything else", async () => {
  for (const [method, target, body] of [
    ["GET", "/nowhere"],
    ["POST", "/v1/?select", "{"],
    ["TRACE", "/v1/?query"],
  ] as const) {
    expect((await f.call(method, target, { body, secretAccessKey: "wrong" })).json.code).toBe("SignatureDoesNotMatch");
  }
});

test.each(operationNames)("authentication: %s answers nothing without it (AccessDenied)", async (name) => {
  const { method, path, key } = operations[name];
  const target = `${path.replace("{queryId}", "1").replace("{clusterName}", "c1")}?${key}`;
  const { status, json } = await send(f.service.url, method, target, { "Content-Length": "0" });
  expect([status, json.code]).toEqual([403, "AccessDenied"]);
});

test("answers: have the documented headers for success and error", async () => {
  for (const target of ["/v1/c1?clusterManagement", "/v1/7?query"]) {
    const { headers, text } = await f.call("GET", target);
    expect(headers["x-svc-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.server).toBe("dag-service");
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    expect(headers.date).toMatch(/ GMT$/);
    expect(headers.connection).toBeDefined();
  }
});

test("answers: every request has a unique ID", async () => {
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => (await f.call("GET", "/v1/?query")).headers["x-svc-request-id"]),
  );
  expect(new Set(ids).size).toBe(5);
});

test("errors: have code, message, status, requestId and resource only", async () => {
  const { json, headers, status } = await f.call("GET", "/v1/7?query");
  expect(json).toEqual({
    code: "QueryNotFound",
    message: "query 7 does not exist",
    status,
    requestId: headers["x-svc-request-id"],
    resource: "/v1/7?query",
  });
});

test("routing: refuses an unknown path or operation key (ResourceNotFound)", async () => {
  for (const target of ["/", "/v2/?query", "/v1/?table", "/v1/c1/nothing?clusterManagement", "/v1/", "/console"]) {
    expect((await f.call("GET", target)).json).toMatchObject({ code: "ResourceNotFound", status: 404 });
  }
});

test("routing: refuses an unknown method (MethodNotAllowed)", async () => {
  for (const [method, target] of [
    ["POST", "/v1/?query"],
    ["PATCH", "/v1/c1?clusterManagement"],
    ["OPTIONS", "/v1/?select"],
    ["PUT", "/v1/7?query"],
  ] as const) {
    expect((await f.call(method, target)).json).toMatchObject({ code: "MethodNotAllowed", status: 405 });
  }
  expect((await f.call("HEAD", "/v1/?query")).status).toBe(405);
  expect((await f.call("POST", "/v1/7?query")).headers.allow).toBe("GET, DELETE");
});

test("tolerance: accepts any Accept header", async () => {
  for (const Accept of ["*/*; q=0.5, application/xml", "text/html", "nonsense"]) {
    const { status, headers } = await f.call("GET", "/v1/?query&max=1", { headers: { Accept } });
    expect([status, headers["content-type"]]).toEqual([200, expect.stringMatching(/^application\/json/)]);
  }
});

test("tolerance: accepts Content-Length: 0 and a Content-Type on GET", async () => {
  expect((await f.call("GET", "/v1/?query", { headers: { "Content-Length": "0" } })).status).toBe(200);
  expect((await f.call("GET", "/v1/?query", { contentType: "application/json" })).status).toBe(200);
});

test("tolerance: accepts the operation key first, last, or with an empty value", async () => {
  for (const target of ["/v1/?query&max=1", "/v1/?max=1&query"]) expect((await f.call("GET", target)).status).toBe(200);
});

test("tolerance: reads a body of any Content-Type as JSON", async () => {
  const { json } = await f.call("POST", "/v1/?select", {
    body: "{}",
    contentType: "application/x-www-form-urlencoded",
  });
  expect(json.code).toBe("InvalidClusterName");
});

test("bodies: refuses a body that is not a JSON object (MalformedJSON)", async () => {
  for (const body of ["", "{", "[1]", "null", "select 1", "\ufeff{"]) {
    expect((await f.call("POST", "/v1/?select", { body })).json).toMatchObject({ code: "MalformedJSON", status: 400 });
  }
});

test("bodies: refuses a field that is given twice (MalformedJSON)", async () => {
  const fields = '"query":"select 1","outputResourcePath":"dag://out/a/","output\\u0052esourcePath" : "dag://out/b/"';
  const { json } = await f.call("POST", "/v1/?select", { body: `{"clusterName":"c1",${fields}}` });
  expect(json).toMatchObject({
    code: "MalformedJSON",
    message: 'the request body has the field "outputResourcePath" twice',
  });
});

test("bodies: refuses more than 1 MiB (EntityTooLarge)", async () => {
  const { status, json, headers } = await f.call("POST", "/v1/?select", { body: Buffer.alloc(10_000_000, 0x20) });
  expect([status, json.code]).toEqual([413, "EntityTooLarge"]);
  expect(headers["x-svc-request-id"]).toBe(json.requestId);
});

test("bodies: accepts exactly 1 MiB", async () => {
  expect((await f.call("POST", "/v1/?select", { body: Buffer.alloc(1_048_576, 0x20) })).json.code).toBe(
    "MalformedJSON",
  );
  expect((await f.call("POST", "/v1/?select", { body: Buffer.alloc(1_048_577, 0x20) })).json.code).toBe(
    "EntityTooLarge",
  );
});

test("healthz and metrics: need no authentication", async () => {
  const health = await send(f.service.url, "GET", "/healthz", {});
  expect([health.status, health.json]).toEqual([200, { status: "ok", clusters: [{ name: "c1", status: "norm" }] }]);
  expect(health.headers["x-svc-request-id"]).toBeDefined();
  const { status, text, headers } = await send(f.service.url, "GET", "/metrics", {});
  expect(status).toBe(200);
  expect(headers["content-type"]).toMatch(/^text\/plain/);
  expect(text).toMatch(/dag_cluster_status\{cluster="c1",status="norm"\} 1/);
  expect(text).toMatch(/dag_query_slots\{cluster="c1"\} 1/);
  expect(text).toMatch(/dag_request_duration_seconds_count\{operation="listQueries",status="200",code=""\}/);
});

test("connections: are kept alive for the next request", async () => {
  const { Agent, request } = await import("node:http");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reused: boolean[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve, reject) => {
      const sent = request(`${f.service.url}/healthz`, { agent }, (response) => {
        reused.push(sent.reusedSocket);
        response.resume().on("end", resolve);
      });
      sent.on("error", reject).end();
    });
    await pause(5);
  }
  agent.destroy();
  expect(reused).toEqual([false, true, true]);
});

test("signature: scheme and header prefix come from the config", async () => {
  const { startService } = await import("dag-service/testing");
  await using service = await startService({
    signature: { scheme: "OTHER", headerPrefix: "x-other-", maxSkewSeconds: 5 },
  });
  const { status, headers } = await call(service, "GET", "/v1/?query", { scheme: "OTHER" });
  expect(status).toBe(200);
  expect(headers["x-other-request-id"]).toBeDefined();
  const late = new Date(Date.now() - 10_000).toUTCString();
  expect((await call(service, "GET", "/v1/?query", { scheme: "OTHER", date: late })).json.code).toBe(
    "RequestTimeTooSkewed",
  );
});
