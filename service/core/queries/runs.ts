/**
 * The running queries: running → finished | canceled | error (specification §3; transitions as design §3).
 *
 * A query is in this list from its acceptance, or from the start of the service that resumes it, until its end is
 * stored. The list therefore always equals the queries that are `running` in the state.
 */
import { formatLocation, type QueryStatus } from "../../../contract";
import { systemClock } from "../clock";
import type { Cluster } from "../clusters/cluster";
import type { Reservation } from "./reservations";
import type { JobContext } from "../ports/engine";
import type { QueryProgress, CatalogChange, StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";
import { whileEngineRuns } from "../clusters/engine-watch";
import { outputFolder, publish, execute, type EngineResult } from "./execution";
import type { StatementReads } from "./reads";

/** Maximum bytes of engine output in a query's log. */
const engineLogLimit = 1_048_576;

export class QueryRuns {
  readonly #runs = new Map<number, Run>();

  constructor(private readonly context: QueryContext) {}

  /** Returns the running queries of a cluster. */
  onCluster(clusterName: string): StoredQuery[] {
    return [...this.#runs.values()].map(({ query }) => query).filter((query) => query.clusterName === clusterName);
  }

  /** Returns the progress of a running query; undefined when the query is not running. */
  progressOf(id: number): QueryProgress | undefined {
    return this.#runs.get(id)?.queryProgress;
  }

  /**
   * Starts an accepted query. The reservation of its output folder is released when it ends.
   * @param reads what the statement reads, when its check has just found that out.
   */
  start(query: StoredQuery, reservation: Reservation, reads?: StatementReads): void {
    const run = new Run(query, this.context, reads);
    this.#runs.set(query.id, run);
    run.done = run.execute(() => this.#runs.delete(query.id)).finally(() => reservation.release());
  }

  /**
   * Cancels a query and waits until its job has ended and its temporary objects are deleted.
   * @returns true when it ended as `canceled`; false when it ended in another way first.
   */
  async cancel(id: number): Promise<boolean> {
    const run = this.#runs.get(id);
    if (!run) return false;
    run.cancel();
    await run.done;
    return run.finalStatus === "canceled";
  }

  /** Stops all jobs, which the next start resumes. Queries that are publishing their result finish first. */
  async stop(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop();
    await Promise.all(runs.map(({ done }) => done));
  }
}

class Run {
  readonly queryProgress = { progress: 0, stage: 0, jobId: null as string | null };
  done: Promise<void> = Promise.resolve();
  finalStatus: QueryStatus | undefined;

  readonly #abort = new AbortController();
  /** The reason for which the job ends early: a cancellation, or a stop of the service. */
  #interrupted: "cancelled" | "stopped" | undefined;
  readonly #cluster: Cluster | undefined;
  #publishing = false;
  readonly #started = performance.now();
  #engineLogBytes = 0;

  constructor(
    readonly query: StoredQuery,
    private readonly context: QueryContext,
    private readonly reads: StatementReads | undefined,
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

  /** Runs the query to its end. @param onEnded called synchronously after the end is stored. */
  async execute(onEnded: () => void): Promise<void> {
    const { state, platform } = this.context;
    const output = outputFolder(this.query);
    let status: Exclude<QueryStatus, "running">;
    let change: CatalogChange | undefined;
    try {
      change = await this.#publishResult(await this.#runEngineJob());
      this.queryProgress.progress = 100;
      status = "finished";
    } catch (error) {
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
    const isStored = await this.#retryUntilPersisted(() => {
      state.end(this.query.id, status, this.queryProgress, change);
      this.finalStatus = status;
      onEnded();
      platform.queryEnded?.(this.query.type, status);
      this.#log(`${status} after ${((performance.now() - this.#started) / 1000).toFixed(1)} s`);
    });
    if (discardLast && isStored) await discard();
  }

  async #runEngineJob(): Promise<EngineResult | undefined> {
    if (this.query.publishing) return undefined;
    if (!this.#cluster) throw new Error(`cluster "${this.query.clusterName}" is no longer configured`);
    const cluster = this.#cluster;
    const { signal } = this.#abort;
    const engine = await cluster.waitForEngine(signal);
    signal.throwIfAborted();
    this.#log(`running on ${cluster.settings.type}: ${describeQuery(this.query)}`);
    const output = await this.context.platform.outputs.prepare(this.query.id, outputFolder(this.query).bucket);
    signal.throwIfAborted();
    const work = execute(this.context, this.query, { output, reads: this.reads }, engine!, this.#jobContext());
    const result = await whileEngineRuns(engine!, work, (reason) => new Error(reason));
    signal.throwIfAborted();
    return result;
  }

  /** Publishes the result. From its first durable step on, the query can no longer be cancelled. */
  async #publishResult(result: EngineResult | undefined): Promise<CatalogChange | undefined> {
    this.#publishing = true;
    if (result) this.context.state.markPublishing(this.query.id, result);
    return publish(this.context, { ...this.query, ...result }, (line) => this.#log(line));
  }

  #jobContext(): JobContext {
    return {
      signal: this.#abort.signal,
      progress: (percent, stage) => {
        // 100 % is reserved for finished queries.
        this.queryProgress.progress = Math.max(this.queryProgress.progress, Math.min(99, Math.max(0, percent)));
        this.queryProgress.stage = stage;
      },
      log: (line) => this.#engineLog(line),
      jobId: (id) => void (this.queryProgress.jobId = id),
    };
  }

  /**
   * Retries until the state is written: an error such as a full disk must neither end the service nor lose the query.
   * @returns false when it was not written, because the service stops.
   */
  async #retryUntilPersisted(write: () => void): Promise<boolean> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 1000)) {
      try {
        write();
        return true;
      } catch (error) {
        this.context.platform.log.error({ queryId: this.query.id, err: error }, "the state could not be written");
        if (this.#interrupted === "stopped") return false;
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
