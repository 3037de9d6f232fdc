/** Malformed and hostile requests: each gets an API response or a closed connection, and the service continues. */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { pause, send, sendRaw, signedHead } from "../caller";
import { useService } from "../fixture";

const f = useService({ clusters: [{ name: "c1", instances: [{ grade: "small", quantity: 2 }] }] });

afterEach(async () => {
  const { status } = await f.call("GET", "/v1/?query&max=1");
  if (status !== 200) throw new Error(`the service answers ${status} after this test`);
});

/** Parses the headers and JSON body of a raw response. */
function parse(answer: string): { status: number; head: string; json: Record<string, unknown> } {
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, json: JSON.parse(body || "{}") };
}

test.each([
  ["a line of random text", "nonsense\r\n\r\n"],
  ["random bytes", randomBytes(500)],
  ["TLS", Buffer.from("16030100f1010000ed0303", "hex")],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["another version", "GET / HTTP/9.9\r\n\r\n"],
  ["an unknown method", "STEAL /v1/?query HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a header without a colon", "GET / HTTP/1.1\r\nHost x\r\n\r\n"],
  ["a NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n"],
  ["a blank before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n"],
  ["a bare newline in a header", "GET / HTTP/1.1\r\nHost: x\r\nX: a\n b: c\r\n\r\n"],
  ["two lengths", "POST /v1/?select HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
  [
    "a length and chunks",
    "POST /v1/?select HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a negative length", "POST /v1/?select HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
  ["a length that is not an integer", "POST /v1/?select HTTP/1.1\r\nHost: x\r\nContent-Length: 1e3\r\n\r\n"],
  ["a broken chunk", "POST /v1/?select HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ["an unknown transfer encoding", "POST /v1/?select HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nx"],
])("junk: %s gets status 400 with an API error body, and the connection is closed", async (_, bytes) => {
  const { status, json, head } = parse(await sendRaw(f.service.url, bytes));
  expect(status).toBe(400);
  expect(json).toMatchObject({ code: "InvalidParameter", status: 400, message: expect.any(String), resource: "" });
  expect(head.toLowerCase()).toContain(`x-svc-request-id: ${String(json.requestId)}`);
  expect(head.toLowerCase()).toContain("connection: close");
});

test("junk: a connection without a request is closed", async () => {
  const socket = connect(Number(new URL(f.service.url).port), "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.end();
  expect(await closed).toBe(false);
});

test.each([
  ["no Host", "GET /v1/?query HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["an invalid Host", "GET /v1/?query HTTP/1.1\r\nHost: a b/c?d#e\r\nConnection: close\r\n\r\n"],
  ["two Hosts", "GET /v1/?query HTTP/1.1\r\nHost: x\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
  ["an unknown expectation", "GET /v1/?query HTTP/1.1\r\nHost: x\r\nExpect: banana\r\nConnection: close\r\n\r\n"],
  ["an empty Host", "GET /v1/?query HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"],
  ["an absolute URL", "GET http://evil/v1/?query HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n"],
  ["a target that is not a path", "GET v1/?query HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["HTTP/1.0", "GET /v1/?query HTTP/1.0\r\n\r\n"],
  ["an upgrade", "GET /v1/?query HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n"],
])("odd requests: %s gets an API response", async (_, bytes) => {
  const { status, json, head } = parse(await sendRaw(f.service.url, bytes));
  expect([400, 403]).toContain(status);
  expect(json).toMatchObject({ code: expect.stringMatching(/^(InvalidParameter|AccessDenied)$/), status });
  expect(head.toLowerCase()).toContain("x-svc-request-id: ");
});

test("CONNECT: is refused with status 400 and an API error body", async () => {
  const answer = await sendRaw(f.service.url, "CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\n\r\n");
  expect(parse(answer)).toMatchObject({ status: 400, json: { code: "InvalidParameter", status: 400 } });
});

test.each(["/v1/?query", "/catalog"])(
  "authentication: several Authorization headers are refused at %s",
  async (path) => {
    const head = signedHead(f.service, "GET", path, { Connection: "close" });
    expect(parse(await sendRaw(f.service.url, head)).status).toBe(200);
    for (const second of ["IIJGIO AK:x", /^Authorization: (.*)\r$/m.exec(head)![1]!]) {
      const two = head.replace("\r\n\r\n", `\r\nauthorization: ${second}\r\n\r\n`);
      const { status, json } = parse(await sendRaw(f.service.url, two));
      expect([status, json.code, json.message]).toEqual([403, "AccessDenied", expect.stringContaining("send one")]);
    }
  },
);

test("heads: larger than 16 KiB (EntityTooLarge)", async () => {
  const big = `GET /v1/?query HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(50_000)}\r\n\r\n`;
  expect(parse(await sendRaw(f.service.url, big))).toMatchObject({ status: 413, json: { code: "EntityTooLarge" } });
  const longLine = `GET /v1/?query&labelPrefix=${"x".repeat(50_000)} HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(parse(await sendRaw(f.service.url, longLine)).status).toBe(413);
});

test("bodies: 10 MB without authentication are refused and not held in memory", async () => {
  const { status, json } = await send(
    f.service.url,
    "POST",
    "/v1/?select",
    { "Content-Length": "10000000" },
    Buffer.alloc(10_000_000),
  );
  expect([status, json.code]).toEqual([403, "AccessDenied"]);
});

test("bodies: refuses 10 MB in chunks without Content-Length (EntityTooLarge)", async () => {
  const { status, json } = await f.call("POST", "/v1/?select", {
    body: Buffer.alloc(10_000_000, 0x20),
    headers: { "Transfer-Encoding": "chunked" },
    without: ["Content-Length"],
  });
  expect([status, json.code]).toEqual([413, "EntityTooLarge"]);
});

test("bodies: a Content-Length of a terabyte is refused at once (EntityTooLarge)", async () => {
  const { status } = await f
    .call("POST", "/v1/?select", { body: "{}", headers: { "Content-Length": "1000000000000" } })
    .catch(() => ({ status: 413 }));
  expect(status).toBe(413);
});

test.each([
  ["500,000 levels of lists", `{"label":${"[".repeat(500_000)}${"]".repeat(500_000)}}`, "MalformedJSON"],
  ["200,000 levels of objects", `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`, "MalformedJSON"],
  [
    "100,000 unknown fields",
    `{${Array.from({ length: 60_000 }, (_, n) => `"f${n}":1`).join(",")}}`,
    "InvalidClusterName",
  ],
  ["__proto__", '{"__proto__":{"clusterName":"c1"}}', "InvalidClusterName"],
  ["constructor", '{"constructor":{"prototype":{"x":1}}}', "InvalidClusterName"],
  ["a number for every text", '{"clusterName":1,"query":2,"outputResourcePath":3}', "InvalidClusterName"],
  ["a huge number", `{"clusterName":${"9".repeat(100_000)}}`, "InvalidClusterName"],
  ["an unfinished text with 500,000 quotes", `{"a":"${'\\"'.repeat(500_000)}`, "MalformedJSON"],
  ["lone surrogates", '{"clusterName":"\\ud800"}', "InvalidClusterName"],
])("JSON: %s gets an API response", async (_, body, code) => {
  const { json, status } = await f.call("POST", "/v1/?select", { body });
  expect([status, json.code]).toEqual([400, code]);
  expect(json.message.length).toBeLessThan(2000);
});

test.each([
  ["label", { label: "a\ud83e" }, "LabelIsTooLong"],
  ["query", { query: "select '\udd89' x" }, "InvalidDMLStatement"],
  ["outputResourcePath", { outputResourcePath: "dag://out/\ud83e" }, "InvalidOutputResourcePath"],
])("JSON: half a surrogate pair in %s is refused, and the field is named", async (field, overrides, code) => {
  const { status, json } = await f.select(overrides);
  expect([status, json.code]).toEqual([400, code]);
  expect(json.message).toMatch(new RegExp(`^${field} `));
});

test.each([
  ["UTF-16", Buffer.from('{"clusterName":"c1"}', "utf16le")],
  ["Latin-1", Buffer.from('{"clusterName":"\xe9"}', "latin1")],
  ["overlong UTF-8", Buffer.concat([Buffer.from('{"clusterName":"'), Buffer.from([0xc0, 0xae]), Buffer.from('"}')])],
])("encodings: refuses a body in %s (MalformedJSON)", async (_, body) => {
  expect((await f.call("POST", "/v1/?select", { body })).json.code).toBe("MalformedJSON");
});

test("encodings: refuses a compressed body (MalformedJSON)", async () => {
  const { gzipSync } = await import("node:zlib");
  const { json } = await f.call("POST", "/v1/?select", {
    body: gzipSync("{}"),
    headers: { "Content-Encoding": "gzip" },
  });
  expect(json.code).toBe("MalformedJSON");
});

test("encodings: refuses a body in another transfer encoding than chunked (MalformedJSON)", async () => {
  for (const encoding of ["foo, chunked", "gzip, chunked"]) {
    const body = JSON.stringify({ clusterName: "c1", query: "select 1", outputResourcePath: "dag://out/encoded/" });
    const headers = { "Content-Type": "application/json", "Transfer-Encoding": encoding, Connection: "close" };
    const head = signedHead(f.service, "POST", "/v1/?select", headers);
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const { status, json } = parse(await sendRaw(f.service.url, head + chunks));
    expect([status, json.code]).toEqual([400, "MalformedJSON"]);
  }
});

test.each([
  "dag://out/../data/x",
  "dag://out/a/../../../etc/passwd",
  "dag://out/./x",
  "dag://out//x",
  "dag://../etc/x",
  "dag://./x/y",
  "dag://out\\..\\x/y",
  "dag://out/a\\b",
  "dag://out/\u0000/x",
  "dag://out/x\n/y",
  "dag:///etc/passwd",
  "DAG://out/x",
  "file:///etc/passwd",
  "/etc/passwd",
  "dag://out/%2e%2e/%2e%2e/x/../y",
  "dag://user@out/x",
  "dag://out:80/x",
  `dag://out/${"x".repeat(2000)}`,
  `dag://out/${"x".repeat(300)}/y`,
])("paths: outputResourcePath %j is refused (InvalidOutputResourcePath)", async (outputResourcePath) => {
  expect((await f.select({ outputResourcePath })).json.code).toBe("InvalidOutputResourcePath");
});

test.each([
  ["GET", "/v1/../metrics"],
  ["GET", "/v1/%2e%2e/metrics"],
  ["PUT", "/v1/%2e%2e/_faults"],
  ["PUT", "/v1/%2E./_clock"],
  ["GET", "/v1/./../healthz"],
  ["GET", "/v1/.."],
  ["GET", "/v1/..?query"],
  ["GET", "//healthz"],
  ["GET", "/v1//healthz"],
  ["GET", "/v1/..%2fmetrics"],
  ["GET", "/v1/..%5Cmetrics"],
  ["GET", "/v1/..\\metrics"],
  ["GET", "/\\metrics"],
  ["GET", "/%6detrics"],
  ["GET", "/v1/%00?clusterManagement"],
  ["GET", "/v1/c1%0d%0aX:%20y?clusterManagement"],
  ["GET", "/metrics#/v1/"],
  ["GET", "/v1/?query#x"],
  ["GET", "http://localhost/metrics"],
  ["GET", "http://localhost/v1/?query"],
  ["GET", "HTTP:/metrics"],
  ["GET", "metrics"],
  ["GET", "?query"],
  ["GET", "/v1/\u00e9?clusterManagement"],
  ["GET", "/v1/?query&labelPrefix=\u00e9"],
  ["OPTIONS", "*"],
])("targets: %s %s is refused before anything else sees it (InvalidParameter)", async (method, target) => {
  const request = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nx-dag-control: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]`;
  const { status, json } = parse(await sendRaw(f.service.url, Buffer.from(request)));
  expect([status, json["code"]]).toEqual([400, "InvalidParameter"]);
});

test.each([
  "/v1/?query&labelPrefix=..%2f%2e%2e%5c//%23%00%E3%81%82&max=1",
  '/v1/?query&labelPrefix=a/../b//c|d"e',
  "/v1/?query&max=1&&",
])("targets: %s is taken, because a query string may hold any encoding", async (target) => {
  expect((await f.call("GET", target)).status).toBe(200);
});

test.each(["/v1/a%20b?clusterManagement", "/v1/%E3%81%82?clusterManagement", "/v1/c1%3Fx?clusterManagement"])(
  "paths: %s names no cluster (InvalidClusterName)",
  async (target) => {
    const { status, json } = await f.call("GET", target);
    expect([status, json.code]).toEqual([400, "InvalidClusterName"]);
  },
);

test("query strings: refuses invalid percent-encodings and a thousand parameters (InvalidParameter)", async () => {
  for (const query of [
    "labelPrefix=%",
    "labelPrefix=%zz",
    "%ff=1",
    "status=%c0%ae",
    Array.from({ length: 900 }, (_, n) => `p${n}=1`).join("&"),
  ]) {
    expect((await f.call("GET", `/v1/?query&${query}`)).json).toMatchObject({ code: "InvalidParameter", status: 400 });
  }
});

test("query strings: SQL and patterns are treated as plain text", async () => {
  for (const text of ["'", "%", "_", "' OR 1=1 --", "\u{10ffff}", "*", "\\"]) {
    const { status, json } = await f.call("GET", `/v1/?query&labelPrefix=${encodeURIComponent(text)}`);
    expect([status, json.queries]).toEqual([200, []]);
  }
});

test(
  "slow requests: a head or a body that does not come to its end (RequestTimeout)",
  { timeout: 90_000 },
  async () => {
    const head = sendRaw(f.service.url, "GET /v1/?query HTTP/1.1\r\nHost: x\r\n", 30_000);
    const body = f.call("POST", "/v1/?select", { body: "{", headers: { "Content-Length": "9" } });
    expect(parse(await head)).toMatchObject({ status: 408, json: { code: "RequestTimeout" } });
    expect(await body).toMatchObject({ status: 408, json: { code: "RequestTimeout" } });
  },
);

test("pipelined requests are answered in order", async () => {
  const one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const answer = await sendRaw(f.service.url, one + one + one.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
});

test("connections that are closed in the middle of a body leave no query", async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const socket = connect(Number(new URL(f.service.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("POST /v1/?select HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{");
    await pause(2);
    socket.destroy();
  }
  expect((await f.call("GET", "/v1/?query")).json.queries).toEqual([]);
});

test("Host: two of them are refused, also where the first is this machine (InvalidParameter)", async () => {
  const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
  expect(parse(await sendRaw(f.service.url, request))).toMatchObject({
    status: 400,
    json: { code: "InvalidParameter" },
  });
});

test.each(["9007199254740993", "9999999999999999", "99999999999999999999"])(
  "paths: the query ID %s is refused as it was sent (InvalidQueryId)",
  async (id) => {
    const { status, json } = await f.call("GET", `/v1/${id}?query`);
    expect([status, json.code]).toEqual([400, "InvalidQueryId"]);
    expect(json.message).toContain(id);
  },
);

test("healthz: answers HTTP/1.0, which has no Host header", async () => {
  const answer = parse(await sendRaw(f.service.url, "GET /healthz HTTP/1.0\r\n\r\n"));
  expect([answer.status, answer.json["status"]]).toEqual([200, "ok"]);
});
