import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withLock } from "../../../../tools/setup/lock.mjs";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-test-"));
  file = join(folder, "below", "lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

const holder = (pid: number) => JSON.stringify({ pid, host: hostname(), nonce: 1 });
/** Above every process id that a system gives out. */
const nobody = 2 ** 22 + 1;

describe("withLock", () => {
  test("runs one at a time, and all of them", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await sleep(20);
      return --inside;
    };
    await Promise.all([withLock(file, work), withLock(file, work), withLock(file, work)]);
    expect(most).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test("returns what the work returns", async () => {
    await expect(withLock(file, async () => 42)).resolves.toBe(42);
  });

  test("is released where the work fails", async () => {
    await expect(withLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(existsSync(file)).toBe(false);
  });

  test("takes over from a process that is gone", async () => {
    await withLock(file, async () => {});
    writeFileSync(file, holder(nobody));
    await expect(withLock(file, async () => "done")).resolves.toBe("done");
  });

  test("takes over from a holder that has long not freshened it", async () => {
    await withLock(file, async () => {});
    writeFileSync(file, holder(process.pid));
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(file, longAgo, longAgo);
    await expect(withLock(file, async () => "done")).resolves.toBe("done");
  });

  test("waits for a holder that is alive", async () => {
    await withLock(file, async () => {});
    writeFileSync(file, holder(process.pid));
    let entered = false;
    const waiting = withLock(file, async () => {
      entered = true;
    });
    await sleep(500);
    expect(entered).toBe(false);
    rmSync(file);
    await waiting;
    expect(entered).toBe(true);
  });
});
