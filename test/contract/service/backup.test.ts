/** `dag-service backup` beside a running service, and `dag-service restore`. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, ended, pause, type Target } from "./caller";
import { gateContent, gated, gateObject, gateTable } from "./gate";
import { declared, kill, killWithEngines, select, submitted, useServiceFolder } from "./service-process";

const tables = declared.replace("]", `, ${gateTable}]`);
const folder = useServiceFolder();
const path = (...names: string[]) => join(folder.path, ...names);

async function run(...args: string[]) {
  const command = folder.run(args);
  const code = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** Writes numbers into three folders, each again and again, until it is told to stop. Returns how many. */
function writeResults(service: Target) {
  let isStopped = false;
  const first = Promise.withResolvers<void>();
  const loop = async () => {
    for (let n = 1; ; n += 1) {
      const answer = await select(service, {
        query: `select ${n} n from data.events limit 1`,
        outputResourcePath: `dag://out/r${n % 3}/`,
        label: `n=${n}`,
      });
      await ended(service, answer.json.queryId);
      first.resolve();
      if (isStopped) return n;
    }
  };
  const written = loop();
  written.catch(first.reject);
  return {
    first: first.promise,
    stop: () => {
      isStopped = true;
      return written;
    },
  };
}

/** The last number that the record says was written to each folder, and the one that is there. */
async function results(service: Target, buckets: string) {
  const recorded: Record<string, string> = {};
  for (const { id, label } of (await call(service, "GET", "/v1/?query&max=100&type=select")).json.queries) {
    const number = /^n=(\d+)$/.exec(label)?.[1];
    if (number === undefined) continue;
    expect(await ended(service, id)).toMatchObject({ status: "finished" });
    recorded[`r${Number(number) % 3}`] ??= number;
  }
  const stored = Object.fromEntries(
    Object.keys(recorded).map((name) => [name, readFileSync(join(buckets, "out", name, "000000_0"), "utf8").trim()]),
  );
  return { recorded, stored };
}

test("backup: beside a service that publishes results, is of one moment; restore gives them back, and gives no ID again", async () => {
  const service = await folder.start(["--tables", tables]);
  folder.fill();
  mkdirSync(path(".dag/buckets/empty"));
  folder.write(gateObject, gateContent.closed);
  const left = await submitted(service, { query: gated, outputResourcePath: "dag://out/left" });
  const writer = writeResults(service);
  await writer.first;
  for (const name of ["one", "two"]) {
    expect(await run("backup", name)).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^backed up \d+ queries and \d+ objects of \d+ bytes to \w+\n$/),
    });
  }
  await writer.stop();
  const last = (await select(service, { outputResourcePath: "dag://out/later" })).json.queryId;
  await killWithEngines(service.child);
  expect(statSync(path("two")).mode & 0o077).toBe(0);
  expect(readdirSync(path("two")).toSorted()).toEqual(
    ["backup.json", "buckets", "credentials.json", "logs", "state.sqlite", "state.sqlite.mark"].toSorted(),
  );
  expect(readdirSync(path("two/buckets"))).toContain("empty");
  expect(existsSync(path("two/buckets/out/tmp"))).toBe(false);

  rmSync(path(".dag"), { recursive: true });
  expect(await run("restore", "two")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^restored \d+ queries and \d+ objects/),
  });
  folder.write(gateObject, gateContent.open);
  const restored = await folder.start(["--tables", tables]);
  expect(restored.credentials).toEqual(service.credentials);
  const { recorded, stored } = await results(restored, path(".dag/buckets"));
  expect(Object.keys(recorded).length).toBeGreaterThan(0);
  expect(stored).toEqual(recorded);
  expect(await ended(restored, left)).toMatchObject({ status: "finished" });
  const next = await submitted(restored, { outputResourcePath: "dag://out/next" });
  expect(next).toBeGreaterThan(last);
  expect(await ended(restored, next)).toMatchObject({ status: "finished" });
});

test("backup: after a kill -9, has the last changes, which are in the write-ahead log only; the service starts again on the original", async () => {
  const first = await folder.start(["--tables", declared]);
  folder.fill();
  const done = await submitted(first, {});
  await ended(first, done);
  await kill(first.child, "SIGKILL");
  expect(await run("backup", "copy")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^backed up 1 query and \d/),
  });
  expect(await run("restore", "copy", "--data", "other")).toMatchObject({ code: 0 });
  const [original, restored] = [await folder.start(), await folder.start(["--data", "other"])];
  for (const service of [original, { ...restored, credentials: first.credentials }]) {
    expect(await ended(service, done)).toMatchObject({ id: done, status: "finished" });
  }
  expect(await call({ ...restored, credentials: first.credentials }, "GET", `/v1/${done}/log?query`)).toMatchObject({
    status: 200,
  });
});

test("restore: no service starts on what a killed one has left, and a failed one leaves nothing", async () => {
  const service = await folder.start(["--tables", declared]);
  folder.fill();
  for (let n = 0; n < 10; n += 1) folder.write(`dag://out/many/${n}`, `${n}\n`);
  await ended(service, await submitted(service, {}));
  await kill(service.child, "SIGTERM");
  expect(await run("backup", "copy")).toMatchObject({ code: 0 });
  // The restore comes to it after the objects, and waits for somebody who writes.
  renameSync(path("copy/credentials.json"), path("credentials.json"));
  expect(spawnSync("mkfifo", [path("copy/credentials.json")]).status).toBe(0);
  const restoring = folder.run(["restore", "copy", "--data", "other"]);
  while (!existsSync(path("other/buckets/out/many/9"))) await pause(1);
  await kill(restoring.child, "SIGKILL");
  renameSync(path("credentials.json"), path("copy/credentials.json"));
  const refused = await run("--data", "other", "--listen", "127.0.0.1:0");
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/other holds a part of a backup, because dag-service restore was interrupted: delete/);
  rmSync(path("other"), { recursive: true });
  rmSync(path("copy/buckets/out/many/7"));
  expect((await run("restore", "copy", "--data", "other")).stderr).toContain("the backup is not whole");
  expect(readdirSync(path("other"))).toEqual([]);
  writeFileSync(path("copy/buckets/out/many/7"), "7\n");
  expect(await run("restore", "copy", "--data", "other")).toMatchObject({ code: 0 });
  const restored = await folder.start(["--data", "other"]);
  expect(
    (await call({ ...restored, credentials: service.credentials }, "GET", "/v1/?query")).json.queries,
  ).toHaveLength(1);
});

test("backup: what cannot be done is one line on stderr, with exit code 2", async () => {
  const { code, stdout, stderr } = await run("backup", "new", "--data", "none");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^dag-service: state file \S+ does not exist: name .* --data[^\n]*\n$/);
});
