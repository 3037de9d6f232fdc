/**
 * A cluster supervises one engine: it starts it, restarts it after a crash with back-off, and restarts it on demand.
 *
 * Statuses (specification §2.2, design §2): init → starting → norm; after a crash norm → failed → starting → norm; on
 * demand norm or failed → restarting → norm.
 */
import { allowedClusterStatuses, errors, type ClusterRecord, type ClusterStatus } from "../../../contract";
import type { Clock, LogFiles, Logger } from "../ports/platform";
import { instanceCount, type InstanceGroup } from "./grades";
import type { Engine, EngineFamily } from "../ports/engine";
import type { ClusterSettings, ClusterState } from "../ports/state";

export interface ClusterOptions extends ClusterSettings {
  readonly name: string;
  readonly instances: readonly InstanceGroup[];
  /** The engine's memory limit in bytes. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** The cluster's folder on this machine. */
  readonly directory: string;
  readonly families: ReadonlyMap<string, EngineFamily>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logs: LogFiles;
}

/** Milliseconds that an engine may take to start; a slower one counts as failed. */
const startTimeout = 60_000;

/**
 * Milliseconds of pause before a failed engine starts again: doubled after each failure until it ran for `resetAfter`.
 */
const backOff = { initial: 500, max: 30_000, resetAfter: 60_000 } as const;

export class Cluster {
  readonly name: string;
  /** Maximum number of queries that run at the same time: instances − 1 (specification §8). */
  readonly slots: number;
  /** The engine's memory limit in bytes. */
  readonly memoryBytes: number;
  /** The log export that this process runs, if any (specification §4.11). */
  exporting: Promise<void> | undefined;

  readonly #options: ClusterOptions;
  #settings: ClusterState;
  #status: ClusterStatus = "init";
  #engine: Engine | undefined;
  #engineWaiters = new Set<(engine: Engine) => void>();
  /** Aborted to end the pause before the next start. */
  #backOffAbort = new AbortController();
  /** Aborted to end the start of an engine. */
  #startAbort = new AbortController();
  #restarting = false;
  #closed = false;
  #supervision: Promise<void> | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#settings = { type: options.type, debug: options.debug, generation: 0 };
    this.name = options.name;
    this.memoryBytes = options.memoryBytes;
    this.slots = instanceCount(options.instances) - 1;
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  /** The engine; undefined while none accepts jobs. */
  get engine(): Engine | undefined {
    return this.#engine;
  }

  get settings(): ClusterSettings {
    return this.#settings;
  }

  /** The number of the restart with whose settings the engine runs or is being started. */
  get generation(): number {
    return this.#settings.generation;
  }

  /** Sets what the cluster starts with. Called before {@link start}. */
  configure(settings: ClusterState): void {
    // An earlier restart may have selected an engine family that this service no longer has.
    const type = this.#options.families.has(settings.type) ? settings.type : this.#options.type;
    this.#settings = { ...settings, type };
  }

  get instances(): readonly InstanceGroup[] {
    return this.#options.instances;
  }

  record(): ClusterRecord {
    const instances = this.#options.instances.map(({ grade, quantity }) => ({ grade, quantity }));
    return { name: this.name, status: this.#status, type: this.#settings.type, instances, debug: this.#settings.debug };
  }

