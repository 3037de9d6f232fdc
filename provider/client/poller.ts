/**
 * Polls running queries. One list of a cluster's running queries serves every wait for a query on that cluster, so the
 * number of requests does not grow with the number of waits.
 */
import type { QueryRecord, QuerySummary } from "./types";
import type { Clock } from "./clock";
import { isTransient, MalformedAnswerError, WaitError } from "./errors";
import { requireMilliseconds } from "./options";
import { retryTiming } from "./retry";
import { defaultPollTiming, pollDelay, type PollTiming } from "./wait-until";

/** The requests that the poller sends. */
export interface PollSource {
  /** Yields all running queries of a cluster. */
  running(clusterName: string, signal: AbortSignal): AsyncIterable<QuerySummary>;
  getQuery(queryId: number, signal: AbortSignal): Promise<QueryRecord>;
}

/** The query to wait for, and the options of the wait. */
export interface QueryWait {
  readonly queryId: number;
  /** The cluster that the query runs on. */
  readonly clusterName: string;
  /**
   * Called with the query's record at every poll while the query is running. The wait ends after the promise of the last
   * call, and rejects with an error of any call.
   */
  readonly observed?: ((record: QuerySummary) => void | Promise<void>) | undefined;
  /** Milliseconds after which the wait ends with an error. @default no limit */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Minimum interval between two polls of a cluster while several waits share them, in milliseconds. */
export const minSharedPollInterval = 100;

/** Polls the running queries of every cluster that has at least one wait. */
export class QueryPoller {
  readonly #clusters = new Map<string, ClusterPoller>();
  readonly #closed = new AbortController();

  constructor(
    private readonly source: PollSource,
    private readonly clock: Clock,
    private readonly timing: PollTiming,
  ) {}

  /**
   * Waits until the query is no longer `running` and resolves with its record. Ignores transient failures.
   * @throws {WaitError} at the timeout or when the signal is aborted, with the last observed record; any permanent
   * error of the service, such as QueryNotFound.
   */
  async wait(wait: QueryWait): Promise<QueryRecord> {
    const { queryId, clusterName, signal } = wait;
    const timeout = wait.timeout === undefined ? undefined : requireMilliseconds("timeout", wait.timeout);
    const ended = new AbortController();
    const stop = AbortSignal.any([ended.signal, this.#closed.signal, ...(signal ? [signal] : [])]);
    const waiter = new Waiter(wait);
    const what = `query ${queryId} on cluster "${clusterName}"`;
    const onStop = () =>
      waiter.reject(waiter.createError("WaitAborted", `the wait for ${what} was aborted`, stop.reason));
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop, { once: true });
    if (timeout !== undefined) {
      this.clock.sleep(timeout, ended.signal).then(
        () =>
          waiter.reject(
            waiter.createError(
              "WaitTimedOut",
              `the wait for ${what} timed out after ${(timeout / 1_000).toFixed(1)} s`,
            ),
          ),
        () => {},
      );
    }
    const cluster = this.#cluster(clusterName);
    cluster.add(waiter);
    try {
      return await waiter.promise;
    } finally {
      stop.removeEventListener("abort", onStop);
      ended.abort();
      cluster.remove(waiter);
      if (cluster.idle) this.#clusters.delete(clusterName);
    }
  }

  /** Ends every wait with WaitAborted. */
  close(reason: Error): void {
    this.#closed.abort(reason);
  }

  #cluster(clusterName: string): ClusterPoller {
    const existing = this.#clusters.get(clusterName);
    if (existing) return existing;
    const cluster = new ClusterPoller(clusterName, this.source, this.clock, this.timing);
    this.#clusters.set(clusterName, cluster);
    return cluster;
  }
}

/** One wait for one query. */
class Waiter {
  readonly promise: Promise<QueryRecord>;
  reject!: (error: unknown) => void;
  #resolve!: (record: QueryRecord) => void;
  #observing: Promise<void> | undefined;
  #last: QuerySummary | undefined;

  constructor(private readonly options: QueryWait) {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.reject = reject;
    });
  }

  get queryId(): number {
    return this.options.queryId;
  }

  observe(record: QuerySummary): void {
    this.#last = record;
    this.#observing = this.#observe(record);
  }

  /** Resolves the wait with the record of the query, which has ended. */
  end(record: QueryRecord): void {
    if (this.#observing) void this.#observing.then(() => this.#resolve(record));
    else this.#resolve(record);
  }

  async #observe(record: QuerySummary): Promise<void> {
    try {
      await this.options.observed?.(record);
    } catch (error) {
      this.reject(error);
    }
  }

  createError(code: "WaitTimedOut" | "WaitAborted", why: string, cause?: unknown): WaitError {
    const seen = this.#last
      ? `last observed: ${this.#last.status} ${this.#last.progress}`
      : "the query was not observed yet";
    return new WaitError(code, `${why}; ${seen}`, this.#last, { operation: "getQuery", cause });
  }
}

