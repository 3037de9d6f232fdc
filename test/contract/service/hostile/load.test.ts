/** Statements and callers that want more than their part: who attacks gets an error, and nobody else notices. */
import { spawn, type ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, ended, pause, type Answer, type Target } from "../caller";

const main = join(__dirname, "../../../../service/dist/service/main.js");
/** Megabytes of memory of the cluster, and those that the service's own process may use. */
const megabytes = { cluster: 300, service: 400 } as const;

/** The keys of the caller who attacks, and of one who does not. */
const attacker = { accessKeyId: "AK", secretAccessKey: "SK" };
const other = { accessKeyId: "AK2", secretAccessKey: "SK2" };

let folder = "";
let child: ChildProcess;
let service: Target;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dag-load-"));
  for (const name of ["data/events", "data/bomb", "out", "raw"]) {
    mkdirSync(join(folder, "buckets", name), { recursive: true });
  }
  const rows = Array.from({ length: 20_000 }, (_, n) => `${n},row ${n}\n`).join("");
  writeFileSync(join(folder, "buckets/data/events/a.csv"), rows);
  await writeBomb("data/bomb/a.gz", 1000, `${"x".repeat(999_999)}\n`);
  await writeBomb("raw/rows.gz", 200, "1,x\n");
  const clusters = [{ name: "c1", memory: `${megabytes.cluster}MB`, instances: [{ grade: "small", quantity: 9 }] }];
  const tables = [
    { database: "data", table: "events", schema: "bigint id, string v" },
    { database: "data", table: "bomb", schema: "string v" },
  ];
  const args = ["--listen", "127.0.0.1:0", "--data", folder, "--clusters", JSON.stringify(clusters)];
  child = spawn(process.execPath, [main, ...args, "--tables", JSON.stringify(tables)], {
    env: { PATH: process.env.PATH, DAG_SERVICE_CREDENTIALS: JSON.stringify([attacker, other]) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout!).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`exit ${code}`)));
  });
  child.stdout!.resume();
  const { url } = JSON.parse(line) as { url: string };
  service = { url, credentials: attacker };
});

