/** Tests that a stopped or killed `npm run …` also ends its child processes. */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

/** How npm's shell may run a script: some replace themselves by the command, others wait for it. */
const shells = {
  "that replaces itself": 'eval "exec $2"',
  "that waits": 'eval "$2"\nexit $?',
};
/** A terminal's Ctrl-C goes to the group. */
const signals = [
  ["SIGINT", "npm"],
  ["SIGINT", "the group"],
  ["SIGTERM", "npm"],
  ["SIGKILL", "npm"],
] as const;

test.each(
  Object.entries(shells).flatMap(([shell, text]) =>
    signals.map(([signal, target]) => [signal, target, shell, text] as const),
  ),
)("npm run service: %s to %s with a shell %s ends all of its processes", async (signal, target, _shell, text) => {
  const shell = join(data, "shell");
  writeFileSync(shell, `#!/bin/sh\n${text}\n`);
  chmodSync(shell, 0o755);
  const service = ["service", "--", "--listen", "127.0.0.1:0", "--data", data];
  const npm = spawn("npm", ["run", "--silent", `--script-shell=${shell}`, ...service], {
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
  if (target === "the group") process.kill(-npm.pid!, signal);
  else npm.kill(signal);
  for (let tries = 0; tries < 200 && runningOn(data).length > 0; tries++) await sleep(50);
  expect(runningOn(data).map(commandLineOf)).toEqual([]);
});
