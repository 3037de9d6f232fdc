import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { accessOf } from "../../../../service/cli/access";
import { CommandError } from "../../../../service/cli/command-error";
import { runStatement, type StatementOptions } from "../../../../service/cli/run-statement";

type Answers = Readonly<Record<string, object | ((response: ServerResponse) => void)>>;

/** A result of one object, of a service that answers each operation. */
const working: Answers = {
  "GET /v1/?clusterManagement&order=asc&status=norm,ptfailed": {
    isTruncated: false,
    clusters: [{ name: "c1", status: "norm", type: "duckdb", instances: [], debug: false }],
  },
  "POST /v1/?select": { queryId: 7 },
  "GET /v1/7?query": {
    id: 7,
    type: "select",
    processEngine: "mapreduce",
    dsl: "hive",
    status: "finished",
    clusterName: "c1",
    clusterRebooted: false,
    accessKeyId: "AK",
    startTime: "2026-11-20 13:46:11",
    progress: "100%",
    stage: 1,
    query: "SELECT 1",
    outputFormat: "tsv",
    outputResourcePath: "dag://results/a/",
  },
  "GET /v1/7/log?query": { queryId: 7, log: "2026-11-20T13:46:11.000Z select\n" },
  "GET /results/7": {
    location: "dag://results/a/",
    page: { objects: [], isTruncated: false },
    columns: ["n"],
    sample: { rows: [["1"]], isTruncated: false },
  },
  "GET /objects?prefix=dag%3A%2F%2Fresults%2Fa%2F": {
    isTruncated: false,
    objects: [{ location: "dag://results/a/0", size: 2, lastModified: "2026-11-20T13:46:11Z" }],
  },
  "GET /objects/results/a/0": (response) => void response.end("1\n"),
};

const page = (response: ServerResponse) => void response.end("<html>hello</html>");

async function run(
  answers: Answers,
  options: Partial<StatementOptions> = {},
  { signal } = new AbortController(),
): Promise<unknown> {
  const server = createServer((request, response) => {
    request.resume();
    const found = answers[`${request.method} ${request.url}`] ?? page;
    if (typeof found === "function") found(response);
    else response.end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => output.mockRestore());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { endpoint, credentials: { accessKeyId: "AK", secretAccessKey: "secret" }, scheme: undefined };
  return runStatement(access, "SELECT 1", { format: "csv", ...options }, signal).catch((error) => error);
}

test("sql: the answers of a service are a result", async () => {
  expect(await run(working)).toBe(0);
});

test.each<[string, Answers, RegExp]>([
  ["pages with status 200", {}, /gave an answer to GET \/v1\/\?clusterManagement\S* that is not of the API/],
  [
    "an error that is not of the API",
    { ...working, "POST /v1/?select": (response) => void response.writeHead(404).end("<html>not found</html>") },
    /gave status 404 without an error of the API/,
  ],
  [
    "a location that is not of the API",
    {
      ...working,
      "GET /objects?prefix=dag%3A%2F%2Fresults%2Fa%2F": {
        isTruncated: false,
        objects: [{ location: "s3://a/../b", size: 2, lastModified: "" }],
      },
    },
    /gave a list of objects with a location/,
  ],
])("sql: %s: the endpoint is another server, and cannot be called", async (_, answers, message) => {
  const error = await run(answers);
  expect(error).toBeInstanceOf(CommandError);
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  expect((error as Error).message).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+ gave .*: name the service's own URL with --endpoint$/,
  );
});

test("sql --output: of a service that cannot tell whose objects are, any are refused without --overwrite", async () => {
  const output = "dag://results/a/";
  const answers: Answers = {
    ...working,
    "GET /outputs/results/a/": (response) =>
      void response.writeHead(404).end(
        JSON.stringify({
          code: "ResourceNotFound",
          message: "no operation",
          status: 404,
          requestId: "r",
          resource: "/",
        }),
      ),
    "GET /objects?prefix=dag%3A%2F%2Fresults%2Fa%2F&max=1": working["GET /objects?prefix=dag%3A%2F%2Fresults%2Fa%2F"]!,
  };
  expect(await run(answers, { output })).toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^dag:\/\/results\/a\/ has objects, .* cannot tell whose they are, .*--overwrite$/),
  });
  expect(await run(answers, { output, overwrite: true })).toBe(0);
});

const cut = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { "content-length": 100 });
  response.write(text, () => response.destroy());
};

