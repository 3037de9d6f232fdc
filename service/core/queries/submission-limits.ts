/**
 * Limits the submissions that are being checked, so that no caller can occupy a cluster with them: a number in progress
 * for each key and cluster, and a number of checks at a time, of which one key never has all.
 */
import { errors } from "../../../contract";
import type { Clock } from "../ports/platform";

/** Submissions of one key that may be in progress on a cluster, if it has not more slots; further ones are refused. */
const inProgressPerKey = 32;
/** Checks that a cluster runs at a time, and how many of them for one key. */
const checks = { perCluster: 3, perKey: 2 } as const;
/** Milliseconds that a submission waits for its check to begin. */
const longestWait = 10_000;

/** A cluster with the number of its slots. */
export interface LimitedCluster {
  readonly name: string;
  readonly slots: number;
}

interface Waiting {
  readonly key: string;
  readonly begin: (slot: Disposable) => void;
}

/** The submissions of one cluster. */
class ClusterSubmissions {
  readonly #inProgress = new Map<string, number>();
  readonly #checking = new Map<string, number>();
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();

  constructor(
    private readonly cluster: LimitedCluster,
    private readonly clock: Clock,
  ) {}

  enter(key: string): Disposable {
    const count = this.#inProgress.get(key) ?? 0;
    if (count >= Math.max(inProgressPerKey, this.cluster.slots))
      throw this.#tooMany(`${count} submissions with your key are in progress`);
    return counted(this.#inProgress, key);
  }

  async check<Result>(key: string, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const slot = this.#mayBegin(key) ? counted(this.#checking, key) : await this.#turn(key, signal);
    try {
      return await run();
    } finally {
      slot[Symbol.dispose]();
      this.#beginNext();
    }
  }

  #mayBegin(key: string): boolean {
    const all = [...this.#checking.values()].reduce((sum, count) => sum + count, 0);
    return all < checks.perCluster && (this.#checking.get(key) ?? 0) < checks.perKey;
  }

  /** Resolves with a slot when it is the key's turn. */
  #turn(key: string, signal: AbortSignal): Promise<Disposable> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const waiting: Waiting = { key, begin: resolve };
    const late = () => reject(this.#tooMany(`its check did not begin within ${longestWait / 1000} s`));
    const settled = new AbortController();
    void this.clock.sleep(longestWait, settled.signal).then(late);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    this.#waiting.add(waiting);
    return promise.finally(() => {
      settled.abort();
      signal.removeEventListener("abort", abort);
      this.#waiting.delete(waiting);
    });
  }

  #beginNext(): void {
    for (const waiting of this.#waiting) {
      if (!this.#mayBegin(waiting.key)) continue;
      this.#waiting.delete(waiting);
      waiting.begin(counted(this.#checking, waiting.key));
    }
  }

  #tooMany(why: string) {
    return new errors.TooManyQueries(
      `cluster "${this.cluster.name}" cannot take the submission now: ${why}. Try again later`,
      { field: "clusterName" },
    );
  }
}

/** The submissions of all clusters. */
export class SubmissionLimits {
  readonly #clusters = new Map<string, ClusterSubmissions>();

  constructor(private readonly clock: Clock) {}

  /**
   * Counts a submission as in progress until the result is disposed of.
   * @throws TooManyQueries
   */
  enter(cluster: LimitedCluster, key: string): Disposable {
    return this.#submissions(cluster).enter(key);
  }

  /**
   * Runs a check when it is the key's turn.
   * @throws TooManyQueries when that takes too long; the signal's reason; the error of the check
   */
  check<Result>(
    cluster: LimitedCluster,
    key: string,
    signal: AbortSignal,
    run: () => Promise<Result>,
  ): Promise<Result> {
    return this.#submissions(cluster).check(key, signal, run);
  }

  #submissions(cluster: LimitedCluster): ClusterSubmissions {
    const known = this.#clusters.get(cluster.name);
    if (known) return known;
    const created = new ClusterSubmissions(cluster, this.clock);
    this.#clusters.set(cluster.name, created);
    return created;
  }
}

/** Counts one more of the key until the result is disposed of. */
function counted(counts: Map<string, number>, key: string): Disposable {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    [Symbol.dispose]: () => {
      const left = counts.get(key)! - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
