/** A disk that is full at any moment: the service says so, goes on, and recovers by itself when there is space. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { call, ended, hasStatus, pause, send } from "../caller";
import { slow } from "../fixture";
import { declared, kill, residentMegabytes, select, useServiceFolder } from "../service-process";

const folder = useServiceFolder();

/** A small file system of its own; undefined when this machine cannot have one. */
const disk = mountDisk();

function mountDisk(): string | undefined {
  const target = mkdtempSync(join(tmpdir(), "dag-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", target], { encoding: "utf8" });
  if (mounted.status === 0) return target;
  rmSync(target, { recursive: true });
  const why = mounted.error?.message ?? mounted.stderr.trim();
  process.stderr.write(`the tests of a full disk are skipped: no small file system can be mounted (${why})\n`);
  return undefined;
}

afterEach(() => {
  if (disk) for (const name of ["d", "filler", "log"]) rmSync(join(disk, name), { recursive: true, force: true });
});
afterAll(() => {
  if (!disk) return;
  spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

/** Returns a path on the disk. */
const at = (path: string) => join(disk ?? "", path);

/** Fills the disk, except for some bytes. */
function fill(free = 0): void {
  const filler = openSync(at("filler"), "a");
  const reserved = openSync(at("reserved"), "w");
  writeAll(reserved, free);
  for (const size of [65_536, 4096, 1]) while (writeAll(filler, size)) continue;
  closeSync(filler);
  closeSync(reserved);
  rmSync(at("reserved"));
}

/** Sets the number of files and folders that the disk has room for; its root is one. It has no other then. */
async function limitFiles(count: number): Promise<void> {
  const limit = () => spawnSync("mount", ["-o", `remount,nr_inodes=${count}`, disk!]).status;
  // A process that has just ended may keep a file.
  await expect.poll(limit, { timeout: 30_000 }).toBe(0);
}

/** Returns false when the disk is full. */
function writeAll(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size, 1)) === size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}

const free = () => rmSync(at("filler"));

/** Options that put everything but the objects on the disk. */
const options = () => ["--data", at("d"), "--storage", `file:${folder.path}/.dag/buckets`, "--tables", declared];

const pair = { DAG_SERVICE_CREDENTIALS: "[{accessKeyId: AK, secretAccessKey: SK}]" };

/** A start on a full disk: it listens, or says in one line why it does not. */
const eitherWay = [
  { exitCode: null, problems: [] },
  { exitCode: 1, problems: [`dag-service: the disk of ${at("d")} is full: free space on it, then start again`] },
];

/** Waits until a service listens or has ended. */
async function startOf({ child, stdout, stderr }: ReturnType<typeof folder.run>) {
  while (child.exitCode === null && !stdout().includes("\n")) await pause(10);
  // The lines about a new key pair and the console are no problems.
  const problems = stderr()
    .split("\n")
    .filter((line) => line !== "" && !/^dag-service( created|: the console, signed in)/.test(line));
  return { exitCode: child.exitCode, problems };
}

/** Free bytes at the first start: the disk becomes full at another step of it. */
const amounts = [0, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_310_720];

test.skipIf(!disk)(
  "full disk: the first start says so in one line, wherever it fails, and the next one works",
  async () => {
    for (const amount of amounts) {
      fill(amount);
      const first = folder.run(["--listen", "127.0.0.1:0", ...options()]);
      expect(eitherWay, `${amount} bytes free`).toContainEqual(await startOf(first));
      await kill(first.child, "SIGKILL");
      free();
      const second = await folder.start(options());
      const credentials = JSON.parse(readFileSync(at("d/credentials.json"), "utf8"));
      expect((await call({ ...second, credentials }, "GET", "/v1/?query")).status).toBe(200);
      await kill(second.child, "SIGKILL");
      rmSync(at("d"), { recursive: true });
    }
    // No room for the data folder itself.
    await limitFiles(1);
    const last = folder.run(["--listen", "127.0.0.1:0", ...options()]);
    expect(await startOf(last)).toEqual(eitherWay[1]);
    await limitFiles(100_000);
  },
);

test.skipIf(!disk)(
  "full disk: what a killed service has left is there, however often it was started without space",
  async () => {
    folder.fill();
    const first = await folder.start(options(), pair);
    await kill(first.child, "SIGTERM");
    const killed = await folder.start(options(), pair);
    const ids = [
      (await select(killed)).json.queryId,
      (await select(killed, { outputResourcePath: "dag://out/r1" })).json.queryId,
    ];
    for (const id of ids) await ended(killed, id);
    fill();
    await kill(killed.child, "SIGKILL");
    fill();
    for (const _ of [1, 2, 3]) {
      const start = folder.run(["--listen", "127.0.0.1:0", ...options()], pair);
      expect(eitherWay).toContainEqual(await startOf(start));
      await kill(start.child, "SIGKILL");
      // What the start has freed.
      fill();
    }
    free();
    const service = await folder.start(options(), pair);
    for (const id of ids) expect(await ended(service, id)).toMatchObject({ status: "finished" });
    expect((await select(service, { outputResourcePath: "dag://out/r2" })).json.queryId).toBeGreaterThan(ids[1]);
  },
);

