/** Finds the engine processes of a service, and the query that each of them runs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds after which an engine process whose service is gone counts as an orphan. */
const grace = 5000;

/** The folder of a cluster. */
const clusterFolder = (directory: string, cluster = "c1") => join(directory, "clusters", cluster);

/** Returns the tokens by which the engine processes of a cluster are recognised. */
export function tokensOf(directory: string, cluster?: string): string[] {
  const folder = join(clusterFolder(directory, cluster), "processes");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return [...new Set(names.map((name) => readOr(join(folder, name), "")))].filter((token) => token !== "");
}

/** Returns the running processes that have one of the tokens as an argument. */
export function processesWith(tokens: readonly string[]): number[] {
  if (tokens.length === 0) return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  // A process that has ended, but for whose end nobody has waited, has no command line.
  const commandOf = (pid: string) => readOr(`/proc/${pid}/cmdline`, "");
  return pids.filter((pid) => tokens.some((token) => commandOf(pid).includes(token))).map(Number);
}

/** Waits until the processes are gone, and describes those that still run after five seconds. */
export async function orphansOf(find: () => readonly number[]): Promise<string[]> {
  for (const end = Date.now() + grace; ; await sleep(20)) {
    const left = find();
    if (left.length === 0 || Date.now() > end) return left.map(describe);
  }
}

function describe(pid: number): string {
  const fields = readOr(`/proc/${pid}/status`, "").split("\n");
  const wanted = fields.filter((line) => /^(State|PPid|Threads|VmRSS):/.test(line));
  return `process ${pid} (${wanted.join(", ").replaceAll(/\s+/g, " ")})`;
}

/** Returns the queries that run now, each with its process, as the engine's log says. */
export function queriesByProcess(directory: string): Map<number, number> {
  const running = new Map<number, number>();
  for (const { pid, msg, queryId } of engineRecords(directory)) {
    if (pid === undefined) continue;
    if (msg === "started" && queryId !== undefined) running.set(pid, queryId);
    else if (msg !== "translated statement") running.delete(pid);
  }
  return running;
}

/** Returns the query that a process, which has been killed, was the last to begin. */
export function lastQueryOf(directory: string, killed: number): number | undefined {
  return lastQueryIn(engineRecords(directory), killed);
}

function lastQueryIn(records: readonly EngineRecord[], killed: number): number | undefined {
  return records.findLast(({ pid, msg, queryId }) => pid === killed && msg === "started" && queryId !== undefined)
    ?.queryId;
}

/** Returns the queries that a process, which has been killed, was the last to begin, as the engines' logs in a folder say. */
export function lastQueriesOf(directory: string, killed: number): number[] {
  const paths = readdirSync(join(directory, "clusters"), { recursive: true, encoding: "utf8" });
  const logs = paths.filter((path) => /(?:^|\/)engine\.log(?:\.\d+)?$/.test(path));
  return logs.flatMap((path) => lastQueryIn(recordsIn(join(directory, "clusters", path)), killed) ?? []);
}

export function kill(pid: number, signal: "SIGKILL" | "SIGSTOP"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended by itself.
  }
}

interface EngineRecord {
  readonly pid?: number;
  readonly msg: string;
  readonly queryId?: number;
}

function engineRecords(directory: string): EngineRecord[] {
  return recordsIn(join(clusterFolder(directory), "logs/engine.log"));
}

function recordsIn(path: string): EngineRecord[] {
  const lines = readOr(path, "").split("\n");
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as EngineRecord];
    } catch {
      // The last line, of which a killed service has written a part.
      return [];
    }
  });
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}
