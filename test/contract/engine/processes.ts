/** An engine's processes, as tests of it see them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Engine } from "../../../service/core/ports/engine";
import { bigRows, columns, endless, Machine, Recorder } from "./harness";

/** Takes many seconds to translate. */
export const monstrous = `SELECT ${Array.from({ length: 24_000 }, () => "n").join(",")} FROM big`;

/** Returns the IDs of the running processes of an engine, as it records them. */
export const processesOf = (machine: Machine, cluster = "c1") =>
  readdirSync(join(machine.directory(cluster), "processes")).map(Number);

/** Returns the processes in which queries have begun by now, in order, from the engine's log. */
export const startsOf = (machine: Machine) =>
  logRecords(machine).filter(({ msg, operation }) => msg === "started" && /^(select|split)$/.test(String(operation)));

/** Returns the process that runs the query of a context, or has run it, as soon as the log names it. */
export async function processOf(machine: Machine, { jobIds }: Recorder): Promise<number> {
  for (;;) {
    const start = startsOf(machine).find(({ operation, queryId }) => jobIds.includes(`${operation}-${queryId}`));
    if (start) return start.pid as number;
    await sleep(20);
  }
}

/** Returns the lines of an engine's log, of which the newest is perhaps not whole yet. */
function logRecords(machine: Machine): Record<string, unknown>[] {
  const lines = engineLog(machine).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const engineLog = (machine: Machine, cluster = "c1") =>
  readFileSync(join(machine.directory(cluster), "logs/engine.log"), "utf8");

/** Returns the memory of a process that is not shared with files. */
export const residentBytes = (pid: number) =>
  Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie process, whose parent has not waited for it yet, is still listed.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Returns the seconds for which the processors have worked for a process; undefined when it has ended. */
function processorSeconds(pid: number): number | undefined {
  if (!isAlive(pid)) return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Cancels a job and expects it to end within a second: a process of two threads works for two seconds in one. How long
 * that takes on a busy machine does not count.
 */
export async function expectCancel(controller: AbortController, running: Promise<unknown>, pid: number): Promise<void> {
  const before = processorSeconds(pid)!;
  controller.abort(new Error("cancelled by the user"));
  await expect(running).rejects.toThrow("cancelled by the user");
  expect((processorSeconds(pid) ?? before) - before).toBeLessThan(2);
}

/** Waits for a condition, which may need several starts of a process: the time limit is the test's. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

/** Resolves when DuckDB runs the statement of a context; rejects when it ended before. */
export async function runs({ steps }: Recorder, running: Promise<string>): Promise<void> {
  let isEnded = false;
  running.then(
    () => (isEnded = true),
    () => (isEnded = true),
  );
  await until(() => isEnded || steps.some(({ stage }) => stage === 2));
  if (isEnded) await running;
}

/** One machine and engine for the tests of a file that leave it as they found it; the others start their own. */
export interface SharedEngine {
  readonly machine: Machine;
  readonly engine: Engine;
  /** Starts the endless statement; resolves when DuckDB runs it. It ends with the test. */
  startEndless(
    machine: Machine,
    engine: Engine,
    signal?: AbortSignal,
  ): Promise<{ readonly running: Promise<string>; readonly pid: number }>;
}

/** Starts the shared engine before the tests of a file. */
export function useEngine(): SharedEngine {
  let testEnd = new AbortController();
  let shared: Pick<SharedEngine, "machine" | "engine">;
  beforeAll(async () => {
    process.env["DAG_SECRET_ACCESS_KEY"] = "secret-of-the-parent";
    const machine = new Machine();
    shared = { machine, engine: await machine.start() };
  });
  afterEach(() => {
    testEnd.abort(new Error("the test has ended"));
    testEnd = new AbortController();
  });
  afterAll(() => shared?.machine[Symbol.asyncDispose]());
  return {
    get machine() {
      return shared.machine;
    },
    get engine() {
      return shared.engine;
    },
    async startEndless(machine, engine, signal = AbortSignal.any([])) {
      const big = machine.table("big", bigRows, { columns: columns("n int") });
      const context = new Recorder(AbortSignal.any([signal, testEnd.signal]));
      const running = machine.run(engine, endless, [big], { context });
      running.catch(() => undefined);
      await runs(context, running);
      return { running, pid: await processOf(machine, context) };
    },
  };
}
