/** The command `dag-service` as a process: start, start errors, signals, kill. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { call, ended, pause, send } from "./caller";
import { slow } from "./fixture";
import { declared, enginesOf, isAlive, kill, select, submitted, useServiceFolder } from "./service-process";

const folder = useServiceFolder();

test("start: without further options, uses cluster demo and ./.dag and prints a new key pair once on stderr", async () => {
  const first = await folder.start();
  expect((await call(first, "GET", "/v1/?clusterManagement")).json.clusters).toEqual([
    { name: "demo", status: "norm", type: "duckdb", instances: [{ grade: "standard", quantity: 5 }], debug: false },
  ]);
  expect(first.stderr()).toContain(first.credentials.secretAccessKey);
  expect(first.stderr().trimEnd().split("\n")).toHaveLength(2);
  expect(statSync(join(folder.path, ".dag/credentials.json")).mode & 0o777).toBe(0o600);
  await kill(first.child, "SIGTERM");
  expect(first.stdout()).not.toContain(first.credentials.secretAccessKey);
  const second = await folder.start();
  expect(second.stderr()).toMatch(/^dag-service: the console, signed in once by this link: http:\S+#sign-in=\S+\n$/);
  expect(second.credentials).toEqual(first.credentials);
});

test("start: reads config file, environment and flags", async () => {
  writeFileSync(
    join(folder.path, "service.yaml"),
    "credentials: [{accessKeyId: AK, secretAccessKey: SK}]\nclusters: [{name: from-file}]\ndata: one",
  );
  const service = await folder.start(["--config", "service.yaml", "--data", "two"], {
    DAG_SERVICE_CLUSTERS: "[{name: from-env}]",
    DAG_SERVICE_CLUSTRES: "[{name: misspelled}]",
  });
  expect((await call(service, "GET", "/v1/?clusterManagement")).json.clusters).toMatchObject([{ name: "from-env" }]);
  expect(existsSync(join(folder.path, "two/state.sqlite"))).toBe(true);
  expect(existsSync(join(folder.path, "one"))).toBe(false);
  expect(service.stdout()).toContain('"variable":"DAG_SERVICE_CLUSTRES"');
});

test("start: every log line is JSON, requests have their ids, and no secret or header is in any", async () => {
  const service = await folder.start();
  const { headers } = await call(service, "GET", "/v1/?query&labelPrefix=hush-hush");
  await call(service, "GET", "/v1/?query", { secretAccessKey: "wrong-secret" });
  const invalid = { Host: "a b", Connection: "close" };
  const unconverted = await send(service.url, "GET", "/foo?hush-hush", invalid);
  const accepted = await submitted(service, { query: "select 'hush-hush'", outputResourcePath: "dag://default/r" });
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
    { status: 400, code: "InvalidParameter", requestId: unconverted.headers["x-svc-request-id"], resource: "/foo" },
    { operation: "submitSelect", status: 202, queryId: accepted },
  ]);
  const page = readFileSync(join(__dirname, "../../../docs/run/monitoring.md"), "utf8");
  expect(requests.flatMap((line) => Object.keys(line)).filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  expect(service.stdout()).not.toMatch(/hush-hush|wrong-secret|IIJGIO/);
  expect(service.stdout()).not.toContain(service.credentials.secretAccessKey);
});

test.each([
  [
    "a port that is in use",
    ["--listen"],
    /^dag-service: address 127\.0\.0\.1:\d+ is in use by another program( \(process \d+\))?: choose another with --listen/,
  ],
  ["an address that is none", ["--listen", "here"], /--listen: listen: it must be HOST:PORT/],
  [
    "a data folder that cannot be made",
    ["--data", "/dev/null/x"],
    /folder \/dev\/null\/x cannot be used \(\w+\): .* with --data/,
  ],
  [
    "a data folder where the system calls its parent missing",
    ["--data", "/proc/x"],
    /folder \/proc\/x cannot be used \(ENOENT\): .* with --data/,
  ],
  ["a storage folder that cannot be made", ["--storage", "file:/dev/null/x"], /cannot be used .* with --storage/],
  ["a config file that is not there", ["--config", "none.yaml"], /none\.yaml cannot be read \(ENOENT\)/],
  [
    "a cluster of an unknown type",
    ["--clusters", "[{name: c, type: abacus}]"],
    /cluster "c" has the type "abacus".*: use duckdb, or name/,
  ],
  ["a broken state file", ["--data", "broken"], /state file .* cannot be used/],
  ["a broken key file", ["--data", "broken-key"], /credentials\.json does not hold a key pair/],
  ["an unknown flag", ["--nonsense"], /unknown option '--nonsense'/],
  ["an unknown command", ["serve"], /^dag-service: unknown command "serve": the commands are sql, put, open, .*--help/],
])("start: %s prints one line on stderr and exits with code 2", async (what, args, message) => {
  mkdirSync(join(folder.path, "broken"));
  writeFileSync(
    join(folder.path, "broken/state.sqlite"),
    "not a database, but long enough to be taken for one".repeat(50),
  );
  mkdirSync(join(folder.path, "broken-key"));
  writeFileSync(join(folder.path, "broken-key/credentials.json"), "{}");
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const address = taken.address() as { port: number };
  const flags = what === "a port that is in use" ? ["--listen", `127.0.0.1:${address.port}`] : args;
  const { exit, stderr, stdout } = folder.run(
    flags.includes("--listen") ? flags : ["--listen", "127.0.0.1:0", ...flags],
  );
  expect(await exit).toBe(2);
  taken.close();
  const human = stderr()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("dag-service created a key pair"));
  expect(human).toHaveLength(1);
  expect(human[0]).toMatch(message);
  expect(stdout()).toBe("");
});

test("start: an address that is in use, and a cluster of an unknown type, create neither the data folder nor a key pair", async () => {
  const { host } = new URL((await folder.start()).url);
  for (const flags of [
    ["--listen", host],
    ["--listen", "127.0.0.1:0", "--clusters", "[{name: c, type: abacus}]"],
  ]) {
    const { exit, stderr } = folder.run([...flags, "--data", "other"]);
    expect(await exit).toBe(2);
    expect(stderr()).not.toContain("key pair");
    expect(existsSync(join(folder.path, "other"))).toBe(false);
  }
});

test("--version: prints the version of the package", async () => {
  const { exit, stdout, stderr } = folder.run(["--version"]);
  expect(await exit).toBe(0);
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../../service/package.json"), "utf8")) as {
    version: string;
  };
  expect([stdout(), stderr()]).toEqual([`${version}\n`, ""]);
});

const hasProc = existsSync("/proc/net/tcp");
if (!hasProc) console.log("skipped: start: a port that is in use names the process: the system has no /proc");

test.runIf(hasProc)("start: a port that is in use names the process that uses it", async () => {
  const first = await folder.start();
  const { host } = new URL(first.url);
  const second = folder.run(["--listen", host, "--data", "other"]);
  expect(await second.exit).toBe(2);
  expect(second.stderr()).toContain(
    `address ${host} is in use by another dag-service (process ${first.child.pid}): choose`,
  );
});

test("start: refuses the data folder of a running service, and accepts it after kill -9", async () => {
  const first = await folder.start();
  const second = folder.run(["--listen", "127.0.0.1:0"]);
  expect(await second.exit).toBe(2);
  const owner = `is in use by another dag-service (process ${first.child.pid}): stop that one, `;
  expect(second.stderr()).toContain(owner);
  expect(second.stderr()).toMatch(/^dag-service: folder .* with --data/m);
  await kill(first.child, "SIGKILL");
  await folder.start();
});

test("start: refuses the state file or the buckets of a running service on another data folder, and makes no state", async () => {
  const first = await folder.start();
  symlinkSync(join(folder.path, ".dag/state.sqlite"), join(folder.path, "link.sqlite"));
  for (const [flag, setting, what] of [
    ["--state", "sqlite:link.sqlite", /^dag-service: state file \S+state\.sqlite/],
    ["--storage", `file:${join(folder.path, ".dag/buckets")}`, /^dag-service: folder \S+buckets/],
  ] as const) {
    const other = folder.run(["--listen", "127.0.0.1:0", "--data", "other", flag, setting]);
    expect(await other.exit).toBe(2);
    expect(other.stderr()).toMatch(what);
    expect(other.stderr()).toContain(`is in use by another dag-service (process ${first.child.pid}): stop that one, `);
    expect(readdirSync(join(folder.path, "other")).toSorted()).toEqual([".lock", ".lock-owner"]);
  }
  expect(readdirSync(folder.path).filter((name) => name.startsWith("link"))).toEqual(["link.sqlite"]);
});

test("kill -9: every accepted query is there; what ran runs again, under the same id, and ends once", async () => {
  const first = await folder.start(["--tables", declared]);
  folder.fill();
  const done = (await select(first, { outputResourcePath: "dag://out/done" })).json.queryId;
  await ended(first, done);
  const running = (await select(first, { query: slow, label: "long" })).json.queryId;
  const split = await call(first, "POST", "/v1/?split", {
    body: { clusterName: "demo", inputObjectKeys: ["dag://raw/in.csv"], outputDatabase: "data", outputTable: "made" },
  });
  await kill(first.child, "SIGKILL");

  const second = await folder.start(["--tables", declared]);
  expect((await call(second, "GET", `/v1/${running}?query`)).json).toMatchObject({
    id: running,
    status: "running",
    label: "long",
  });
  expect((await call(second, "GET", `/v1/${done}?query`)).json.status).toBe("finished");
  expect(await ended(second, split.json.queryId)).toMatchObject({ status: "finished" });
  await call(second, "DELETE", `/v1/${running}?query`);
  expect(existsSync(join(folder.path, ".dag/buckets/out/tmp"))).toBe(false);
  expect((await select(second)).json.queryId).toBeGreaterThan(split.json.queryId);
});

test("kill -9: the engines of a killed service end too", async () => {
  const service = await folder.start(["--tables", declared]);
  folder.fill();
  await select(service, { query: slow });
  const engines = enginesOf(service.child.pid!);
  expect(engines.length).toBeGreaterThan(0);
  await kill(service.child, "SIGKILL");
  await expect.poll(() => engines.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s: lets answers finish, leaves running queries to the next start, exits with 0",
  async (signal) => {
    const first = await folder.start([
      "--tables",
      declared,
      "--faults",
      "[{operation: getCluster, probability: 1, latencyMs: 1500}]",
    ]);
    folder.fill();
    const { queryId } = (await select(first, { query: slow })).json;
    const slowAnswer = call(first, "GET", "/v1/demo?clusterManagement");
    await pause(200);
    const exit = new Promise((resolve) => first.child.once("exit", (code) => resolve(code)));
    first.child.kill(signal);
    const refused = () => expect(send(first.url, "GET", "/healthz", {})).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await vi.waitFor(refused, 1_200);
    expect((await slowAnswer).status).toBe(200);
    expect(await exit).toBe(0);
    const second = await folder.start(["--tables", declared]);
    expect((await call(second, "GET", `/v1/${queryId}?query`)).json.status).toBe("running");
  },
);

test("retention: deletes a query and its log 30 days after its end", async () => {
  const service = await folder.start(["--tables", declared, "--allow-faults"]);
  folder.fill();
  const { queryId } = (await select(service)).json;
  await ended(service, queryId);
  const log = join(folder.path, `.dag/logs/demo/queries/0/${queryId}.log`);
  const advance = async (days: number) => {
    const body = JSON.stringify({ advanceMs: days * 86_400_000 });
    const { json } = await send(service.url, "PUT", "/_clock", { "x-dag-control": "1" }, body);
    return new Date(json.now).toUTCString();
  };
  let date = await advance(29);
  expect((await call(service, "GET", `/v1/${queryId}?query`, { date })).status).toBe(200);
  expect(existsSync(log)).toBe(true);
  date = await advance(2);
  await expect.poll(() => existsSync(log), { timeout: 10_000 }).toBe(false);
  await expect
    .poll(async () => (await call(service, "GET", `/v1/${queryId}?query`, { date })).json.code, { timeout: 10_000 })
    .toBe("QueryNotFound");
  expect(existsSync(join(folder.path, ".dag/buckets/out/r/000000_0"))).toBe(true);
});

test("files: nothing that the service writes is readable by others, whatever the umask of its caller", async () => {
  const service = await folder.start(["--tables", declared]);
  folder.fill();
  await ended(service, (await select(service)).json.queryId);
  await call(service, "PUT", "/v1/demo/log?clusterManagement", { body: { outputLogPath: "dag://out/logs/" } });
  // The test itself wrote the inputs.
  const written = readdirSync(join(folder.path, ".dag"), { recursive: true }).map(String);
  const ours = written.filter(
    (path) => !/^buckets(\/(raw|data|out)(\/[a-z]+(\/[a-z]\.csv)?)?)?$|^buckets\/raw/.test(path),
  );
  expect(ours.length).toBeGreaterThan(10);
  const open = ours.filter((path) => statSync(join(folder.path, ".dag", path)).mode & 0o077);
  expect(open).toEqual([]);
});

test("controls: exist only with --allow-faults", async () => {
  const [without, within] = [await folder.start(), await folder.start(["--allow-faults", "--data", "other"])];
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
  const { exit, stdout } = folder.run(["--help"]);
  expect(await exit).toBe(0);
  for (const text of ["--listen <HOST:PORT>", "DAG_SERVICE_SIGNATURE_SCHEME", "127.0.0.1:9393", "--allow-faults"]) {
    expect(stdout().replace(/\s+/g, " ")).toContain(text);
  }
});

test("explain: prints a code in any spelling, lists all without one, and refuses others in one line", async () => {
  const run = async (...args: string[]) => {
    const command = folder.run(["explain", ...args]);
    return { code: await command.exit, stdout: command.stdout(), stderr: command.stderr() };
  };
  expect(await run("clusternotfound")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^ClusterNotFound \(HTTP 404\): .+\nCause: .+\nRemedy: .+\nAnswered by: submitSelect, /,
    ),
  });
  expect((await run()).stdout).toMatch(/^InvalidClusterState +the cluster is in a status .*\n/);
  expect(await run("Nonsense")).toMatchObject({
    code: 2,
    stderr: 'dag-service: "Nonsense" is no error code of the API: dag-service explain lists all of them\n',
  });
});
