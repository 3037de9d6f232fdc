/** Ends a process with all that it has started, also what has moved to a process group of its own. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const lookEveryMs = 50;

/**
 * Asks a process to end, and after the grace period ends it and its descendants.
 *
 * @param pid the process
 * @param signal what to ask with
 * @param graceMs how long to wait for it
 */
export async function endProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const tree = [pid, ...descendantsOf(pid)];
  send(pid, signal);
  for (let waited = 0; isAlive(pid) && waited < graceMs; waited += lookEveryMs) await sleep(lookEveryMs);
  // What its end has orphaned, and what it has started meanwhile.
  for (const each of new Set([...tree, ...descendantsOf(pid)])) send(each, "SIGKILL");
}

/** Ends a process and its descendants at once. */
export function killTree(pid: number): void {
  for (const each of [pid, ...descendantsOf(pid)]) send(each, "SIGKILL");
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended but was not waited for yet does not count.
    return process.platform !== "linux" || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The command line of a process; empty where there is none or it cannot be seen. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

function descendantsOf(pid: number): number[] {
  const pairs = process.platform === "linux" ? pairsFromProc() : pairsFromPs();
  const children = Map.groupBy(pairs, ({ parent }) => parent);
  const found: number[] = [];
  for (let level = [pid]; level.length > 0; found.push(...level)) {
    level = level.flatMap((parent) => (children.get(parent) ?? []).map(({ child }) => child));
  }
  return found;
}

interface Pair {
  child: number;
  parent: number;
}

/** Minimal systems have no `ps`. */
function pairsFromProc(): Pair[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The name in brackets may hold anything, brackets included.
      const [, parent] = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ");
      return [{ child: Number(name), parent: Number(parent) }];
    } catch {
      return [];
    }
  });
}

function pairsFromPs(): Pair[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    return { child, parent };
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
