import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LogPart, QueryLogStore } from "../../../../service/state/query-logs";
import { LocalLogFiles } from "../../../../service/state/log-files";
import { SharedLogFiles } from "../../../../service/state/shared-logs";

/** A store in memory, which fails while `isGone`. */
class MemoryStore implements QueryLogStore {
  parts: LogPart[] = [];
  appends = 0;
  isGone = false;

  async append(parts: readonly LogPart[]): Promise<void> {
    this.appends += 1;
    if (this.isGone) throw new Error("gone");
    this.parts.push(...parts);
  }
  async read(id: number): Promise<string> {
    return this.#text(({ queryId }) => queryId === id);
  }
  async drop(cluster: string): Promise<void> {
    this.parts = this.parts.filter(({ clusterName }) => clusterName !== cluster);
  }
  async delete(id: number): Promise<number> {
    const text = await this.read(id);
    this.parts = this.parts.filter(({ queryId }) => queryId !== id);
    return Buffer.byteLength(text);
  }
  async bytes(cluster: string): Promise<number> {
    return (await this.all(cluster)).size;
  }
  async all(cluster: string) {
    const text = this.#text(({ clusterName }) => clusterName === cluster);
    return { size: Buffer.byteLength(text), open: () => Readable.from([text]) };
  }
  #text(matches: (part: LogPart) => boolean): string {
    return this.parts
      .filter(matches)
      .map(({ text }) => text)
      .join("");
  }
}

let directory: string;
let store: MemoryStore;
let local: LocalLogFiles;
let logs: SharedLogFiles;
const warn = vi.fn<(fields: object, message: string) => void>();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dag-shared-logs-"));
  warn.mockClear();
  const common = {
    clock: { now: () => Date.UTC(2026, 10, 20, 13, 46, 11), sleep: () => Promise.resolve() },
    log: { info: warn, warn, error: warn },
  };
  store = new MemoryStore();
  local = new LocalLogFiles({ ...common, directory: join(directory, "logs"), engines: join(directory, "clusters") });
  logs = new SharedLogFiles({ ...common, local, store });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const time = "2026-11-20T13:46:11.000Z";

test("query: lines are stored together, in their order, and are in the cluster's log of this process", async () => {
  for (const line of ["a", "b\nc"]) logs.query("c1", 7, line);
  await logs.flush();
  expect(store.appends).toBe(1);
  expect(await store.read(7)).toBe(`${time} a\n${time} b\n    c\n`);
  expect(readFileSync(join(directory, "logs/c1/cluster.log"), "utf8")).toContain("query 7 a\n");
});

test("query: lines are stored soon without being asked for", async () => {
  logs.query("c1", 7, "a");
  await expect.poll(() => store.read(7), { timeout: 3000 }).toBe(`${time} a\n`);
});

test("flush: what cannot be stored is kept, and stored with what comes later", async () => {
  store.isGone = true;
  logs.query("c1", 7, "a");
  await logs.flush();
  expect(warn).toHaveBeenCalledTimes(1);
  store.isGone = false;
  logs.query("c1", 7, "b");
  expect(await logs.readQuery("c1", 7)).toBe(`${time} a\n${time} b\n`);
});

test("readQuery, queryBytes and deleteQuery: also take what a log file of before the move to PostgreSQL has", async () => {
  local.query("c1", 7, "old");
  logs.query("c1", 7, "new");
  const whole = `${time} old\n${time} new\n`;
  expect(await logs.readQuery("c1", 7)).toBe(whole);
  expect(await logs.queryBytes("c1")).toBe(whole.length);
  expect(await logs.deleteQuery("c1", 7)).toBe(whole.length);
  expect(await logs.readQuery("c1", 7)).toBe("");
});

test("list: has the logs of all queries as one file beside those of this process", async () => {
  logs.query("c1", 7, "a");
  const files = await logs.list("c1");
  expect(files.map(({ name, size }) => [name, size > 0])).toEqual([
    ["service/cluster.log", true],
    ["service/queries.log", true],
  ]);
});
