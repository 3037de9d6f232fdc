/** What the service says at its start when S3 cannot be used, and what happens when S3 goes away later. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { call, ended } from "../service/caller";
import { s3Credentials, startS3Server } from "../storage/s3-server";
import { s3Environment, useS3 } from "./harness";

const s3 = useS3();

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Starts a server that is not S3. Returns its URL. */
async function startOther(status: number, body: string, type = "text/html"): Promise<string> {
  server = createServer((_, response) => response.writeHead(status, { "content-type": type }).end(body));
  server.listen(0, "127.0.0.1");
  await new Promise((listening) => server!.once("listening", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const s3Error = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>SECRET WORDS</Message></Error>`;

interface Given {
  readonly storage?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

const cases: [string, () => Promise<Given> | Given, RegExp][] = [
  [
    "no server",
    () => ({ storage: "s3:http://127.0.0.1:1" }),
    /the S3 server http:\/\/127\.0\.0\.1:1 does not answer: check its address/,
  ],
  ["an unknown host", () => ({ storage: "s3:http://no-such-host.invalid" }), /does not answer: check its address/],
  [
    "an unknown key",
    () => ({ environment: { ...s3Environment, AWS_ACCESS_KEY_ID: "nobody" } }),
    /does not accept the access key, .*AWS_ACCESS_KEY_ID/,
  ],
  [
    "a wrong secret",
    () => ({ environment: { ...s3Environment, AWS_SECRET_ACCESS_KEY: "wrong" } }),
    /refuses the signature: check AWS_SECRET_ACCESS_KEY/,
  ],
  [
    "no credentials",
    () => ({ environment: { AWS_EC2_METADATA_DISABLED: "true", HOME: "/nonexistent" } }),
    /needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
  ],
  [
    "a clock apart",
    async () => ({ storage: `s3:${await startOther(403, s3Error("RequestTimeTooSkewed"), "application/xml")}` }),
    /refuses the time of the request: set the clock/,
  ],
  [
    "a web server",
    async () => ({ storage: `s3:${await startOther(200, "<html><body>Welcome<br></body></html>")}` }),
    /does not answer as S3 does: check the address/,
  ],
  [
    "a server without such a page",
    async () => ({ storage: `s3:${await startOther(404, "not found")}` }),
    /does not answer as S3 does: check the address/,
  ],
  [
    "a server that denies such a page",
    async () => ({ storage: `s3:${await startOther(403, "<html><body>Forbidden</body></html>")}` }),
    /does not answer as S3 does: check the address/,
  ],
  [
    "a service that denies the request in JSON",
    async () => ({ storage: `s3:${await startOther(403, '{"code":"AccessDenied"}', "application/json")}` }),
    /does not answer as S3 does: check the address/,
  ],
  [
    "a bucket in the URL",
    async () => {
      await s3.makeBuckets("out");
      return { storage: s3.specification.replace("?", "/out?") };
    },
    /does not answer as S3 does: check the address, which is that of the server without a bucket/,
  ],
  [
    "a wrong secret of the config",
    () => ({
      storage: `{s3: {endpoint: "${s3.server.endpoint}", accessKeyId: ${s3Credentials.accessKeyId}, secretAccessKey: very-secret}}`,
    }),
    /refuses the signature: check secretAccessKey in storage\.s3$/,
  ],
  [
    "an unknown key of the config",
    () => ({
      storage: `{s3: {endpoint: "${s3.server.endpoint}", accessKeyId: nobody, secretAccessKey: very-secret}}`,
    }),
    /does not accept the access key: check accessKeyId in storage\.s3$/,
  ],
  [
    "a password in the endpoint of the config",
    () => ({ storage: "{s3: {endpoint: 'http://u:very-secret@127.0.0.1:1', accessKeyId: a, secretAccessKey: b}}" }),
    /storage\.s3\.endpoint: it must not have a user or password/,
  ],
  ["no URL", () => ({ storage: "s3:localhost:9000" }), /must name an http or https endpoint/],
  [
    "a password in the URL",
    () => ({ storage: "s3:http://u:very-secret@127.0.0.1:1" }),
    /must not contain a user name or password/,
  ],
  [
    "an unknown parameter",
    () => ({ storage: "s3:http://127.0.0.1:1?key=very-secret" }),
    /accepts only the parameter region, not key/,
  ],
  ["no scheme", () => ({ storage: "s4:x" }), /storage: it must be file:DIR, or s3:ENDPOINT\?region=REGION/],
];

test.each(cases)("start: %s is one line that says what to do", async (_, given, message) => {
  const { storage = s3.specification, environment = s3Environment, args = [] } = await given();
  const { exit, stderr, stdout } = s3.folder.run(
    ["--listen", "127.0.0.1:0", "--storage", storage, ...args],
    environment,
  );
  // Another start may find a server, and says the same of everything else.
  expect(await exit).toBe(/does not answer: /.test(stderr()) ? 1 : 2);
  const lines = stderr()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("dag-service created a key pair"));
  expect(lines).toEqual([expect.stringMatching(message)]);
  expect(lines[0]).not.toMatch(/SECRET WORDS|very-secret/);
  expect(stdout()).toBe("");
});

test("start: a key that may not list the buckets is taken, and a bucket that is not there is named by the query", async () => {
  // This server denies everything.
  const denying = await startOther(403, s3Error("AccessDenied"), "application/xml");
  const service = await s3.folder.start(["--storage", `s3:${denying}`], s3Environment);
  const body = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/r" };
  expect((await call(service, "POST", "/v1/?select", { body })).json).toMatchObject({ code: "StorageAccessError" });
});

test("start: a server that never answers is one line, and the end", async () => {
  server = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((listening) => server!.once("listening", listening));
  const silent = `s3:http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { exit, stderr } = s3.folder.run(["--listen", "127.0.0.1:0", "--storage", silent], s3Environment);
  // systemd starts it again.
  expect(await exit).toBe(1);
  expect(stderr()).toMatch(/^dag-service: storage: the S3 server \S+ does not answer: .*\n$/m);
});

test("a bucket that is not there: the submission names it", async () => {
  const service = await s3.start();
  const select = (query: string, bucket: string) =>
    call(service, "POST", "/v1/?select", {
      body: { clusterName: "demo", query, outputResourcePath: `dag://${bucket}/r` },
    });
  await s3.makeBuckets("out");
  expect((await select("SELECT 1", "nowhere")).json).toMatchObject({ code: "OutputBucketIsNotFound" });
  expect((await select("SELECT * FROM nowhere.t", "out")).json).toMatchObject({ code: "InputBucketIsNotFound" });
});

test("S3 goes away: submissions say so, and an accepted query ends as error with the reason in its log", async () => {
  await s3.put({ "dag://data/numbers/a.csv": "1\n".repeat(20_000) });
  await s3.makeBuckets("out");
  const own = await startS3Server(s3.server.directory);
  const service = await s3.folder.start(
    [
      "--storage",
      `s3:${own.endpoint}?region=us-east-1`,
      "--tables",
      '[{database: data, table: numbers, schema: "bigint n"}]',
    ],
    s3Environment,
  );
  const submit = (query: string) =>
    call(service, "POST", "/v1/?select", {
      body: { clusterName: "demo", query, outputResourcePath: "dag://out/r" },
    });
  const { json } = await submit("SELECT count(*) FROM data.numbers a CROSS JOIN data.numbers b WHERE a.n * b.n > 0.5");
  expect(json).toEqual({ queryId: 1 });
  await own.close();
  expect((await submit("SELECT sum(n) FROM data.numbers")).json).toMatchObject({ code: "StorageAccessError" });
  expect(await ended(service, 1)).toMatchObject({ status: "error" });
  const log = (await call(service, "GET", "/v1/1/log?query")).json.log as string;
  expect(log).toMatch(/failed: dag:\/\/(?:out|data)\/\S* cannot be accessed/);
  expect(service.stdout() + service.stderr() + log).not.toContain(s3Credentials.secretAccessKey);
});
