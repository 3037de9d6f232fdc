/**
 * Watches running queries: one list of what runs on a cluster serves everyone who waits for a query of that cluster,
 * so that the number of requests does not grow with the number of those who wait (design §5).
 */
import type { QueryRecord, QuerySummary } from "../../contract";
import type { Clock } from "./clock";
import { isTransient, WaitError } from "./errors";
import { milliseconds } from "./options";
import { retryTiming } from "./retry";
import { defaultPollTiming, pollDelay, type PollTiming } from "./waiter";

/** What the poller asks the service. */
export interface PollSource {
  /** Every query that runs on a cluster, of all pages. */
  running(clusterName: string, signal: AbortSignal): AsyncIterable<QuerySummary>;
  getQuery(queryId: number, signal: AbortSignal): Promise<QueryRecord>;
}

/** Which query is waited for, and how. */
export interface QueryWait {
  readonly queryId: number;
  /** The cluster that the query runs on. */
  readonly clusterName: string;
  /** Told of the query at every look while it runs. */
  readonly observed?: ((record: QuerySummary) => void) | undefined;
  /** Milliseconds after which the wait is given up. @default no limit */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The shortest time between two looks at a cluster in milliseconds while several wait, however many begin to. */
export const sharedPollGap = 250;

/** Watches the running queries of every cluster that somebody waits for. */
export class QueryPoller {
  readonly #clusters = new Map<string, ClusterPoll>();
  readonly #closed = new AbortController();

  constructor(
    private readonly source: PollSource,
    private readonly clock: Clock,
    private readonly timing: PollTiming,
  ) {}

  /**
   * Resolves with the query's record when it is no longer `running`.
   * @throws {WaitError} at the timeout and the signal, with the record that was seen last; what the service answers
   * that will not pass, such as QueryNotFound. Failures that may pass are not seen here: they are looked past.
   */
  async wait(wait: QueryWait): Promise<QueryRecord> {
    const { queryId, clusterName, signal } = wait;
    const timeout = wait.timeout === undefined ? undefined : milliseconds("timeout", wait.timeout);
    const ended = new AbortController();
    const stop = AbortSignal.any([ended.signal, this.#closed.signal, ...(signal ? [signal] : [])]);
    const waiter = new Waiter(wait);
    const what = `query ${queryId} on cluster "${clusterName}"`;
    const onStop = () =>
      waiter.reject(
        waiter.giveUp("WaitAborted", `gave up waiting for ${what} because it was interrupted`, stop.reason),
      );
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop, { once: true });
    if (timeout !== undefined) {
      this.clock.sleep(timeout, ended.signal).then(
        () =>
          waiter.reject(
            waiter.giveUp("WaitTimedOut", `gave up waiting for ${what} after ${(timeout / 1_000).toFixed(1)} s`),
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

  #cluster(clusterName: string): ClusterPoll {
    const known = this.#clusters.get(clusterName);
    if (known) return known;
    const cluster = new ClusterPoll(clusterName, this.source, this.clock, this.timing);
    this.#clusters.set(clusterName, cluster);
    return cluster;
  }
}

/** One who waits for one query. */
class Waiter {
  readonly promise: Promise<QueryRecord>;
  resolve!: (record: QueryRecord) => void;
  reject!: (error: unknown) => void;
  #last: QuerySummary | undefined;

  constructor(private readonly options: QueryWait) {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get queryId(): number {
    return this.options.queryId;
  }

  observe(record: QuerySummary): void {
    this.#last = record;
    try {
      this.options.observed?.(record);
    } catch (error) {
      this.reject(error);
    }
  }

  giveUp(code: "WaitTimedOut" | "WaitAborted", why: string, cause?: unknown): WaitError {
    const seen = this.#last ? `last seen: ${this.#last.status} ${this.#last.progress}` : "it was not seen yet";
    return new WaitError(code, `${why}; ${seen}`, this.#last, { operation: "getQuery", cause });
  }
}

/** The looks at one cluster; there are some as long as somebody waits. */
class ClusterPoll {
  readonly #waiters = new Set<Waiter>();
  /** Looks since somebody new came. */
  #looks = 0;
  #lastLook = Number.NEGATIVE_INFINITY;
  /** When the service asked to be left alone until. */
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
    this.#looks = 0;
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
      this.#looks += 1;
      this.#lastLook = this.clock.now();
      // Only those who wait already: a query that was submitted after the look began need not be in its list.
      await this.#look([...this.#waiters], stop);
    }
  }

  /** Waits for the next look; somebody new brings it nearer. */
  async #pause(stop: AbortSignal): Promise<void> {
    const delay = () => pollDelay(this.#looks, this.timing, this.clock.random());
    for (let due = this.clock.now() + delay(); ; due = Math.min(due, this.clock.now() + delay())) {
      this.#wake = new AbortController();
      const { longest = defaultPollTiming.longest } = this.timing;
      const gap = this.#waiters.size > 1 ? Math.min(sharedPollGap, longest) : 0;
      const left = Math.max(due, this.#lastLook + gap, this.#notBefore) - this.clock.now();
      const slept = this.clock.sleep(Math.max(left, 0), AbortSignal.any([stop, this.#wake.signal]));
      const undisturbed = await slept.then(
        () => true,
        () => false,
      );
      if (undisturbed || stop.aborted) return;
    }
  }

  async #look(waiters: readonly Waiter[], stop: AbortSignal): Promise<void> {
    try {
      const running = new Map<number, QuerySummary>();
      for await (const record of this.source.running(this.clusterName, stop)) running.set(record.id, record);
      await Promise.all(
        byQuery(waiters).map(([queryId, same]) => this.#tell(queryId, same, running.get(queryId), stop)),
      );
    } catch (error) {
      this.#failed(waiters, error, stop);
    }
  }

  /** Tells those who wait for a query what the look found; what is not in the list is asked for once. */
  async #tell(
    queryId: number,
    waiters: readonly Waiter[],
    found: QuerySummary | undefined,
    stop: AbortSignal,
  ): Promise<void> {
    if (found) return waiters.forEach((waiter) => waiter.observe(found));
    try {
      const record = await this.source.getQuery(queryId, stop);
      for (const waiter of waiters) {
        if (record.status === "running") waiter.observe(record);
        else waiter.resolve(record);
      }
    } catch (error) {
      this.#failed(waiters, error, stop);
    }
  }

  #failed(waiters: readonly Waiter[], error: unknown, stop: AbortSignal): void {
    if (stop.aborted) return;
    if (isTransient(error)) {
      const asked = Math.min(error.retryAfter ?? 0, retryTiming.longestRetryAfter);
      this.#notBefore = Math.max(this.#notBefore, this.clock.now() + asked);
    } else {
      for (const waiter of waiters) waiter.reject(error);
    }
  }
}

function byQuery(waiters: readonly Waiter[]): (readonly [number, readonly Waiter[]])[] {
  return [...Map.groupBy(waiters, ({ queryId }) => queryId)];
}