afterAll(async () => {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * Asks for the cluster again and again during an attack, and expects an answer each time, the other caller's query to
 * finish afterwards, and the service to have used little memory.
 */
async function observed(run: () => Promise<void>): Promise<void> {
  const milliseconds: number[] = [];
  const failures: unknown[] = [];
  const stop = new AbortController();
  const asking = (async () => {
    for (; !stop.signal.aborted; await pause(20)) {
      const start = performance.now();
      const answer = await call(service, "GET", "/v1/c1?clusterManagement").catch((error: unknown) => error);
      milliseconds.push(performance.now() - start);
      const { status, json } = answer as Partial<Answer>;
      if (status !== 200 || json.status !== "norm") failures.push(answer);
    }
  })();
  try {
    await run();
  } finally {
    stop.abort();
    await asking;
  }
  const p99 = milliseconds.toSorted((a, b) => a - b)[Math.floor(milliseconds.length * 0.99)]!.toFixed(0);
  const used = Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1000);
  process.stdout.write(`${milliseconds.length} GETs, p99 ${p99} ms, service at most ${used} MB\n`);
  expect(failures).toEqual([]);
  expect(milliseconds.length).toBeGreaterThan(10);
  expect(used).toBeLessThanOrEqual(megabytes.service);
  await bystander();
}

/** Writes a gzip file of a number of megabytes that repeats a text. */
async function writeBomb(name: string, size: number, text: string): Promise<void> {
  const block = Buffer.alloc(1_000_000, text);
  const blocks = Readable.from(Array.from({ length: size }, () => block));
  await pipeline(blocks, createGzip({ level: 1 }), createWriteStream(join(folder, "buckets", name)));
}

let serial = 0;

const submission = (query: string) => ({
  clusterName: "c1",
  query,
  outputResourcePath: `dag://out/r${(serial += 1)}`,
});

const select = (query: string, key = attacker) =>
  call(service, "POST", "/v1/?select", { body: submission(query), ...key });

async function accepted(answer: Promise<Answer>): Promise<number> {
  const { status, json } = await answer;
  expect(status, JSON.stringify(json)).toBe(202);
  return json.queryId;
}

/**
 * Submits a statement of the attacker, who competes with its own attack for the processor: while the service asks to try
 * again later. The other caller's statements must be accepted at once.
 */
async function attack(query: string): Promise<number> {
  for (;;) {
    const answer = await select(query);
    const isBusy = ["TooManyQueries", "ServiceUnavailable"].includes(answer.json.code);
    if (!isBusy) return accepted(Promise.resolve(answer));
    await pause(500);
  }
}

const cancel = (id: number) => call(service, "DELETE", `/v1/${id}?query`);

/** Runs a query of the other caller, and expects its result. */
async function bystander(): Promise<void> {
  const answer = select("select count(*) from data.events", other);
  const target = serial;
  const id = await accepted(answer);
  expect((await ended(service, id)).status).toBe("finished");
  expect(readFileSync(join(folder, `buckets/out/r${target}/000000_0`), "utf8")).toBe("20000\n");
}

async function reasonOf(id: number): Promise<string> {
  const { json } = await call(service, "GET", `/v1/${id}/log?query`);
  return /failed: (.*)/.exec(json.log)?.[1] ?? json.log;
}

/** A regular expression that tries 2^40 ways to match. */
const backtracking = "select count(*) from data.events where concat(repeat('a', 40), v) rlike '(?=a)(a+)+$'";
const slow = "select count(*) n from data.events a cross join data.events b cross join data.events c where a.id >= 0";

test("submit and cancel by eight callers: no answer but 202, 204, TooManyQueries and InvalidQueryState", async () => {
  const answers = new Set<string>();
  const submitted: number[] = [];
  const note = ({ status, json }: Answer) => answers.add(status < 300 ? String(status) : String(json.code));
  const until = Date.now() + 3000;
  const caller = async () => {
    while (Date.now() < until) {
      const answer = await select(Math.random() < 0.5 ? slow : "select count(*) from data.events");
      note(answer);
      if (answer.status !== 202) continue;
      submitted.push(answer.json.queryId);
      await pause(Math.random() * 300);
      note(await cancel(answer.json.queryId));
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  const allowed = new Set(["202", "204", "TooManyQueries", "InvalidQueryState"]);
  expect([...answers].filter((answer) => !allowed.has(answer))).toEqual([]);
  expect(answers).toContain("204");
  for (const id of submitted) expect(["canceled", "finished"]).toContain((await ended(service, id)).status);
});

test("memory: statements that build gigabytes end alone, with the reason", async () => {
  const hogs = {
    repeat: "select max(length(repeat(v, 100000000))) from data.events",
    space: "select max(length(space(cast(1000000000 + id as int)))) from data.events",
    lpad: "select max(length(lpad(v, cast(1000000000 + id as int), 'ab'))) from data.events",
    collect_list:
      "select size(collect_list(concat(a.v, b.v, repeat('x', 1000)))) from data.events a cross join data.events b",
    json: "select max(length(get_json_object(concat('{\"a\":\"', repeat(v, 30000000), '\"}'), '$.a'))) from data.events",
    gzip: "select max(length(v)), size(collect_list(v)) from data.bomb",
  };
  const ids = await Promise.all(Object.values(hogs).map(attack));
  await bystander();
  const late = pause(12_000).then(() => "late" as const);
  for (const [index, name] of Object.keys(hogs).entries()) {
    const id = ids[index]!;
    const first = await Promise.race([ended(service, id), late]);
    // A statement that stays within its memory is no less harmless than one that has ended.
    if (first === "late") await cancel(id);
    const { status } = await ended(service, id);
    const reason = status === "error" ? await reasonOf(id) : status;
    expect([name, reason]).toEqual([name, memoryReason]);
  }
});

const memoryReason = expect.stringMatching(/memory|too large|maximum|exceed|^canceled$/i);

test("gzip: the inputs of three splits at once that inflate to 200 MB each are cut in little memory", async () => {
  const split = (table: string) =>
    call(service, "POST", "/v1/?split", {
      body: {
        clusterName: "c1",
        inputObjectKeys: ["dag://raw/rows.gz"],
        outputDatabase: "data",
        outputTable: table,
        schema: "bigint id, string v",
      },
    });
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, ...megabytesOf(begun("split")))), 100);
  try {
    const ids = await Promise.all(Array.from({ length: 3 }, (_, index) => accepted(split(`bomb_${index}`))));
    for (const id of ids) expect((await ended(service, id)).status).toBe("finished");
  } finally {
    clearInterval(watching);
  }
  process.stdout.write(`a process of a split used at most ${most} MB\n`);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(250);
});

