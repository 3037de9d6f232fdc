/** Ends a process and all its descendants, also those in process groups of their own. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const pollIntervalMs = 50;

/**
 * Sends a signal to a process, waits for its end, and kills what is left of it and its descendants.
 *
 * @param pid the process
 * @param signal the first signal, such as SIGTERM
 * @param graceMs how long to wait before SIGKILL
 */
export async function terminateTree(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const tree = [pid, ...descendantsOf(pid)];
  sendSignal(pid, signal);
  for (let waited = 0; isAlive(pid) && waited < graceMs; waited += pollIntervalMs) await sleep(pollIntervalMs);
  // Includes the processes that it orphaned at its end and those that it started in the meantime.
  for (const each of new Set([...tree, ...descendantsOf(pid)])) sendSignal(each, "SIGKILL");
}

/** Kills a process and its descendants with SIGKILL. */
export function killTree(pid: number): void {
  for (const each of [pid, ...descendantsOf(pid)]) sendSignal(each, "SIGKILL");
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie (ended, but not yet waited for) counts as ended.
    return process.platform !== "linux" || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Returns the command line of a process; empty when the process has ended or may not be read. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

/** Returns the processes that a process has started, and theirs: the nearest first. */
export function descendantsOf(pid: number): number[] {
  const pairs = process.platform === "linux" ? processesFromProc() : processesFromPs();
  const children = Map.groupBy(pairs, ({ parent }) => parent);
  const found: number[] = [];
  for (let level = [pid]; level.length > 0; found.push(...level)) {
    level = level.flatMap((parent) => (children.get(parent) ?? []).map(({ child }) => child));
  }
  return found;
}

interface ProcessAndParent {
  child: number;
  parent: number;
}

/** Reads /proc, because minimal Linux systems have no `ps`. */
function processesFromProc(): ProcessAndParent[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // The process name in brackets may contain any character, also brackets.
      const [, parent] = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ");
      return [{ child: Number(name), parent: Number(parent) }];
    } catch {
      return [];
    }
  });
}

function processesFromPs(): ProcessAndParent[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    return { child, parent };
  });
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
