/** The files of the state are deleted or replaced while the service runs: it accepts nothing that it would lose. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, ended, send } from "./caller";
import { declared, kill, select, submitted, useServiceFolder } from "./service-process";

const folder = useServiceFolder();

test.each([
  ["the database is deleted", (path: string) => rmSync(path)],
  ["its log is deleted", (path: string) => rmSync(`${path}-wal`)],
  ["the database is moved", (path: string) => renameSync(path, `${path}.moved`)],
  [
    "a backup is put in its place",
    (path: string) => {
      copyFileSync(path, `${path}.backup`);
      renameSync(`${path}.backup`, path);
    },
  ],
])("lost state: when %s, writes are refused (ServiceUnavailable), and log and /healthz say why", async (_, lose) => {
  folder.fill();
  const service = await folder.start(["--tables", declared]);
  const first = await submitted(service, {});
  await ended(service, first);
  const gauge = async () => (await send(service.url, "GET", "/metrics", {})).text;
  expect(await gauge()).toContain("\ndag_state_available 1\n");
  lose(join(folder.path, ".dag/state.sqlite"));

  expect(await gauge()).toContain("\ndag_state_available 0\n");
  const health = await send(service.url, "GET", "/healthz", {});
  expect([health.status, health.json.status]).toEqual([503, "failed"]);
  expect(health.json.problem).toMatch(/state\.sqlite\S* of the service's state was deleted, moved or replaced/);
  const refused = await select(service, { outputResourcePath: "dag://out/later" });
  expect([refused.status, refused.json.code]).toEqual([503, "ServiceUnavailable"]);
  expect(refused.json.message).not.toContain(folder.path);
  const restart = await call(service, "PUT", "/v1/demo?clusterManagement", { body: {} });
  expect([restart.status, restart.json.code]).toEqual([503, "ServiceUnavailable"]);
  await expect.poll(service.stdout).toMatch(/was deleted, moved or replaced/);
});

test.each([
  ["the folder of the buckets is gone", false, /^the folder \S+\/buckets of the buckets is gone: mount its disk/],
  [
    "the folder of the buckets is an empty mount point",
    true,
    /^the buckets of the folder \S+\/buckets are gone: mount/,
  ],
])(
  "lost storage: while %s, requests are refused (ServiceUnavailable), and /healthz and the gauge say so",
  async (_, isFolder, problem) => {
    folder.fill();
    const service = await folder.start(["--tables", declared]);
    const health = async () => {
      const { status, json } = await send(service.url, "GET", "/healthz", {});
      return [status, json.status, json.problem];
    };
    const buckets = join(folder.path, ".dag/buckets");
    renameSync(buckets, `${buckets}.away`);
    if (isFolder) mkdirSync(buckets);
    expect(await health()).toEqual([503, "failed", expect.stringMatching(problem)]);
    expect((await send(service.url, "GET", "/metrics", {})).text).toContain("\ndag_state_available 0\n");
    const body = { clusterName: "demo", query: "select 1", outputResourcePath: "dag://out/r" };
    for (const refused of [
      await call(service, "POST", "/v1/?select", { body }),
      await call(service, "PUT", "/v1/demo/log?clusterManagement", { body: { outputLogPath: "dag://out/logs" } }),
      await call(service, "GET", "/catalog", {}),
    ]) {
      expect([refused.status, refused.json.code]).toEqual([503, "ServiceUnavailable"]);
      expect(refused.json.message).toMatch(
        /^the folder of the service's buckets is gone or empty, .*: its operator must mount its disk/,
      );
    }
    if (isFolder) rmdirSync(buckets);
    renameSync(`${buckets}.away`, buckets);
    expect(await health()).toEqual([200, "ok", undefined]);
  },
);

test.each([
  ["does not exist", (buckets: string) => renameSync(buckets, `${buckets}.away`)],
  [
    "has no bucket",
    (buckets: string) => {
      renameSync(buckets, `${buckets}.away`);
      mkdirSync(buckets);
    },
  ],
])("start: a storage folder that %s is refused while the state has queries, and nothing is made", async (why, lose) => {
  folder.fill();
  const service = await folder.start(["--tables", declared]);
  const id = await submitted(service, {});
  await ended(service, id);
  await kill(service.child, "SIGKILL");
  const buckets = join(folder.path, ".dag/buckets");
  lose(buckets);
  const before = existsSync(buckets) && readdirSync(buckets);
  const refused = folder.run(["--tables", declared]);
  expect(await refused.exit).toBe(1);
  expect(refused.stderr()).toMatch(
    new RegExp(
      `^dag-service: folder \\S+/buckets of the buckets ${why}, .*: mount its disk, .*create the folder \\S+\n$`,
    ),
  );
  expect(existsSync(buckets) && readdirSync(buckets)).toEqual(before);

  mkdirSync(join(buckets, "default"), { recursive: true });
  const second = await folder.start(["--tables", declared]);
  expect((await call(second, "GET", `/v1/${id}?query`)).json.status).toBe("finished");
});

test("start: a state file that does not exist is refused on a folder that has one, which moves there", async () => {
  folder.fill();
  const service = await folder.start(["--tables", declared]);
  await ended(service, await submitted(service, {}));
  await kill(service.child, "SIGTERM");
  const refused = folder.run(["--state", "sqlite:other.sqlite"]);
  expect(await refused.exit).toBe(2);
  expect(refused.stderr()).toMatch(
    /are recorded in \S+state\.sqlite, and state names \S+other\.sqlite, which does not/,
  );
  const data = join(folder.path, ".dag");
  for (const name of readdirSync(data).filter((entry) => entry.startsWith("state.sqlite"))) {
    renameSync(join(data, name), join(folder.path, name.replace("state", "other")));
  }
  const moved = await folder.start(["--state", "sqlite:other.sqlite"]);
  expect((await call(moved, "GET", "/v1/?query")).json.queries).toHaveLength(1);
});