/** Polls one cluster while at least one wait needs it. */
class ClusterPoller {
  readonly #waiters = new Set<Waiter>();
  /** Number of polls since the last wait was added. */
  #polls = 0;
  #lastPoll = Number.NEGATIVE_INFINITY;
  /** Time before which the service asked not to be polled (Retry-After). */
  #notBefore = Number.NEGATIVE_INFINITY;
  #stop: AbortController | undefined;
  #wake: AbortController | undefined;

  constructor(
    private readonly clusterName: string,
    private readonly source: PollSource,
    private readonly clock: Clock,
    private readonly timing: PollTiming,
  ) {}

  get idle(): boolean {
    return this.#waiters.size === 0;
  }

  add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.#polls = 0;
    this.#wake?.abort();
    if (!this.#stop) {
      this.#stop = new AbortController();
      void this.#run(this.#stop.signal);
    }
  }

  remove(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (!this.idle) return;
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#pause(stop);
      if (stop.aborted) return;
      this.#polls += 1;
      this.#lastPoll = this.clock.now();
      // Only the current waits: a query that is submitted after the poll started may be missing from its list.
      await this.#poll([...this.#waiters], stop);
    }
  }

  /** Waits until the next poll is due. A new wait makes it due earlier. */
  async #pause(stop: AbortSignal): Promise<void> {
    const delay = () => pollDelay(this.#polls, this.timing, this.clock.random());
    for (let due = this.clock.now() + delay(); ; due = Math.min(due, this.clock.now() + delay())) {
      this.#wake = new AbortController();
      const { longest = defaultPollTiming.longest } = this.timing;
      const gap = this.#waiters.size > 1 ? Math.min(minSharedPollInterval, longest) : 0;
      const left = Math.max(due, this.#lastPoll + gap, this.#notBefore) - this.clock.now();
      const slept = this.clock.sleep(Math.max(left, 0), AbortSignal.any([stop, this.#wake.signal]));
      const isDue = await slept.then(
        () => true,
        () => false,
      );
      if (isDue || stop.aborted) return;
    }
  }

  async #poll(waiters: readonly Waiter[], stop: AbortSignal): Promise<void> {
    try {
      const running = new Map<number, QuerySummary>();
      for await (const record of this.source.running(this.clusterName, stop)) running.set(record.id, record);
      await Promise.all(
        groupByQuery(waiters).map(([queryId, same]) => this.#notify(queryId, same, running.get(queryId), stop)),
      );
    } catch (error) {
      this.#handleFailure(waiters, error, stop);
    }
  }

  /** Notifies the waits for a query. A query that is not in the list is fetched once. */
  async #notify(
    queryId: number,
    waiters: readonly Waiter[],
    found: QuerySummary | undefined,
    stop: AbortSignal,
  ): Promise<void> {
    try {
      if (found) this.#requireCluster(found, "listQueries");
      if (found) return waiters.forEach((waiter) => waiter.observe(found));
      const record = await this.source.getQuery(queryId, stop);
      this.#requireCluster(record, "getQuery");
      for (const waiter of waiters) {
        if (record.status === "running") waiter.observe(record);
        else waiter.end(record);
      }
    } catch (error) {
      this.#handleFailure(waiters, error, stop);
    }
  }

  /** Refuses the record of a query on another cluster than the wait names. */
  #requireCluster({ id, clusterName }: QuerySummary | QueryRecord, operation: string): void {
    if (clusterName === this.clusterName) return;
    throw new MalformedAnswerError(
      `${operation}: query ${id} is on cluster "${clusterName.slice(0, 200)}" and not on "${this.clusterName}", which the wait names; wait with the cluster of the query`,
      { operation, sent: true },
    );
  }

  #handleFailure(waiters: readonly Waiter[], error: unknown, stop: AbortSignal): void {
    if (stop.aborted) return;
    if (isTransient(error)) {
      const retryAfter = Math.min(error.retryAfter ?? 0, retryTiming.longestRetryAfter);
      this.#notBefore = Math.max(this.#notBefore, this.clock.now() + retryAfter);
    } else {
      for (const waiter of waiters) waiter.reject(error);
    }
  }
}

function groupByQuery(waiters: readonly Waiter[]): (readonly [number, readonly Waiter[]])[] {
  return [...Map.groupBy(waiters, ({ queryId }) => queryId)];
}