  /** Checks that the cluster's status allows a group of operations. @throws InvalidClusterState */
  requireStatus(group: keyof typeof allowedClusterStatuses): void {
    const allowed: readonly ClusterStatus[] = allowedClusterStatuses[group];
    if (!allowed.includes(this.#status)) throw this.statusError(this.#status, group);
  }

  /** Returns the error of an operation that a status does not allow. */
  statusError(status: ClusterStatus, group: keyof typeof allowedClusterStatuses) {
    return new errors.InvalidClusterState(
      `cluster "${this.name}" has the status ${status}, the operation requires ${allowedClusterStatuses[group].join(" or ")}: try again later`,
      { field: "clusterName" },
    );
  }

  /** Starts the engine and keeps it running. Resolves when the first start has succeeded or failed. */
  start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#supervision ??= this.#supervise(resolve);
    return promise;
  }

  /** Resolves with the engine when it accepts jobs, or with undefined when the signal aborts first. */
  waitForEngine(signal: AbortSignal): Promise<Engine | undefined> {
    if (this.#engine || signal.aborted) return Promise.resolve(signal.aborted ? undefined : this.#engine);
    return new Promise((resolve) => {
      const notify = (engine: Engine | undefined) => {
        this.#engineWaiters.delete(notify);
        signal.removeEventListener("abort", onAbort);
        resolve(engine);
      };
      const onAbort = () => notify(undefined);
      this.#engineWaiters.add(notify);
      signal.addEventListener("abort", onAbort);
    });
  }

  /**
   * Begins a restart: the status becomes `restarting` at once, and the engine ends when `ready` has settled. The caller
   * has called {@link requireStatus}. Does nothing when the cluster is at this restart or a later one.
   */
  restart(settings: ClusterState, ready: Promise<unknown>): void {
    if (settings.generation <= this.generation || this.#closed) return;
    this.configure(settings);
    this.#restarting = true;
    this.#status = "restarting";
    this.#logLine(`restarting as ${settings.type}${settings.debug ? ", debug" : ""}`);
    const engine = this.#engine;
    this.#engine = undefined;
    void ready.then(
      () => engine?.close(),
      () => engine?.close(),
    );
    if (engine === undefined) this.#backOffAbort.abort();
  }

  /** Ends the engine and the supervision. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#status = "stopped";
    this.#backOffAbort.abort();
    this.#startAbort.abort();
    await this.#engine?.close();
    await this.#supervision;
  }

  async #supervise(onFirstAttempt: () => void): Promise<void> {
    let failures = 0;
    while (!this.#closed) {
      if (!this.#restarting) this.#status = "starting";
      this.#restarting = false;
      this.#backOffAbort = new AbortController();
      const startedAt = this.#options.clock.now();
      const reason = await this.#runEngine(onFirstAttempt);
      onFirstAttempt();
      if (this.#closed) break;
      if (this.#restarting) continue;
      this.#status = "failed";
      failures = this.#options.clock.now() - startedAt > backOff.resetAfter ? 1 : failures + 1;
      const pause = Math.min(backOff.initial * 2 ** (failures - 1), backOff.max);
      this.#logLine(`failed: ${reason}; restarting in ${pause} ms`);
      this.#options.log.warn({ clusterName: this.name, reason, pauseMs: pause }, "cluster failed");
      await this.#options.clock.sleep(pause, this.#backOffAbort.signal);
    }
    this.#status = "stopped";
  }

  /** Starts an engine, waits until it ends and returns the reason. */
  async #runEngine(onStarted: () => void): Promise<string> {
    const { families, name, memoryBytes, threads, directory } = this.#options;
    const { type, debug } = this.#settings;
    try {
      const family = families.get(type);
      if (!family) return `this service does not support the cluster type "${type}"`;
      this.#startAbort = new AbortController();
      const { signal } = this.#startAbort;
      const starting = family.start({ clusterName: name, debug, memoryBytes, threads, directory, signal });
      const engine = await withStartTimeout(starting, this.#startAbort, this.#options.clock);
      if (this.#closed) {
        await engine.close();
        return "the service is stopping";
      }
      this.#engine = engine;
      this.#status = "norm";
      this.#logLine(`up: ${type}, memory limit ${memoryBytes} bytes, ${threads} threads`);
      this.#options.log.info({ clusterName: name, type }, "cluster up");
      if (this.slots < 1) this.#options.log.warn({ clusterName: name }, "cluster has one instance: it runs no queries");
      onStarted();
      for (const notify of this.#engineWaiters) notify(engine);
      const end = await engine.ended;
      if (this.#engine === engine) this.#engine = undefined;
      return end.reason;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #logLine(line: string): void {
    this.#options.logs.cluster(this.name, `cluster ${line}`);
  }
}

/** Resolves with the started engine, or rejects after the time limit; an engine that starts later is closed. */
async function withStartTimeout(starting: Promise<Engine>, abort: AbortController, clock: Clock): Promise<Engine> {
  const settled = new AbortController();
  let timedOut = false;
  const timeout = async (): Promise<never> => {
    await clock.sleep(startTimeout, settled.signal);
    timedOut = !settled.signal.aborted;
    if (timedOut) abort.abort();
    throw new Error(`the engine did not start within ${startTimeout / 1000} seconds`);
  };
  starting.then(
    (engine) => (timedOut ? engine.close() : undefined),
    () => undefined,
  );
  try {
    return await Promise.race([starting, timeout()]);
  } finally {
    settled.abort();
  }
}