test.each([
  ["a connection that breaks within the answer", cut('{"queryId":')],
  ["a page of a proxy with status 502", (response: ServerResponse) => void response.writeHead(502).end("<html>")],
])("sql: %s to a submission is told when no query is found, and nothing is submitted again", async (_, answer) => {
  const submit = vi.fn<(response: ServerResponse) => void>(answer);
  expect(await run({ ...working, "POST /v1/?select": submit }, { patience: 300 })).toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      /^the statement was sent, and its answer was lost \(.+\): it may have been accepted, and would write to dag:\S+\/([\w-]{36})\/\. Look for a query with the label "dag-service sql \1" at http:\S+\/console\/queries\?label=dag-service\+sql\+\1 before/,
    ),
  });
  expect(submit).toHaveBeenCalledTimes(1);
});

test.each<[string, Answers[string] | undefined]>([
  ["at once", undefined],
  ["after a look that finds none", { isTruncated: false, queries: [] }],
  ["after a look without an answer", (response: ServerResponse) => void response.destroy()],
])("sql: a query whose submission had no answer is found by its label, %s", async (_, first) => {
  const list = { isTruncated: false, queries: [working["GET /v1/7?query"] as object] };
  const looks = first === undefined ? [] : [first];
  let target = "";
  const answers = new Proxy<Answers>(
    { ...working, "POST /v1/?select": cut("{") },
    {
      get: (given, name: string) => {
        if (!name.startsWith("GET /v1/?query&labelPrefix=")) return given[name];
        target = name;
        return looks.shift() ?? list;
      },
    },
  );
  expect(await run(answers)).toBe(0);
  expect(decodeURIComponent(target)).toMatch(/=dag-service sql [\w-]{36}$/);
});

const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
const failed = { ...(working["GET /v1/7?query"] as object), status: "error" };

