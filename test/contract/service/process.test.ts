/** The command `dag-service` as a process: start, start errors, signals, kill. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { call, ended, hasStatus, pause, send, type Target } from "./caller";
import { objects, quick, slow } from "./fixture";

const main = join(__dirname, "../../../service/dist/service/main.js");
let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "dag-process-"))));
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => kill(child, "SIGKILL")));
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

interface Process extends Target {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, ...args], { cwd: directory, env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const exit = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  return { child, exit, stdout: () => stdout, stderr: () => stderr };
}

/** Starts a service on the test's folder and waits for its first line. */
async function start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Process> {
  const started = run(["--listen", "127.0.0.1:0", ...args], env);
  const failed = started.exit.then((code) => {
    throw new Error(`exit ${code}: ${started.stderr()}`);
  });
  failed.catch(() => undefined);
  while (!started.stdout().includes("\n")) await Promise.race([pause(10), failed]);
  const first = JSON.parse(started.stdout().split("\n", 1)[0]!);
  expect(first).toMatchObject({ msg: "listening", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  const credentials = existsSync(join(directory, ".dag/credentials.json"))
    ? JSON.parse(readFileSync(join(directory, ".dag/credentials.json"), "utf8"))
    : { accessKeyId: "AK", secretAccessKey: "SK" };
  return { ...started, url: first.url, credentials };
}

function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}

const fill = () => {
  for (const [location, content] of Object.entries(objects)) {
    const path = join(directory, ".dag/buckets", location.slice("dag://".length));
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  }
  mkdirSync(join(directory, ".dag/buckets/out"), { recursive: true });
};

const declared =
  '[{database: data, table: events, schema: "bigint id, string v"}, {database: data, table: numbers, schema: "bigint n"}]';

const select = (service: Target, overrides: object = {}) =>
  call(service, "POST", "/v1/?select", {
    body: { clusterName: "demo", query: quick, outputResourcePath: "dag://out/r", ...overrides },
  });

test("start: without further options, uses cluster demo and ./.dag and prints a new key pair once on stderr", async () => {
  const first = await start();
  expect((await call(first, "GET", "/v1/?clusterManagement")).json.clusters).toEqual([
    { name: "demo", status: "norm", type: "duckdb", instances: [{ grade: "standard", quantity: 5 }], debug: false },
  ]);
  expect(first.stderr()).toContain(first.credentials.secretAccessKey);
  expect(first.stderr().trimEnd().split("\n")).toHaveLength(2);
  expect(statSync(join(directory, ".dag/credentials.json")).mode & 0o777).toBe(0o600);
  await kill(first.child, "SIGTERM");
  expect(first.stdout()).not.toContain(first.credentials.secretAccessKey);
  const second = await start();
  expect(second.stderr()).toMatch(/^dag-service: the console, signed in once by this link: http:\S+#sign-in=\S+\n$/);
  expect(second.credentials).toEqual(first.credentials);
});

test("start: reads config file, environment and flags", async () => {
  writeFileSync(
    join(directory, "service.yaml"),
    "credentials: [{accessKeyId: AK, secretAccessKey: SK}]\nclusters: [{name: from-file}]\ndata: one",
  );
  const service = await start(["--config", "service.yaml", "--data", "two"], {
    DAG_SERVICE_CLUSTERS: "[{name: from-env}]",
  });
  expect((await call(service, "GET", "/v1/?clusterManagement")).json.clusters).toMatchObject([{ name: "from-env" }]);
  expect(existsSync(join(directory, "two/state.sqlite"))).toBe(true);
  expect(existsSync(join(directory, "one"))).toBe(false);
});

test("start: every log line is JSON, requests have their ids, and no secret or header is in any", async () => {
  const service = await start();
  const { headers } = await call(service, "GET", "/v1/?query&labelPrefix=hush-hush");
  await call(service, "GET", "/v1/?query", { secretAccessKey: "wrong-secret" });
  await kill(service.child, "SIGTERM");
  const lines = service
    .stdout()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const requests = lines.filter(({ msg }) => msg === "request");
  expect(requests).toMatchObject([
    {
      operation: "listQueries",
      status: 200,
      requestId: headers["x-svc-request-id"],
      accessKeyId: service.credentials.accessKeyId,
      resource: "/v1/?query",
    },
    { status: 403, code: "SignatureDoesNotMatch" },
  ]);
  expect(service.stdout()).not.toMatch(/hush-hush|wrong-secret|IIJGIO/);
  expect(service.stdout()).not.toContain(service.credentials.secretAccessKey);
});

test.each([
  [
    "a port that is in use",
    ["--listen"],
    /^dag-service: address 127\.0\.0\.1:\d+ is in use by another program: choose another with --listen/,
  ],
  ["an address that is none", ["--listen", "here"], /--listen: listen: it must be HOST:PORT/],
  [
    "a data folder that cannot be made",
    ["--data", "/dev/null/x"],
    /folder \/dev\/null\/x cannot be used \(\w+\): .* with --data/,
  ],
  ["a storage folder that cannot be made", ["--storage", "file:/dev/null/x"], /cannot be used .* with --storage/],
  ["a config file that is not there", ["--config", "none.yaml"], /none\.yaml cannot be read \(ENOENT\)/],
  ["a cluster of an unknown type", ["--clusters", "[{name: c, type: abacus}]"], /cluster "c" has the type "abacus"/],
  ["a broken state file", ["--data", "broken"], /state file .* cannot be used/],
  ["a broken key file", ["--data", "broken-key"], /credentials\.json does not hold a key pair/],
  ["an unknown flag", ["--nonsense"], /unknown option '--nonsense'/],
  ["an unknown command", ["serve"], /too many arguments|unexpected argument/],
])("start: %s prints one line on stderr and exits with code 2", async (what, args, message) => {
  mkdirSync(join(directory, "broken"));
  writeFileSync(
    join(directory, "broken/state.sqlite"),
    "not a database, but long enough to be taken for one".repeat(50),
  );
  mkdirSync(join(directory, "broken-key"));
  writeFileSync(join(directory, "broken-key/credentials.json"), "{}");
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const address = taken.address() as { port: number };
  const flags = what === "a port that is in use" ? ["--listen", `127.0.0.1:${address.port}`] : args;
  const { exit, stderr, stdout } = run(flags.includes("--listen") ? flags : ["--listen", "127.0.0.1:0", ...flags]);
  expect(await exit).toBe(2);
  taken.close();
  const human = stderr()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("dag-service created a key pair"));
  expect(human).toHaveLength(1);
  expect(human[0]).toMatch(message);
  expect(stdout()).toBe("");
});

test("start: refuses the data folder of a running service, and accepts it after kill -9", async () => {
  const first = await start();
  const second = run(["--listen", "127.0.0.1:0"]);
  expect(await second.exit).toBe(2);
  expect(second.stderr()).toMatch(/folder .* is in use by another dag-service: .* with --data/);
  await kill(first.child, "SIGKILL");
  await start();
});

test("kill -9: every accepted query is there; what ran runs again, under the same id, and ends once", async () => {
  const first = await start(["--tables", declared]);
  fill();
  const done = (await select(first, { outputResourcePath: "dag://out/done" })).json.queryId;
  await ended(first, done);
  const running = (await select(first, { query: slow, label: "long" })).json.queryId;
  const split = await call(first, "POST", "/v1/?split", {
    body: { clusterName: "demo", inputObjectKeys: ["dag://raw/in.csv"], outputDatabase: "data", outputTable: "made" },
  });
  await kill(first.child, "SIGKILL");

  const second = await start(["--tables", declared]);
  expect((await call(second, "GET", `/v1/${running}?query`)).json).toMatchObject({
    id: running,
    status: "running",
    label: "long",
  });
  expect((await call(second, "GET", `/v1/${done}?query`)).json.status).toBe("finished");
  expect(await ended(second, split.json.queryId)).toMatchObject({ status: "finished" });
  await call(second, "DELETE", `/v1/${running}?query`);
  // On a busy machine the job may not end in time; the cancellation then kills the engine.
  await hasStatus(second, "demo", "norm");
  expect(existsSync(join(directory, ".dag/buckets/out/tmp"))).toBe(false);
  expect((await select(second)).json.queryId).toBeGreaterThan(split.json.queryId);
});

test("kill -9: the engines of a killed service end too", async () => {
  const service = await start(["--tables", declared]);
  fill();
  await select(service, { query: slow });
  const engines = enginesOf(service.child.pid!);
  expect(engines).toHaveLength(1);
  await kill(service.child, "SIGKILL");
  await expect.poll(() => engines.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s: lets answers finish, leaves running queries to the next start, exits with 0",
  async (signal) => {
    const first = await start([
      "--tables",
      declared,
      "--faults",
      "[{operation: getCluster, probability: 1, latencyMs: 1500}]",
    ]);
    fill();
    const { queryId } = (await select(first, { query: slow })).json;
    const slowAnswer = call(first, "GET", "/v1/demo?clusterManagement");
    await pause(200);
    const exit = new Promise((resolve) => first.child.once("exit", (code) => resolve(code)));
    first.child.kill(signal);
    const refused = () => expect(send(first.url, "GET", "/healthz", {})).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await vi.waitFor(refused, 1_200);
    expect((await slowAnswer).status).toBe(200);
    expect(await exit).toBe(0);
    const second = await start(["--tables", declared]);
    expect((await call(second, "GET", `/v1/${queryId}?query`)).json.status).toBe("running");
  },
);

test("controls: exist only with --allow-faults", async () => {
  const [without, within] = [await start(), await start(["--allow-faults", "--data", "other"])];
  for (const [method, path] of [
    ["PUT", "/_faults"],
    ["PUT", "/_clock"],
    ["POST", "/_reset"],
  ] as const) {
    expect((await send(without.url, method, path, {}, "[]")).status).toBe(403);
  }
  expect((await send(within.url, "PUT", "/_faults", { "x-dag-control": "1" }, "[]")).status).toBe(204);
  expect((await send(within.url, "POST", "/_reset", { "x-dag-control": "1" })).status).toBe(204);
});

test("--help: lists every setting with its variable and default", async () => {
  const { exit, stdout } = run(["--help"]);
  expect(await exit).toBe(0);
  for (const text of ["--listen <HOST:PORT>", "DAG_SERVICE_SIGNATURE_SCHEME", "127.0.0.1:9393", "--allow-faults"]) {
    expect(stdout().replace(/\s+/g, " ")).toContain(text);
  }
});

function enginesOf(parent: number): number[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}