test("regular expressions: some that never end are cancelled at once, and others use the functions meanwhile", async () => {
  const ids = await Promise.all(Array.from({ length: 3 }, () => attack(backtracking)));
  const harmless = await accepted(select("select count(*) from data.events where v rlike '(?=r)row'", other));
  expect((await ended(service, harmless)).status).toBe("finished");
  for (const id of ids) {
    expect((await cancel(id)).status).toBe(204);
    expect((await ended(service, id)).status).toBe("canceled");
  }
});

/** Takes many seconds to check. */
const monstrous = () => `select ${Array.from({ length: 24_000 }, () => "id").join(",")} from data.events`;

test("slow submissions: statements that take long to check are refused, and a second caller's are not delayed by them", async () => {
  const before = cpuSeconds();
  // One more than one caller's checks at a time.
  const attacks = Array.from({ length: 3 }, () => select(monstrous()));
  // A check of them is one long computation, during which its process says nothing.
  const checking = () => [...cpuSeconds()].filter(([pid, seconds]) => seconds - (before.get(pid) ?? 0) > 1);
  await expect.poll(() => checking().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  await bystander();
  for (const { status, json } of await Promise.all(attacks)) {
    // The last one says that others used the processors.
    const refusals = ["400 InvalidDMLStatement", "400 TooManyQueries", "503 ServiceUnavailable"];
    expect(refusals).toContain(`${status} ${json.code}`);
  }
});

test("callers that leave during the check of a statement: the check ends with them", () =>
  observed(async () => {
    const before = enginePids().length;
    await Promise.all(Array.from({ length: 12 }, () => leave(submission(monstrous()), 300)));
    // None of them is a query, and none holds a process.
    await bystander();
    // An idle process is ended 20 s after its last use.
    await expect.poll(() => enginePids().length, { timeout: 60_000 }).toBeLessThanOrEqual(before + 2);
  }));

/** Submits a statement, and closes the connection after some time. */
async function leave(body: object, milliseconds: number): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const text = JSON.stringify(body);
  let sent: ReturnType<typeof request> | undefined;
  await new Promise<void>((resolve) => {
    sent = request({ hostname, port, method: "POST", path: "/v1/?select", agent: false, headers: signed(text) });
    sent.on("error", () => resolve());
    sent.on("response", (response) => response.resume().on("end", resolve));
    sent.end(text);
    setTimeout(() => sent!.destroy(), milliseconds);
  });
}

function signed(body: string): Record<string, string | number> {
  const date = new Date().toUTCString();
  const { accessKeyId, secretAccessKey } = service.credentials;
  const text = `POST\n\napplication/json\n${date}\n/v1/?select`;
  const signature = createHmac("sha1", secretAccessKey).update(text).digest("base64");
  return {
    Date: date,
    Authorization: `IIJGIO ${accessKeyId}:${signature}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  };
}

/** Returns the process of each job of a kind that has begun, from the log of the engine. */
function begun(operation: string): string[] {
  const records = readFileSync(join(folder, "clusters/c1/logs/engine.log"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { pid: number; msg: string; operation?: string });
  return records.filter((each) => each.msg === "started" && each.operation === operation).map(({ pid }) => String(pid));
}

const enginePids = () => readdirSync(join(folder, "clusters/c1/processes"));

/** Returns the processor time that each engine process has used, in seconds. */
function cpuSeconds(): Map<string, number> {
  const used = (pid: string) => {
    const stat = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
    return (user + system) / 100;
  };
  return new Map(enginePids().map((pid) => [pid, used(pid)]));
}

/** Returns the memory of each of the processes. */
function megabytesOf(pids: readonly string[]): number[] {
  return pids.map((pid) => {
    const status = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000);
  });
}