test.skipIf(!disk)(
  "full disk: a submission is refused, reads and cancels work, and submissions work when there is space",
  async () => {
    folder.fill();
    const service = await folder.start(options(), pair);
    const running = (await select(service, { query: slow })).json.queryId;
    fill();
    // What is reserved in the write-ahead log may take a few.
    let refused = await select(service, { outputResourcePath: "dag://out/r0" });
    for (let turn = 1; refused.status === 202 && turn < 200; turn += 1) {
      await ended(service, refused.json.queryId);
      refused = await select(service, { outputResourcePath: `dag://out/r${turn}` });
    }
    expect([refused.status, refused.json.code]).toEqual([503, "ServiceUnavailable"]);
    expect(refused.json.message).toMatch(/^the disk of the service's state is full, so nothing was stored: try again/);
    const health = async () => {
      const { status, json } = await send(service.url, "GET", "/healthz", {});
      return [status, json.problem];
    };
    expect(await health()).toEqual([503, expect.stringMatching(/^the disk of .* is full: free space on it$/)]);
    expect((await call(service, "GET", `/v1/${running}?query`)).json.status).toBe("running");
    expect((await call(service, "GET", "/v1/?query")).status).toBe(200);
    expect((await call(service, "DELETE", `/v1/${running}?query`)).status).toBe(204);
    expect((await call(service, "GET", `/v1/${running}?query`)).json.status).toBe("canceled");
    expect(await health()).toEqual([503, expect.any(String)]);
    free();
    expect(await health()).toEqual([200, undefined]);
    // On a busy machine the job may not end in time; the cancellation then kills the engine.
    await hasStatus(service, "demo", "norm");
    const again = await select(service, { outputResourcePath: "dag://out/again" });
    expect(again.status).toBe(202);
    expect((await ended(service, again.json.queryId)).status).toBe("finished");
    await kill(service.child, "SIGKILL");
    const next = await folder.start(options(), pair);
    expect((await call(next, "GET", `/v1/${running}?query`)).json.status).toBe("canceled");
    expect(service.stdout()).toContain("is full: free space on it");
  },
);

test.skipIf(!disk)("full disk: /healthz and /metrics say so before anybody submits", async () => {
  folder.fill();
  const service = await folder.start(options(), pair);
  const health = async () => (await send(service.url, "GET", "/healthz", {})).json.problem;
  const metrics = async () => (await send(service.url, "GET", "/metrics", {})).text;
  expect(await health()).toBeUndefined();
  expect(await metrics()).toContain("\ndag_state_available 1\n");
  fill();
  expect(await health()).toMatch(/^the disk of .* is full: free space on it$/);
  expect(await metrics()).toContain("\ndag_state_available 0\n");
  free();
  expect(await metrics()).toContain("\ndag_state_available 1\n");
});

test.skipIf(!disk)("full disk: a kill and a start on it lose nothing", async () => {
  folder.fill();
  const service = await folder.start(options(), pair);
  const { queryId } = (await select(service)).json;
  await ended(service, queryId);
  fill();
  await kill(service.child, "SIGKILL");
  const refused = folder.run(["--listen", "127.0.0.1:0", ...options()], pair);
  expect(eitherWay).toContainEqual(await startOf(refused));
  await kill(refused.child, "SIGKILL");
  free();
  const next = await folder.start(options(), pair);
  expect((await call(next, "GET", `/v1/${queryId}?query`)).json.status).toBe("finished");
});

test.skipIf(!disk)(
  "full disk: a query whose result does not fit ends as error with the reason, and the next one works",
  async () => {
    mkdirSync(at("d/out"), { recursive: true });
    mkdirSync(at("d/data"));
    const service = await folder.start(["--storage", `file:${at("d")}`]);
    fill();
    const query = "select n from default.numbers a";
    mkdirSync(at("d/default/numbers"), { recursive: true });
    free();
    const file = openSync(at("d/default/numbers/n.csv"), "w");
    writeSync(file, Array.from({ length: 100_000 }, (_, n) => `n\n${n}\n`.slice(n === 0 ? 0 : 2)).join(""));
    closeSync(file);
    fill(65_536);
    const { json } = await select(service, { query });
    expect((await ended(service, json.queryId)).status).toBe("error");
    const { json: log } = await call(service, "GET", `/v1/${json.queryId}/log?query`);
    expect(log.log).toMatch(/failed: .*(full|space)/i);
    expect(existsSync(at("d/out/tmp"))).toBe(false);
    free();
    const again = await select(service, { query });
    expect((await ended(service, again.json.queryId)).status).toBe("finished");
  },
);

test.skipIf(!disk)("full disk: the service goes on when its log is a file there", async () => {
  folder.fill();
  const log = openSync(at("log"), "a");
  const { child } = folder.run(["--listen", "127.0.0.1:0", "--tables", declared], pair, ["ignore", log, "pipe"]);
  const text = () => readFileSync(at("log"), "utf8");
  await expect.poll(text, { timeout: 20_000 }).toContain("\n");
  const { url } = JSON.parse(text().split("\n", 1)[0]!);
  const service = { url, credentials: { accessKeyId: "AK", secretAccessKey: "SK" } };
  fill();
  const before = residentMegabytes(child);
  for (let turn = 0; turn < 500; turn += 1) {
    expect((await call(service, "GET", "/v1/?query")).status).toBe(200);
  }
  expect(residentMegabytes(child) - before).toBeLessThan(100);
  const lines = text().split("\n").length;
  free();
  expect((await call(service, "GET", "/v1/?query")).status).toBe(200);
  await expect.poll(() => text().split("\n").length).toBeGreaterThan(lines);
  closeSync(log);
});
