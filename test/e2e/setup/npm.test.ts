/** Tests that a stopped or killed `npm run …` also ends its child processes. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commandLineOf } from "../../../tools/quickstart/process-tree.mts";

const root = join(__dirname, "../../..");
let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "npm-test-"));
});
afterEach(() => {
  for (const pid of runningOn(data)) process.kill(pid, "SIGKILL");
  rmSync(data, { recursive: true, maxRetries: 5 });
});

function runningOn(folder: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => commandLineOf(pid).includes(folder));
}

test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
  "npm run service: %s to npm ends all of its processes",
  async (signal) => {
    const npm = spawn("npm", ["run", "--silent", "service", "--", "--listen", "127.0.0.1:0", "--data", data], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    let printed = "";
    npm.stdout.on("data", (chunk: Buffer) => (printed += chunk));
    while (!printed.includes('"msg":"listening"')) {
      expect(npm.exitCode, printed).toBeNull();
      await sleep(50);
    }
    npm.kill(signal);
    for (let tries = 0; tries < 200 && runningOn(data).length > 0; tries++) await sleep(50);
    expect(runningOn(data).map(commandLineOf)).toEqual([]);
  },
);
