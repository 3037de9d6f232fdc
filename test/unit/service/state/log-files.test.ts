import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LocalLogFiles } from "../../../../service/state/log-files";

let directory: string;
const error = vi.fn<(fields: object, message: string) => void>();
const clock = { now: () => Date.UTC(2026, 10, 20, 13, 46, 11), sleep: () => Promise.resolve() };
const open = () =>
  new LocalLogFiles({
    directory: join(directory, "logs"),
    engines: join(directory, "clusters"),
    clock,
    log: { info: error, warn: error, error },
  });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dag-logs-"));
  error.mockClear();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("query: a text with newlines and control characters cannot forge another entry", async () => {
  const logs = open();
  logs.query("c1", 7, "select 1\n2026-11-20T13:46:11.000Z finished\r\u001b[2Jnext");
  expect(await logs.readQuery("c1", 7)).toBe(
    "2026-11-20T13:46:11.000Z select 1\n    2026-11-20T13:46:11.000Z finished\n    \\u001b[2Jnext\n",
  );
  expect(readFileSync(join(directory, "logs/c1/cluster.log"), "utf8")).toMatch(/^\S+ query 7 select 1\n {4}/);
});

test("readQuery: returns an empty text when there is no log", async () => {
  expect(await open().readQuery("c1", 1)).toBe("");
});

test("dropQueries: deletes only the logs of the cluster", async () => {
  const logs = open();
  logs.query("c1", 1, "a");
  logs.query("c2", 2, "b");
  logs.dropQueries("c1");
  expect(await logs.readQuery("c1", 1)).toBe("");
  expect(await logs.readQuery("c2", 2)).toContain("b");
  logs.dropQueries("c3");
  logs.query("c1", 3, "c");
  expect(await logs.readQuery("c1", 3)).toContain("c");
  expect(error).not.toHaveBeenCalled();
});

test("cluster: rotates a large log and keeps a few older files", () => {
  const logs = open();
  const file = join(directory, "logs/c1/cluster.log");
  logs.cluster("c1", "first");
  for (let round = 1; round <= 7; round += 1) {
    writeFileSync(file, `round ${round}\n${"x".repeat(8 * 1024 * 1024)}`);
    logs.cluster("c1", "over the limit");
  }
  expect(existsSync(file)).toBe(false);
  expect(readFileSync(`${file}.1`, "utf8")).toMatch(/^round 7\n/);
  expect(readFileSync(`${file}.4`, "utf8")).toMatch(/^round 4\n/);
  expect(existsSync(`${file}.5`)).toBe(false);
});

test("list: returns the service's and the engine's files with their size at that time", async () => {
  const logs = open();
  logs.cluster("c1", "up");
  mkdirSync(join(directory, "clusters/c1/logs/deep"), { recursive: true });
  writeFileSync(join(directory, "clusters/c1/logs/deep/engine.log"), "before");
  const files = await logs.list("c1");
  expect(files.map(({ name }) => name)).toEqual(["engine/deep/engine.log", "service/cluster.log"]);
  writeFileSync(join(directory, "clusters/c1/logs/deep/engine.log"), "before and after");
  expect(Buffer.concat(await files[0]!.open().toArray()).toString()).toBe("before");
  expect(await logs.list("c9")).toEqual([]);
});

test("a folder that cannot be written is reported in the service's log and fails nothing", () => {
  const logs = open();
  rmSync(join(directory, "logs"), { recursive: true });
  writeFileSync(join(directory, "logs"), "a file");
  logs.query("c1", 1, "lost");
  expect(error).toHaveBeenCalled();
});
