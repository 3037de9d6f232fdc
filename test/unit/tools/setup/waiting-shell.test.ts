import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isShell, WaitingShell } from "../../../../tools/setup/waiting-shell.mjs";

describe.skipIf(process.platform !== "linux")("a shell that waits for its command", () => {
  let child: ChildProcess;
  let shell: WaitingShell;
  let now: number;
  const pid = () => child.pid!;
  const poll = () => shell.wasInterrupted((now += 200));
  const read = (file: string) => readFileSync(`/proc/${pid()}/${file}`, "utf8");

  beforeEach(async () => {
    child = spawn("sh", ["-c", "sleep 60; true"], { detached: true });
    shell = new WaitingShell(pid());
    now = 0;
    while (!isShell(pid()) || read(`task/${pid()}/children`) === "" || !/^State:\s*S/m.test(read("status")))
      await pause(10);
    // Late, the first that can be compared, and the one that finds no change.
    for (let polls = 0; polls < 3; polls++) poll();
  });
  afterEach(() => void process.kill(-pid(), "SIGKILL"));

  /** Polls as long as the shell can still react, at most 5 seconds; true as soon as it was found interrupted. */
  async function interrupted(): Promise<boolean> {
    for (let tries = 0; tries < 50; tries++) {
      if (poll()) return true;
      await pause(10);
    }
    return false;
  }

  test("wasInterrupted: is true after a SIGINT, and false without one", async () => {
    expect(await interrupted()).toBe(false);
    child.kill("SIGINT");
    expect(await interrupted()).toBe(true);
  });

  test("wasInterrupted: is false after a pause that this process did not see, as of Ctrl-Z or of a container", async () => {
    child.kill("SIGSTOP");
    while (!/^State:\s*T/m.test(read("status"))) await pause(10);
    child.kill("SIGCONT");
    while (!/^State:\s*S/m.test(read("status"))) await pause(10);
    now += 60_000;
    expect(await interrupted()).toBe(false);
  });

  test("wasInterrupted: is false for a shell that was stopped alone", async () => {
    child.kill("SIGSTOP");
    while (!/^State:\s*T/m.test(read("status"))) await pause(10);
    expect(poll()).toBe(false);
    child.kill("SIGCONT");
    while (!/^State:\s*S/m.test(read("status"))) await pause(10);
    expect(await interrupted()).toBe(false);
  });

  test("isShell: is false for a program that is no shell", () => {
    expect(isShell(process.pid)).toBe(false);
  });
});