test.each<[string, Answers, string]>([
  ["its record, whose connection breaks", { "GET /v1/7?query": cut('{"id":') }, "was accepted and goes on"],
  ["its record with status 503", { "GET /v1/7?query": status(503) }, "was accepted and goes on"],
  ["the place of its rows", { "GET /results/7": status(504) }, "finished, but its rows could not be read"],
  ["an object", { "GET /objects/results/a/0": status(503) }, "finished, but its rows could not be read"],
  ["the end of an object", { "GET /objects/results/a/0": cut("1\n2") }, "finished, but its rows could not be read"],
  [
    "the log of a failed query",
    { "GET /v1/7?query": failed, "GET /v1/7/log?query": status(503) },
    "ended as error, but its log could not be read",
  ],
])("sql: an accepted query that cannot be followed to %s is named, with exit code 1", async (_, answers, state) => {
  const submit = vi.fn<(response: ServerResponse) => void>((response) => void response.end('{"queryId":7}'));
  const given = { ...working, "POST /v1/?select": submit, ...answers };
  const error = await run(given, { patience: 0 });
  expect(error).toBeInstanceOf(CommandError);
  const { exitCode, message } = error as CommandError;
  expect(exitCode).toBe(1);
  expect(message.slice(0, 8 + state.length)).toBe(`query 7 ${state}`);
  expect(message).toMatch(/ http:\S+\/console\/queries\/7 and GET \/v1\/7\?query show it \(no answer from http:\S+: ./);
  expect(submit).toHaveBeenCalledTimes(1);
});

const refusal = (code: string, answerStatus: number, headers: Record<string, string> = {}) => {
  const error = { code, message: "no", status: answerStatus, requestId: "r", resource: "/" };
  return (response: ServerResponse) => void response.writeHead(answerStatus, headers).end(JSON.stringify(error));
};

/** Gives the first answer once, and the other one after it. */
const firstly = (first: (response: ServerResponse) => void, then: object) => {
  let isFirst = true;
  return (response: ServerResponse) => {
    if (!isFirst) return void response.end(JSON.stringify(then));
    isFirst = false;
    return first(response);
  };
};

test.each([
  ["429, after its Retry-After", refusal("TooManyRequests", 429, { "Retry-After": "1" }), 1000],
  ["500", refusal("InternalError", 500), 0],
])("sql: a GET about an accepted query is sent again after %s", async (_, first, least) => {
  const log = working["GET /v1/7/log?query"] as object;
  const started = performance.now();
  const answers = { "GET /v1/7?query": firstly(first, working["GET /v1/7?query"]!), "GET /v1/7/log?query": log };
  expect(await run({ ...working, ...answers })).toBe(0);
  expect(performance.now() - started).toBeGreaterThanOrEqual(least);
});

test.each<[string, Answers, RegExp]>([
  [
    "an unknown key",
    { "GET /v1/7?query": refusal("InvalidAccessKeyId", 403) },
    /^query 7 was accepted and may go on: its rows will be in dag:\S+, and .* show it \(InvalidAccessKeyId: no/,
  ],
  [
    "an error that lasts",
    { "GET /v1/7?query": refusal("InternalError", 500) },
    /^query 7 was accepted and may go on: .* \(InternalError: no/,
  ],
  [
    "an answer that is not of the API",
    { "GET /results/7": { nope: 1 } },
    /^query 7 finished, but its rows could not be read: their folder is dag:\S+, and .* \(http:\S+ gave an answer to GET/,
  ],
])("sql: a query that was accepted is named with exit code 1 after %s", async (_, answers, message) => {
  const given = { ...working, ...answers };
  expect(await run(given, { patience: 0 })).toMatchObject({ exitCode: 1, message: expect.stringMatching(message) });
});

test.each([
  ["status 502", status(502)],
  ["InvalidAccessKeyId", refusal("InvalidAccessKeyId", 403)],
])("sql: a log that cannot be read (%s) does not keep the rows from being printed", async (_, answer) => {
  const messages = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => messages.mockRestore());
  expect(await run({ ...working, "GET /v1/7/log?query": answer }, { patience: 0 })).toBe(0);
  expect(messages.mock.calls.map(([text]) => String(text)).join("")).toMatch(
    /^dag-service: the log of query 7 could not be read, and may have warnings: GET \/v1\/7\/log\?query returns it \(.+\)\n$/,
  );
});

const running = { ...(working["GET /v1/7?query"] as object), status: "running" };

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  [
    "refused",
    refusal("InvalidAccessKeyId", 403),
    /^query 7 could not be cancelled and may still run: .* dag:\S+, and .*; cancel it there, .* \(InvalidAccessKeyId: no/,
  ],
  ["failed", refusal("InternalError", 500), /^query 7 could not be cancelled and may still run: /],
  ["too late", refusal("InvalidQueryState", 409), /^query 7 was not cancelled: .* show it \(InvalidQueryState: no/],
])("sql: a cancel that is %s is told with exit code 1", async (_, answer, message) => {
  const stop = new AbortController();
  const follow = (response: ServerResponse) => {
    stop.abort();
    response.end(JSON.stringify(running));
  };
  expect(
    await run({ ...working, "GET /v1/7?query": follow, "DELETE /v1/7?query": answer }, { patience: 0 }, stop),
  ).toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(message),
  });
});

test("sql: Ctrl-C cancels also while the service gives no answer about the query", async () => {
  const stop = new AbortController();
  const fail = (response: ServerResponse) => {
    stop.abort();
    refusal("InternalError", 500)(response);
  };
  const cancelled = (response: ServerResponse) => void response.writeHead(204).end();
  expect(await run({ ...working, "GET /v1/7?query": fail, "DELETE /v1/7?query": cancelled }, {}, stop)).toBe(130);
});

test("sql: without --cluster, the first by name that has more than one instance runs the statement", async () => {
  const cluster = (name: string, quantity: number) => ({
    name,
    status: "norm",
    type: "duckdb",
    instances: [{ grade: "standard", quantity }],
    debug: false,
  });
  const target = "GET /v1/?clusterManagement&order=asc&status=norm,ptfailed";
  const bodies: string[] = [];
  const submit = (response: ServerResponse) => {
    response.req.on("data", (chunk) => bodies.push(String(chunk)));
    response.req.once("end", () => response.end('{"queryId":7}'));
  };
  const clusters = [cluster("aaa", 1), cluster("team", 3), cluster("zzz", 2)];
  const answers = { ...working, [target]: { isTruncated: false, clusters }, "POST /v1/?select": submit };
  expect(await run(answers)).toBe(0);
  expect(JSON.parse(bodies.join(""))).toMatchObject({ clusterName: "team" });
});

test("sql: a failed TLS handshake is told with its reason and the certificate's variable", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { endpoint, credentials: { accessKeyId: "AK", secretAccessKey: "secret" }, scheme: undefined };
  const { signal } = new AbortController();
  await expect(runStatement(access, "SELECT 1", { format: "csv" }, signal)).rejects.toThrow(
    /^no service answers at https:\S+ \(the TLS handshake failed: [a-z ]+\): check the address and the proxy\. .*NODE_EXTRA_CA_CERTS/,
  );
});

test.each([
  ["DAG_ACCESS_KEY_ID", "DAG_SECRET_ACCESS_KEY"],
  ["DAG_SECRET_ACCESS_KEY", "DAG_ACCESS_KEY_ID"],
])("sql: %s without %s is refused", (set, missing) => {
  vi.stubEnv(set, "value");
  vi.stubEnv(missing, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => accessOf({})).toThrow(`${set} is set, but ${missing} is not: set both`);
});
