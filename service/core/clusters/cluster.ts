/**
 * A cluster: an engine that is started, watched, started again when it ends by itself, and restarted on demand.
 *
 * init → starting → norm; norm → failed → starting → norm by itself, later and later; norm or failed → restarting →
 * norm on demand (specification §2.2, statuses as design §2).
 */
import { allowedClusterStatuses, errors, type ClusterRecord, type ClusterStatus } from "../../../contract";
import type { Clock, LogFiles, Logger } from "../ports/platform";
import { instanceCount, type InstanceGroup } from "./grades";
import type { Engine, EngineFamily } from "../ports/engine";
import type { ClusterSettings } from "../ports/state";

export interface ClusterOptions extends ClusterSettings {
  readonly name: string;
  readonly instances: readonly InstanceGroup[];
  /** The engine's memory limit in bytes. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** The cluster's own folder on this machine. */
  readonly directory: string;
  readonly families: ReadonlyMap<string, EngineFamily>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly logs: LogFiles;
}

/** Milliseconds that an engine may take to come up; one that does not is given up. */
const startLimit = 60_000;

/** Pause before a failed engine starts again: doubled with each failure in a row, up to the greatest. */
const backOff = { first: 500, greatest: 30_000, forgetAfter: 60_000 } as const;

export class Cluster {
  readonly name: string;
  /** Queries that may run at a time: instances − 1 (specification §8). */
  readonly slots: number;
  /** The export that runs, if one does (specification §4.11). */
  exporting: Promise<void> | undefined;

  readonly #options: ClusterOptions;
  #settings: ClusterSettings;
  #status: ClusterStatus = "init";
  #engine: Engine | undefined;
  #waiting = new Set<(engine: Engine) => void>();
  /** Ends the pause before the next start. */
  #hurry = new AbortController();
  #restarting = false;
  #killedBecause: string | undefined;
  #closed = false;
  #supervision: Promise<void> | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#settings = { type: options.type, debug: options.debug };
    this.name = options.name;
    this.slots = instanceCount(options.instances) - 1;
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  /** The engine, where it takes work. */
  get engine(): Engine | undefined {
    return this.#engine;
  }

  /** Why {@link kill} ended the engine; undefined where it did not. */
  get killedBecause(): string | undefined {
    return this.#killedBecause;
  }

  get settings(): ClusterSettings {
    return this.#settings;
  }

  get instances(): readonly InstanceGroup[] {
    return this.#options.instances;
  }

  record(): ClusterRecord {
    const instances = this.#options.instances.map(({ grade, quantity }) => ({ grade, quantity }));
    return { name: this.name, status: this.#status, type: this.#settings.type, instances, debug: this.#settings.debug };
  }

  /** @throws InvalidClusterState unless the cluster's status allows the operations of the group. */
  require(group: keyof typeof allowedClusterStatuses): void {
    const allowed: readonly ClusterStatus[] = allowedClusterStatuses[group];
    if (allowed.includes(this.#status)) return;
    throw new errors.InvalidClusterState(
      `cluster "${this.name}" is ${this.#status}; this needs it to be ${allowed.join(" or ")}: try again when it is`,
      { field: "clusterName" },
    );
  }

  /** Starts the engine and keeps it running. Resolves when the first attempt has succeeded or failed. */
  start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#supervision ??= this.#supervise(resolve);
    return promise;
  }

  /** The engine as soon as it takes work; undefined when the signal aborts first. */
  whenUp(signal: AbortSignal): Promise<Engine | undefined> {
    if (this.#engine || signal.aborted) return Promise.resolve(signal.aborted ? undefined : this.#engine);
    return new Promise((resolve) => {
      const up = (engine: Engine | undefined) => {
        this.#waiting.delete(up);
        signal.removeEventListener("abort", gone);
        resolve(engine);
      };
      const gone = () => up(undefined);
      this.#waiting.add(up);
      signal.addEventListener("abort", gone);
    });
  }

  /**
   * Begins a restart: from now on the cluster is `restarting`; the engine ends when `ready` has resolved.
   * The caller has checked {@link require}.
   */
  restart(settings: ClusterSettings, ready: Promise<unknown>): void {
    this.#settings = settings;
    this.#restarting = true;
    this.#status = "restarting";
    this.#note(`restarting as ${settings.type}${settings.debug ? ", debug" : ""}`);
    const engine = this.#engine;
    this.#engine = undefined;
    void ready.then(
      () => engine?.close(),
      () => engine?.close(),
    );
    if (engine === undefined) this.#hurry.abort();
  }

  /** Ends an engine that does not do what it must; the cluster fails and comes back by itself. */
  async kill(engine: Engine, reason: string): Promise<void> {
    if (engine !== this.#engine) return;
    this.#killedBecause = reason;
    await engine.close();
  }

  /** Ends the engine for good. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#status = "stopped";
    this.#hurry.abort();
    await this.#engine?.close();
    await this.#supervision;
  }

  async #supervise(firstAttemptDone: () => void): Promise<void> {
    let failures = 0;
    while (!this.#closed) {
      if (!this.#restarting) this.#status = "starting";
      this.#restarting = false;
      this.#hurry = new AbortController();
      const startedAt = this.#options.clock.now();
      const reason = await this.#runEngine(firstAttemptDone);
      firstAttemptDone();
      if (this.#closed) break;
      if (this.#restarting) continue;
      this.#status = "failed";
      failures = this.#options.clock.now() - startedAt > backOff.forgetAfter ? 1 : failures + 1;
      const pause = Math.min(backOff.first * 2 ** (failures - 1), backOff.greatest);
      this.#note(`failed: ${reason}; starts again in ${pause} ms`);
      this.#options.log.warn({ clusterName: this.name, reason, pauseMs: pause }, "cluster failed");
      await this.#options.clock.sleep(pause, this.#hurry.signal);
    }
    this.#status = "stopped";
  }

  /** Starts an engine and waits for its end; the answer says why it ended. */
  async #runEngine(started: () => void): Promise<string> {
    const { families, name, memoryBytes, threads, directory } = this.#options;
    const { type, debug } = this.#settings;
    this.#killedBecause = undefined;
    try {
      const family = families.get(type);
      if (!family) return `this service has no engine family "${type}"`;
      const engine = await inTime(family.start({ clusterName: name, debug, memoryBytes, threads, directory }));
      if (this.#closed) {
        await engine.close();
        return "the service stops";
      }
      this.#engine = engine;
      this.#status = "norm";
      this.#note(`up: ${type}, memory limit ${memoryBytes} bytes, ${threads} threads`);
      this.#options.log.info({ clusterName: name, type }, "cluster up");
      started();
      for (const up of this.#waiting) up(engine);
      const end = await engine.ended;
      if (this.#engine === engine) this.#engine = undefined;
      return this.#killedBecause ?? end.reason;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #note(line: string): void {
    this.#options.logs.cluster(this.name, `cluster ${line}`);
  }
}

/** The engine, unless it takes too long; one that comes up later is ended again. */
async function inTime(starting: Promise<Engine>): Promise<Engine> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`the engine did not come up within ${startLimit / 1000} seconds`));
    }, startLimit);
  });
  starting.then(
    (engine) => (isLate ? engine.close() : undefined),
    () => undefined,
  );
  try {
    return await Promise.race([starting, late]);
  } finally {
    clearTimeout(timer);
  }
}
