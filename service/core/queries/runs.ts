/**
 * The queries that this process runs: running → finished | canceled | error (specification §3; transitions as design
 * §3).
 *
 * A query is in this list from its acceptance, or from its takeover, until its end is stored or another process has
 * taken it over. The lists of all processes together equal the queries that are `running` in the state.
 */
import { formatLocation, type QueryStatus } from "../../../contract";
import { systemClock } from "../clock";
import type { Cluster } from "../clusters/cluster";
import type { JobContext } from "../ports/engine";
import { outputFolder } from "../ports/output-folder";
import { AttemptLost, type CatalogChange, type QueryAttempt, type StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";
import { whileEngineRuns } from "../clusters/engine-watch";
import { publish, execute, type EngineResult } from "./execution";

/** Maximum bytes of engine output in a query's log. */
const engineLogLimit = 1_048_576;

export class QueryRuns {
  readonly #runs = new Map<number, Run>();
  #stopped = false;

  constructor(private readonly context: QueryContext) {}

  /** Starts an attempt of an accepted query, which this process has begun. */
  start(query: StoredQuery): void {
    // After the loss of a lease, this process may have begun a later attempt before the earlier one has ended.
    this.#runs.get(query.id)?.lose();
    const run = new Run(query, this.context);
    this.#runs.set(query.id, run);
    const remove = () => {
      if (this.#runs.get(query.id) === run) this.#runs.delete(query.id);
    };
    run.done = run.execute(remove).finally(remove);
    if (this.#stopped) run.stop();
  }

  /**
   * Cancels a query and waits until its job has ended and its temporary objects are deleted.
   * @returns true when it ended as `canceled`; false when it ended in another way first.
   */
  async cancel(id: number): Promise<boolean> {
    if (!(await this.context.state.cancel(id))) return false;
    return (await this.#cancelled(id)) === "canceled";
  }

  /** Ends the job of a query that is cancelled in the state, and waits until that is stored. */
  async finishCancel(id: number): Promise<void> {
    await this.#cancelled(id);
  }

  /** Ends the job of a query that was cancelled through another process. */
  onCancelled(id: number): void {
    this.#runs.get(id)?.cancel();
  }

  /** Ends an attempt that is not the query's last one. */
  onLost({ id, epoch }: QueryAttempt): void {
    const run = this.#runs.get(id);
    if (run?.query.epoch === epoch) run.lose();
  }

  /** Returns the IDs of the queries of a cluster that this process runs. */
  idsOn(clusterName: string): number[] {
    return [...this.#runs.values()]
      .map(({ query }) => query)
      .filter((query) => query.clusterName === clusterName)
      .map(({ id }) => id);
  }

  async #cancelled(id: number): Promise<QueryStatus | undefined> {
    const run = this.#runs.get(id);
    run?.cancel();
    await run?.done;
    return run?.finalStatus ?? (await this.#cancelledElsewhere(id));
  }

  /** Waits for the end of a query of another process. When that process is gone, nobody else deletes what it wrote. */
  async #cancelledElsewhere(id: number): Promise<QueryStatus | undefined> {
    const { state, platform } = this.context;
    const status = await state.cancelled(id);
    const query = status === "canceled" ? await state.query(id) : undefined;
    if (query) {
      await platform.outputs.discard(id, outputFolder(query).bucket).catch((error: unknown) => {
        platform.log.warn({ queryId: id, err: error }, "temporary objects could not be deleted");
      });
    }
    return status;
  }

  /**
   * Stops all jobs, and those that are still started. Another process, or the next start, resumes them. Queries that are
   * publishing their result finish first.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop();
    await Promise.all(runs.map(({ done }) => done));
  }
}

class Run {
  readonly #progress = { progress: 0, stage: 0, jobId: null as string | null };
  done: Promise<void> = Promise.resolve();
  finalStatus: QueryStatus | undefined;

  readonly #abort = new AbortController();
  /** The reason for which the job ends early: a cancellation, a stop of the service, or another process has the query. */
  #interrupted: "cancelled" | "stopped" | "lost" | undefined;
  readonly #cluster: Cluster | undefined;
  #publishing = false;
  readonly #started = performance.now();
  #engineLogBytes = 0;

  constructor(
    readonly query: StoredQuery,
    private readonly context: QueryContext,
  ) {
    this.#cluster = context.clusters.get(query.clusterName);
  }

  cancel(): void {
    if (this.#publishing || this.#interrupted) return;
    this.#interrupted = "cancelled";
    this.#log("cancelled");
    this.#abort.abort();
  }

  stop(): void {
    this.#interrupted ??= "stopped";
    this.#abort.abort();
  }

  lose(): void {
    if (this.#interrupted === "lost") return;
    this.#interrupted = "lost";
    this.#abort.abort();
  }

  /** Runs the query to its end. @param onEnded called synchronously after the end is stored. */
  async execute(onEnded: () => void): Promise<void> {
    const { state, platform } = this.context;
    const output = outputFolder(this.query);
    let status: Exclude<QueryStatus, "running">;
    let change: CatalogChange | undefined;
    try {
      change = await this.#publishResult(await this.#runEngineJob());
      this.#progress.progress = 100;
      status = "finished";
    } catch (error) {
      if (this.#isLost(error)) return await this.#discardAttempt(output.bucket);
      if (this.#interrupted === "stopped" && !this.#publishing) return;
      status = this.#interrupted === "cancelled" ? "canceled" : "error";
      if (status === "error") this.#log(`failed: ${reasonOf(error)}`);
    }
    const discard = () =>
      this.#logErrorsOf("temporary objects could not be deleted", () =>
        platform.outputs.discard(this.query.id, output.bucket),
      );
    // When publishing failed, the temporary folder is deleted only after the error is stored: a service that starts in
    // between would take the missing folder for a completed move.
    const discardLast = status === "error" && this.#publishing;
    if (!discardLast) await discard();
    const isStored = await this.#retryUntilPersisted(async () => {
      if (!(await state.end(this.query, status, this.#progress, change))) return;
      this.finalStatus = status;
      onEnded();
      platform.queryEnded?.(this.query.type, status);
      this.#log(`${status} after ${((performance.now() - this.#started) / 1000).toFixed(1)} s`);
    });
    if (discardLast && isStored) await discard();
  }

  #isLost(error: unknown): boolean {
    return error instanceof AttemptLost || this.#interrupted === "lost";
  }

  /** Deletes what this attempt wrote: the query's later attempt has a folder of its own. */
  async #discardAttempt(bucket: string): Promise<void> {
    const { platform } = this.context;
    const { id, epoch } = this.query;
    platform.log.warn({ queryId: id, epoch }, "the query was taken over or ended by another process");
    await platform.outputs.discard(id, bucket, epoch).catch((error: unknown) => {
      platform.log.warn({ queryId: id, err: error }, "temporary objects could not be deleted");
    });
  }

  async #runEngineJob(): Promise<EngineResult | undefined> {
    if (this.query.publishing) return undefined;
    if (!this.#cluster) throw new Error(`cluster "${this.query.clusterName}" is no longer configured`);
    const cluster = this.#cluster;
    const { signal } = this.#abort;
    const engine = await cluster.waitForEngine(signal);
    signal.throwIfAborted();
    this.#log(`running on ${cluster.settings.type}: ${describeQuery(this.query)}`);
    const { id, epoch } = this.query;
    const output = await this.context.platform.outputs.prepare(id, epoch, outputFolder(this.query).bucket);
    signal.throwIfAborted();
    const work = execute(this.context, this.query, output, engine!, this.#jobContext());
    const result = await whileEngineRuns(engine!, work, (reason) => new Error(reason));
    signal.throwIfAborted();
    return result;
  }

  /** Publishes the result. From its first durable step on, the query can no longer be cancelled. */
  async #publishResult(result: EngineResult | undefined): Promise<CatalogChange | undefined> {
    if (result) await this.#markPublishing(result);
    this.#publishing = true;
    return publish(this.context, { ...this.query, ...result }, (line) => this.#log(line));
  }

  /** Decides in one step between the publication and a cancellation that came at the same time. */
  async #markPublishing(result: EngineResult): Promise<void> {
    // A failure of this step is one of publishing: the state may have stored it.
    this.#publishing = true;
    const marked = await this.context.state.markPublishing(this.query, result);
    if (marked === "marked") return;
    this.#publishing = false;
    if (marked === "lost") throw new AttemptLost();
    this.cancel();
    this.#abort.signal.throwIfAborted();
  }

  #jobContext(): JobContext {
    const report = () => this.context.state.progress(this.query, this.#progress);
    return {
      signal: this.#abort.signal,
      progress: (percent, stage) => {
        // 100 % is reserved for finished queries.
        this.#progress.progress = Math.max(this.#progress.progress, Math.min(99, Math.max(0, percent)));
        this.#progress.stage = stage;
        report();
      },
      log: (line) => this.#engineLog(line),
      jobId: (id) => {
        this.#progress.jobId = id;
        report();
      },
    };
  }

  /**
   * Retries until the state is written: an error such as a full disk must neither end the service nor lose the query.
   * @returns false when it was not written, because the service stops.
   */
  async #retryUntilPersisted(write: () => Promise<void>): Promise<boolean> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 1000)) {
      try {
        await write();
        return true;
      } catch (error) {
        this.context.platform.log.error({ queryId: this.query.id, err: error }, "the state could not be written");
        if (this.#interrupted === "stopped" || this.#interrupted === "lost") return false;
        await systemClock.sleep(wait);
      }
    }
  }

  async #logErrorsOf(message: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#log(`${message}: ${reasonOf(error)}`);
    }
  }

  #engineLog(line: string): void {
    const before = this.#engineLogBytes;
    this.#engineLogBytes += Buffer.byteLength(line);
    if (this.#engineLogBytes <= engineLogLimit) this.#log(line);
    else if (before <= engineLogLimit)
      this.#log(`further engine output is omitted: it exceeds ${engineLogLimit} bytes`);
  }

  #log(line: string): void {
    this.context.platform.logs.query(this.query.clusterName, this.query.id, line);
  }
}

function describeQuery(query: StoredQuery): string {
  if (query.type === "select") {
    return `select to ${query.outputResourcePath} as ${query.outputFormat}\n${query.query}`;
  }
  const target = formatLocation(outputFolder(query));
  return `split of ${query.inputObjectKeys.length} ${query.inputFormat} objects to ${target}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
