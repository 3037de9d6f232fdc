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
/** A process id that no system assigns. */
const unusedPid = 2 ** 22 + 1;

describe("withLock", () => {
  test("runs all work, one at a time", async () => {
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

  test("returns the result of the work", async () => {
    await expect(withLock(file, async () => 42)).resolves.toBe(42);
  });

  test("releases the lock when the work fails", async () => {
    await expect(withLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(existsSync(file)).toBe(false);
  });

  test("breaks the lock of a process that has ended", async () => {
    await withLock(file, async () => {});
    writeFileSync(file, holder(unusedPid));
    await expect(withLock(file, async () => "done")).resolves.toBe("done");
  });

  test("breaks a lock that its holder has not refreshed for a long time", async () => {
    await withLock(file, async () => {});
    writeFileSync(file, holder(process.pid));
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(file, longAgo, longAgo);
    await expect(withLock(file, async () => "done")).resolves.toBe("done");
  });

  test("waits while the holder is alive", async () => {
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
