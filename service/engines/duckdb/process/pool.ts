/**
 * The engine processes of a cluster. Each running query and each check has a process of its own for as long as it takes;
 * then others use it. One idle process is kept, so that the next request need not wait for a start.
 */
import { availableParallelism, cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { ProcessEnded } from "../engine-errors";
import { EngineProcess, type ProcessContext } from "./engine-process";
import { findProcessToEnd, memoryShare, unresponsiveReason, type Use } from "./limits";

/** Milliseconds between the checks of the processes. */
const interval = 250;
/** Checks in succession that find no idle process, and a free core, before one is started that nobody waits for. */
const checksWithoutIdle = 4;
/** Milliseconds after which idle processes beyond the first are ended. */
const idleTime = 60_000;
/** Memory in bytes that a process may use when it has given back that of its requests; one that uses more is ended. */
const restBytes = 160 * 1024 * 1024;
/** Milliseconds after which an idle process has given back the memory of its last request. */
const restTime = 5000;
/** Processes that are started at the same time for requests that wait: with more, all would be ready later. */
const maxStarts = availableParallelism();
/** Starts that are tried for one request. */
const startAttempts = 3;
/** Failed starts in succession after which the pool is broken. */
const brokenAfter = 3;
/** Milliseconds of pause after the first of several failed starts, doubled after each, and their maximum. */
const pauses = { first: 200, longest: 10_000 } as const;

const closedReason = "the engine was closed";

export interface PoolOptions extends Omit<ProcessContext, "onReport" | "settings"> {
  /** Returns the settings of the next process. */
  readonly settings: () => ProcessContext["settings"];
  /** Memory limit of all queries together, in bytes. */
  readonly memoryBytes: number;
}

interface Waiter extends PromiseWithResolvers<EngineProcess> {
  readonly use: Use;
}

export class ProcessPool {
  /** Resolves with the reason when no process can be started any more. */
  readonly broken: Promise<string>;
  readonly #break: (reason: string) => void;
  readonly #options: PoolOptions;
  readonly #all = new Set<EngineProcess>();
  readonly #busy = new Map<EngineProcess, Use>();
  /** The idle processes, with the time of their last use; the one used last is at the end. */
  readonly #idle = new Map<EngineProcess, number>();
  /** The processes that give back the memory of their last request. */
  readonly #settling = new Set<EngineProcess>();
  /** The requests that wait for a process: checks first, because they soon give it back, and of each the oldest first. */
  readonly #waiting: Waiter[] = [];
  readonly #starting = new Set<Promise<void>>();
  #failures = 0;
  /** The last checks in succession that found no idle process. */
  #checksWithoutIdle = 0;
  /** No spare process is started before this time. */
  #spareAfter = 0;
  #lastCheck = performance.now();
  /** Time in which the machine's processors had nothing to do, at the last check. */
  #idleMilliseconds = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();

  /** Opens a pool. Resolves when its first process accepts requests; rejects when that cannot start. */
  static async open(options: PoolOptions): Promise<ProcessPool> {
    const pool = new ProcessPool(options);
    try {
      pool.#offer(await pool.#start());
      pool.#timer = setInterval(() => pool.#check(), interval);
      pool.#timer.unref();
      return pool;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  private constructor(options: PoolOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.broken = promise;
    this.#break = resolve;
  }

  /**
   * Runs `work` with a process of its own.
   * @throws the error of `work`, the signal's reason, or {@link ProcessEnded} when no process can be started.
   */
  async use<Result>(use: Use, signal: AbortSignal, work: (process: EngineProcess) => Promise<Result>): Promise<Result> {
    const process = await this.#take(use, signal);
    this.#busy.set(process, use);
    if (use === "query") this.#shareMemory();
    try {
      return await work(process);
    } finally {
      this.#busy.delete(process);
      if (use === "query") this.#shareMemory();
      void this.#settle(process);
    }
  }

  /** Ends all processes; the requests that run in them fail with the reason. */
  async close(): Promise<void> {
    const reason = new ProcessEnded("closed", closedReason);
    this.#closed.abort(reason);
    for (const waiter of this.#waiting.splice(0)) waiter.reject(reason);
    clearInterval(this.#timer);
    for (const process of this.#all) process.end("closed", closedReason);
    await Promise.all(this.#starting);
    await Promise.all([...this.#all].map((process) => process.ended));
  }

  async #take(use: Use, signal: AbortSignal): Promise<EngineProcess> {
    for (let attempt = 1; ; attempt += 1) {
      this.#closed.signal.throwIfAborted();
      signal.throwIfAborted();
      const [idle] = [...this.#idle.keys()].slice(-1);
      if (idle) this.#idle.delete(idle);
      if (idle?.usable) return idle;
      if (idle) continue;
      try {
        return await this.#nextUnlessAborted(use, signal);
      } catch (error) {
        this.#closed.signal.throwIfAborted();
        signal.throwIfAborted();
        if (attempt >= startAttempts) throw error;
        await sleep(pauses.first * 2 ** attempt, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Waits for the next process that is free. */
  async #nextUnlessAborted(use: Use, signal: AbortSignal): Promise<EngineProcess> {
    const waiter = { use, ...Promise.withResolvers<EngineProcess>() };
    const abort = () => {
      this.#stopWaiting(waiter);
      waiter.reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    const firstQuery = this.#waiting.findIndex((other) => other.use === "query");
    if (use === "query" || firstQuery < 0) this.#waiting.push(waiter);
    else this.#waiting.splice(firstQuery, 0, waiter);
    this.#startMissing();
    try {
      return await waiter.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  #stopWaiting(waiter: Waiter): void {
    const index = this.#waiting.indexOf(waiter);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  /** Starts a process when more requests wait than processes are about to be free; the others may be served by then. */
  #startMissing(): void {
    const missing = this.#waiting.length - this.#settling.size;
    while (this.#starting.size < Math.min(missing, maxStarts)) this.#startOne();
  }

  #startOne(): void {
    const start = this.#start().then(
      (process) => this.#offer(process),
      (error: unknown) => this.#waiting.shift()?.reject(error),
    );
    this.#starting.add(start);
    void start.finally(() => {
      this.#starting.delete(start);
      this.#startMissing();
    });
  }

  async #start(): Promise<EngineProcess> {
    const { settings, ...context } = this.#options;
    try {
      const onReport = (process: EngineProcess) => this.#checkMemory(process);
      const process = await EngineProcess.start({ ...context, settings: settings(), onReport });
      this.#failures = 0;
      this.#all.add(process);
      void this.#forget(process);
      if (this.#closed.signal.aborted) process.end("closed", closedReason);
      return process;
    } catch (error) {
      this.#failures += 1;
      const pause = Math.min(pauses.first * 2 ** this.#failures, pauses.longest);
      this.#spareAfter = performance.now() + pause;
      if (this.#failures >= brokenAfter && this.#busy.size === 0) this.#break((error as Error).message);
      throw error;
    }
  }

  async #forget(process: EngineProcess): Promise<void> {
    const { cause, reason } = await process.ended;
    this.#all.delete(process);
    this.#idle.delete(process);
    if (cause !== "closed") this.#options.log.logger.warn({ pid: process.pid, cause, reason }, "process ended");
  }

  /** Takes a process back when it has given back the memory of its request. */
  async #settle(process: EngineProcess): Promise<void> {
    this.#settling.add(process);
    await process.idle;
    this.#settling.delete(process);
    this.#endIfHeavy(process, process.keptBytes);
    this.#offer(process);
    this.#startMissing();
  }

  /** Ends a process that uses much memory without a request, beyond what it is about to give back. */
  #endIfHeavy(process: EngineProcess, keptBytes: number): void {
    if (!process.usable || process.usedBytes - keptBytes <= restBytes) return;
    process.end("closed", "it kept the memory of an earlier request");
  }

  /** Gives a process to the request that waits longest; without one it becomes idle. */
  #offer(process: EngineProcess): void {
    if (!process.usable) return;
    const waiter = this.#waiting.shift();
    if (waiter) waiter.resolve(process);
    else this.#idle.set(process, performance.now());
  }

  #shareMemory(): void {
    const queries = [...this.#busy].filter(([, use]) => use === "query");
    const share = memoryShare(this.#options.memoryBytes, queries.length);
    for (const [process] of queries) process.limitMemory(share);
  }

  #checkMemory(reporting: EngineProcess): void {
    if (!this.#busy.has(reporting)) return;
    const usable = new Map([...this.#busy].filter(([process]) => process.usable));
    const excess = findProcessToEnd(usable, this.#options.memoryBytes);
    excess?.process.end("memory", excess.reason);
  }

  #check(): void {
    const now = performance.now();
    const wasLate = now - this.#lastCheck > 8 * interval;
    this.#lastCheck = now;
    // This process itself did not run for a while, as when the machine slept: the reports are waiting to be read.
    if (!wasLate) this.#endUnresponsive();
    const oldest = this.#idle.entries().next().value;
    if (this.#idle.size > 1 && oldest && now - oldest[1] > idleTime) oldest[0].end("closed", "it was idle");
    for (const [process, since] of this.#idle) if (now - since > restTime) this.#endIfHeavy(process, 0);
    if (this.#needsSpare(now)) this.#startOne();
  }

  /** True when the next request would have to wait for a start, and a start would take no core from the queries. */
  #needsSpare(now: number): boolean {
    if (this.#idle.size + this.#settling.size + this.#starting.size > 0) {
      this.#checksWithoutIdle = 0;
      return false;
    }
    const before = this.#idleMilliseconds;
    this.#idleMilliseconds = cpus().reduce((sum, { times }) => sum + times.idle, 0);
    const isCoreFree = this.#idleMilliseconds - before >= interval;
    this.#checksWithoutIdle = isCoreFree ? this.#checksWithoutIdle + 1 : 0;
    return this.#checksWithoutIdle >= checksWithoutIdle && now >= this.#spareAfter;
  }

  #endUnresponsive(): void {
    for (const process of this.#all) {
      const reason = unresponsiveReason(process, this.#busy.get(process) ?? "idle");
      if (reason !== undefined) process.end("unresponsive", reason);
    }
  }
}
