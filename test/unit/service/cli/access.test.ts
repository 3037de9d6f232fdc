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

async function run(answers: Answers, options: Partial<StatementOptions> = {}): Promise<unknown> {
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
  return runStatement(access, "SELECT 1", { format: "csv", ...options }, new AbortController().signal).catch(
    (error) => error,
  );
}

test("sql: the answers of a service are a result", async () => {
  expect(await run(working)).toBe(0);
});

test.each<[string, Answers, RegExp]>([
  ["pages with status 200", {}, /gave an answer to GET \/v1\/\?clusterManagement\S* that is not of the API/],
  ["another JSON", { ...working, "GET /results/7": { nope: 1 } }, /gave an answer to GET \/results\/7 that is not/],
  [
    "an error that is not of the API",
    { ...working, "POST /v1/?select": (response) => void response.writeHead(502).end("<html>bad gateway</html>") },
    /gave status 502 without an error of the API/,
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

test("sql: a connection that breaks within the answer to a submission is told, and nothing is submitted again", async () => {
  const submit = vi.fn<(response: ServerResponse) => void>(cut('{"queryId":'));
  expect(await run({ ...working, "POST /v1/?select": submit })).toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      /^the statement was sent, and its answer was lost \(.+\): it may have been accepted\. Look for one that writes to dag:/,
    ),
  });
  expect(submit).toHaveBeenCalledTimes(1);
});

const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
const failed = { ...(working["GET /v1/7?query"] as object), status: "error" };

test.each<[string, Answers, string]>([
  ["its record, whose connection breaks", { "GET /v1/7?query": cut('{"id":') }, "was accepted and goes on"],
  ["its record with status 503", { "GET /v1/7?query": status(503) }, "was accepted and goes on"],
  ["its log with status 502", { "GET /v1/7/log?query": status(502) }, "finished, but its rows could not be read"],
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

test("sql: a failed TLS handshake is told with its reason and the certificate's variable", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { endpoint, credentials: { accessKeyId: "AK", secretAccessKey: "secret" }, scheme: undefined };
  const { signal } = new AbortController();
  await expect(runStatement(access, "SELECT 1", { format: "csv" }, signal)).rejects.toThrow(
    /^no service answers at https:\S+ \(.*SSL.*\): check the address and the proxy\. .*NODE_EXTRA_CA_CERTS/s,
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
