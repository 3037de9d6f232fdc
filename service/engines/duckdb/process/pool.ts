/**
 * The engine processes of a cluster. Each running query and each check has a process of its own for as long as it takes;
 * one idle process is kept, so that the next request need not wait for a start.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ProcessEnded } from "../engine-errors";
import { EngineProcess, type ProcessContext } from "./engine-process";
import { findExcess, memoryShare, unresponsiveReason, type Use } from "./limits";

/** Milliseconds between the looks at the processes. */
const interval = 250;
/**
 * Looks in succession that find no idle process before one is started: a query of less than a second would only be slowed
 * down by the start, and needs no memory of another process beside it.
 */
const looksWithoutIdle = 4;
/** Milliseconds after which idle processes beyond the first are ended. */
const idleTime = 20_000;
/** Memory in bytes that a process may keep after a request; one that keeps more is replaced. */
const keptBytes = 48 * 1024 * 1024;
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

export class ProcessPool {
  /** Resolves with the reason when no process can be started any more. */
  readonly broken: Promise<string>;
  readonly #break: (reason: string) => void;
  readonly #options: PoolOptions;
  readonly #all = new Set<EngineProcess>();
  readonly #busy = new Map<EngineProcess, Use>();
  /** The idle processes, with the time of their last use; the one used last is at the end. */
  readonly #idle = new Map<EngineProcess, number>();
  /** The start of a process that nobody has asked for yet. */
  #spare: Promise<EngineProcess> | undefined;
  #failures = 0;
  /** The last looks in succession that found no idle process. */
  #looksWithoutIdle = 0;
  /** No spare process is started before this time. */
  #spareAfter = 0;
  #lastLook = performance.now();
  #timer: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();

  /** Opens a pool. Resolves when its first process accepts requests; rejects when that cannot start. */
  static async open(options: PoolOptions): Promise<ProcessPool> {
    const pool = new ProcessPool(options);
    try {
      pool.#release(await pool.#start());
      pool.#timer = setInterval(() => pool.#look(), interval);
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
    const process = await this.#take(signal);
    this.#busy.set(process, use);
    if (use === "query") this.#shareMemory();
    try {
      return await work(process);
    } finally {
      this.#busy.delete(process);
      if (use === "query") this.#shareMemory();
      this.#release(process);
    }
  }

  /** Ends all processes; the requests that run in them fail with the reason. */
  async close(): Promise<void> {
    this.#closed.abort(new ProcessEnded("closed", closedReason));
    clearInterval(this.#timer);
    for (const process of this.#all) process.end("closed", closedReason);
    await this.#spare?.catch(() => undefined);
    await Promise.all([...this.#all].map((process) => process.ended));
  }

  async #take(signal: AbortSignal): Promise<EngineProcess> {
    for (let attempt = 1; ; attempt += 1) {
      this.#closed.signal.throwIfAborted();
      signal.throwIfAborted();
      const [idle] = [...this.#idle.keys()].slice(-1);
      if (idle) this.#idle.delete(idle);
      if (idle?.usable) return idle;
      if (idle) continue;
      try {
        return await this.#nextUnlessAborted(signal);
      } catch (error) {
        this.#closed.signal.throwIfAborted();
        signal.throwIfAborted();
        if (attempt >= startAttempts) throw error;
        await sleep(pauses.first * 2 ** attempt, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Returns the next process; one that starts after the signal has aborted becomes idle. */
  async #nextUnlessAborted(signal: AbortSignal): Promise<EngineProcess> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    const next = this.#next();
    next.then(
      (process) => (signal.aborted ? this.#release(process) : undefined),
      () => undefined,
    );
    try {
      return await Promise.race([next, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Returns the process that is being started already, or starts one. */
  #next(): Promise<EngineProcess> {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare ?? this.#start();
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

  /** Takes a process back: it becomes idle, or is ended when it has kept much memory. */
  #release(process: EngineProcess): void {
    if (!process.usable) return;
    if (process.usedBytes > keptBytes) return process.end("closed", "it kept the memory of an earlier request");
    this.#idle.set(process, performance.now());
  }

  #shareMemory(): void {
    const queries = [...this.#busy].filter(([, use]) => use === "query");
    const share = memoryShare(this.#options.memoryBytes, queries.length);
    for (const [process] of queries) process.limitMemory(share);
  }

  #checkMemory(reporting: EngineProcess): void {
    if (!this.#busy.has(reporting)) return;
    const usable = new Map([...this.#busy].filter(([process]) => process.usable));
    const excess = findExcess(usable, this.#options.memoryBytes);
    excess?.process.end("memory", excess.reason);
  }

  #look(): void {
    const now = performance.now();
    const wasLate = now - this.#lastLook > 8 * interval;
    this.#lastLook = now;
    // This process itself did not run for a while, as when the machine slept: the reports are waiting to be read.
    if (!wasLate) this.#endUnresponsive();
    const oldest = this.#idle.entries().next().value;
    if (this.#idle.size > 1 && oldest && now - oldest[1] > idleTime) oldest[0].end("closed", "it was idle");
    this.#looksWithoutIdle = this.#idle.size === 0 ? this.#looksWithoutIdle + 1 : 0;
    const isNeeded = this.#looksWithoutIdle >= looksWithoutIdle;
    if (isNeeded && !this.#spare && now >= this.#spareAfter) void this.#startSpare();
  }

  #endUnresponsive(): void {
    for (const process of this.#all) {
      const reason = unresponsiveReason(process, this.#busy.get(process) ?? "idle");
      if (reason !== undefined) process.end("unresponsive", reason);
    }
  }

  /** Starts a process, which becomes idle unless a request takes it before. */
  async #startSpare(): Promise<void> {
    const spare = this.#start();
    this.#spare = spare;
    try {
      const process = await spare;
      if (this.#spare === spare) this.#release(process);
    } catch {
      // Tried again after a pause.
    } finally {
      if (this.#spare === spare) this.#spare = undefined;
    }
  }
}
