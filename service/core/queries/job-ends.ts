/**
 * Ends the jobs that no attempt resumes on the servers of clusters: again and again, until the server says that the
 * job has ended. A server may hang when a query is cancelled, and the service may end before it wakes.
 */
import { errors } from "../../../contract";
import type { JobsToEnd, JobToEnd } from "../ports/jobs-to-end";
import type { Cluster } from "../clusters/cluster";
import type { Platform } from "../ports/platform";

const hour = 3_600_000;
/** Milliseconds after which a job that could not be ended is given up: servers end what is idle in less. */
const givenUpAfter = 24 * hour;
/** Milliseconds between two checks for the jobs of processes that have ended. */
const checkInterval = 10_000;
/** Milliseconds between two tries to end a job: doubled after each from the first to the longest. */
const pause = { first: 1000, longest: 60_000 } as const;

/** What the ends of jobs need of the service. */
interface JobEndsContext {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly platform: Platform;
  readonly jobsToEnd: JobsToEnd;
}

export class JobEnds {
  readonly #stopped = new AbortController();
  readonly #ending = new Map<number, { readonly job: JobToEnd; readonly done: Promise<void> }>();
  #running: Promise<void> = Promise.resolve();
  #checking: Promise<void> | undefined;
  #isCheckedAgain = false;

  constructor(private readonly context: JobEndsContext) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Checks for jobs to end: there may be new ones. */
  check(): void {
    this.#isCheckedAgain = true;
    if (!this.#stopped.signal.aborted) this.#checking ??= this.#checkNow();
  }

  /** Returns how many jobs of a cluster this process is to end. */
  count(clusterName: string): number {
    return [...this.#ending.values()].filter(({ job }) => job.clusterName === clusterName).length;
  }

  /** Begins to end no further job. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Resolves after {@link stop} when nothing of this uses the state any more: engines that end reject what is left. */
  async stopped(): Promise<void> {
    await this.#running;
    await this.#checking;
    await Promise.all([...this.#ending.values()].map(({ done }) => done));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.check();
      await this.context.platform.clock.sleep(checkInterval, signal);
    }
  }

  async #checkNow(): Promise<void> {
    const { clusters, platform, jobsToEnd } = this.context;
    while (this.#isCheckedAgain && !this.#stopped.signal.aborted) {
      this.#isCheckedAgain = false;
      try {
        const jobs = await jobsToEnd.claim([...clusters.keys()], platform.clock.now() - givenUpAfter);
        for (const job of jobs.filter(({ id }) => !this.#ending.has(id))) {
          const done = this.#end(job).finally(() => this.#ending.delete(job.id));
          this.#ending.set(job.id, { job, done });
        }
      } catch (error) {
        // The next check reads them, when the state is there again.
        if (!(error instanceof errors.ServiceUnavailable)) {
          platform.log.error({ err: error }, "the jobs that are to end on clusters' servers could not be read");
        }
      }
    }
    this.#checking = undefined;
  }

  async #end(job: JobToEnd): Promise<void> {
    const { platform, clusters } = this.context;
    const { signal } = this.#stopped;
    let reason: string | undefined;
    for (let wait: number = pause.first; !signal.aborted; wait = Math.min(2 * wait, pause.longest)) {
      const left = job.since + givenUpAfter - platform.clock.now();
      if (left <= 0) {
        this.#log("warn", job, `is given up after ${givenUpAfter / hour} hours (${reason ?? "no server answered"})`);
        return await this.#remove(job);
      }
      const late = AbortSignal.any([signal, AbortSignal.timeout(Math.min(left, hour))]);
      const engine = await clusters.get(job.clusterName)?.waitForEngine(late);
      if (signal.aborted) return;
      try {
        if (engine?.endJob === undefined) throw new Error("the cluster has no engine that runs such jobs");
        await engine.endJob(job.handle);
        if (reason !== undefined) this.#log("info", job, "has ended");
        return await this.#remove(job);
      } catch (error) {
        if (signal.aborted) return;
        if (reason === undefined) this.#log("warn", job, `could not be ended yet: ${(error as Error).message}`);
        reason = (error as Error).message;
      }
      await platform.clock.sleep(wait, signal);
    }
  }

  /** A record that could not be deleted is found again: a job that has ended can be ended once more. */
  async #remove({ id }: JobToEnd): Promise<void> {
    await this.context.jobsToEnd.remove(id).catch((error: unknown) => {
      this.context.platform.log.error({ err: error }, "the record of a job that has ended could not be deleted");
    });
  }

  #log(level: "info" | "warn", { queryId, clusterName }: JobToEnd, what: string): void {
    const { log, logs } = this.context.platform;
    log[level]({ queryId, clusterName }, `the job of a query on its cluster's server ${what}`);
    logs.cluster(clusterName, `the job of query ${queryId} on the server ${what}`);
  }
}
