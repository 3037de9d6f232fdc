/** What this process does for one attempt of a query, from the wait for its engine to the stored end. */
import { errors, formatLocation, type QueryStatus } from "../../../contract";
import type { Cluster } from "../clusters/cluster";
import { whileEngineRuns } from "../clusters/engine-watch";
import { type JobContext, JobLeft } from "../ports/engine";
import { outputFolder } from "./output-folder";
import { AttemptLost, type CatalogChange, type StoredQuery } from "../ports/state";
import { runEngineJob, type EngineResult } from "./engine-job";
import { publish } from "./publication";
import type { QueryContext } from "./query-context";
import type { StatementReads } from "./reads";

/** Maximum bytes of engine output in a query's log. */
const engineLogLimit = 1_048_576;

export class Execution {
  readonly #progress = { progress: 0, stage: 0, jobId: null as string | null, movedTime: 0 };
  done: Promise<void> = Promise.resolve();
  finalStatus: QueryStatus | undefined;

  readonly #abort = new AbortController();
  /** The reason for which the job ends early: a cancellation, a stop of the service, or another process has the query. */
  #interrupted: "cancelled" | "stopped" | "lost" | undefined;
  readonly #cluster: Cluster | undefined;
  #publishing = false;
  readonly #started: number;
  #engineLogBytes = 0;
  /** True when a later attempt may resume the job: only the one that ends the query deletes what it writes. */
  #isKept: boolean;
  /** Resolves with the next refusal of the state to store the end. */
  #unstored = Promise.withResolvers<Error>();

  constructor(
    readonly query: StoredQuery,
    private readonly context: QueryContext,
    private readonly reads: StatementReads | undefined,
  ) {
    this.#started = context.platform.clock.now();
    this.#cluster = context.clusters.get(query.clusterName);
    this.#isKept = query.engineHandle !== null;
    this.#moved();
  }

  cancel(): void {
    if (this.#publishing || this.#interrupted) return;
    this.#interrupted = "cancelled";
    this.#log("cancelled");
    this.#abort.abort();
  }

  stop(): void {
    this.#interrupted ??= "stopped";
    this.#abort.abort(new JobLeft());
  }

  lose(): void {
    if (this.#interrupted === "lost") return;
    this.#interrupted = "lost";
    this.#abort.abort(new JobLeft());
  }

  /**
   * Waits until the query has ended in this process.
   * @throws ServiceUnavailable when the state cannot store its end now; the tries to store it go on.
   */
  async ended(): Promise<void> {
    const cause = await Promise.race([this.done, this.#unstored.promise]);
    if (cause === undefined) return;
    throw new errors.ServiceUnavailable(
      `the job of query ${this.query.id} is stopped, but the service's state could not store this: read the query later, and cancel it again if it still runs`,
      { cause },
    );
  }

  /** Continues to the end of the query. @param onEnded called synchronously after the end is stored. */
  async toEnd(onEnded: () => void): Promise<void> {
    const { state, platform } = this.context;
    const output = outputFolder(this.query);
    let status: Exclude<QueryStatus, "running">;
    let change: CatalogChange | undefined;
    let failure: string | undefined;
    try {
      change = await this.#publishResult(await this.#runEngineJob());
      this.#progress.progress = 100;
      status = "finished";
    } catch (error) {
      if (this.#isLost(error)) return await this.#discardAttempt(output.bucket);
      // The next start publishes a complete result, when the state is there again.
      const isUnavailable = error instanceof errors.ServiceUnavailable;
      if (this.#interrupted === "stopped" && (!this.#publishing || isUnavailable)) return;
      status = this.#interrupted === "cancelled" ? "canceled" : "error";
      if (status === "error") this.#log(`failed: ${(failure = reasonOf(error))}`);
    }
    // When publishing failed, the temporary folder is deleted only after the error is stored: a service that starts in
    // between would take the missing folder for a completed move.
    const discardLast = status !== "finished" && (this.#isKept || (status === "error" && this.#publishing));
    // Before the end is stored, another process may have begun a later attempt.
    const { publishing: isRetry, epoch } = this.query;
    if (!discardLast) await this.#discard(output.bucket, isRetry ? undefined : epoch);
    // The reason is there when the end is.
    await platform.logs.flush();
    await this.#retryUntilPersisted(async () => {
      if (!(await state.attempts.end(this.query, status, this.#progress, change, failure))) return;
      this.finalStatus = status;
      onEnded();
      platform.queryEnded?.(this.query.type, status);
      this.context.lineageSender?.wake();
      this.#log(
        `${status === "canceled" ? "cancelled" : status} after ${((platform.clock.now() - this.#started) / 1000).toFixed(1)} s`,
      );
    });
    const isStored = this.finalStatus !== undefined;
    if (isStored && status !== "finished" && this.#isKept) this.context.jobEnds.check();
    // What earlier attempts have still written is deleted too.
    if (isStored && (discardLast || epoch > 1)) await this.#discard(output.bucket);
  }

  /** Deletes what an attempt wrote, or all of them. */
  async #discard(bucket: string, epoch?: number): Promise<void> {
    try {
      await this.context.platform.outputs.discard(this.query.id, bucket, epoch);
    } catch (error) {
      this.#log(`temporary objects could not be deleted: ${reasonOf(error)}`);
    }
  }

  #isLost(error: unknown): boolean {
    return error instanceof AttemptLost || this.#interrupted === "lost";
  }

  /**
   * Deletes what this attempt wrote: the query's later attempt has a folder of its own. A complete result is left to the
   * later attempt, which publishes it, and so is a job that it may resume.
   */
  async #discardAttempt(bucket: string): Promise<void> {
    const { platform } = this.context;
    const { id, epoch } = this.query;
    platform.log.warn({ queryId: id, epoch }, "the query was taken over or ended by another process");
    if (this.#publishing || this.#isKept) return;
    await platform.outputs.discard(id, bucket, epoch).catch((error: unknown) => {
      platform.log.warn({ queryId: id, err: error }, "temporary objects could not be deleted");
    });
  }

  async #runEngineJob(): Promise<EngineResult | undefined> {
    if (this.query.publishing) return undefined;
    const cluster = this.#cluster;
    if (!cluster) {
      const { id: queryId, clusterName } = this.query;
      this.context.platform.log.warn(
        { queryId, clusterName },
        "the query fails: no cluster of this name is configured",
      );
      throw new Error(`cluster "${clusterName}" is no longer configured`);
    }
    const { signal } = this.#abort;
    const engine = await cluster.waitForEngine(signal);
    signal.throwIfAborted();
    this.#log(`running on ${cluster.settings.type}: ${describeQuery(this.query)}`);
    const { id, epoch } = this.query;
    const { bucket } = outputFolder(this.query);
    const output = await this.context.platform.outputs.prepare(id, epoch, bucket, this.#isKept);
    signal.throwIfAborted();
    const job = runEngineJob(this.context, this.query, { output, reads: this.reads }, engine!, this.#jobContext());
    const result = await whileEngineRuns(engine!, job, {
      clock: this.context.platform.clock,
      toError: (reason) => new Error(reason),
    });
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
    // From here on, a later attempt runs nothing again: the lines of this one must be there.
    await this.context.platform.logs.flush();
    // A failure of this step is one of publishing: the state may have stored it.
    this.#publishing = true;
    const marked = await this.context.state.attempts.markPublishing(this.query, result);
    if (marked === "marked") return;
    this.#publishing = false;
    if (marked === "lost") throw new AttemptLost();
    this.cancel();
    this.#abort.signal.throwIfAborted();
  }

  #moved(): void {
    this.#progress.movedTime = this.context.platform.clock.now();
  }

  #jobContext(): JobContext {
    const report = () => this.context.state.attempts.reportProgress(this.query, this.#progress);
    return {
      signal: this.#abort.signal,
      progress: (percent, stage) => {
        // 100 % is reserved for finished queries.
        const progress = Math.max(this.#progress.progress, Math.min(99, Math.max(0, percent)));
        if (progress !== this.#progress.progress || stage !== this.#progress.stage) this.#moved();
        this.#progress.progress = progress;
        this.#progress.stage = stage;
        report();
      },
      log: (line) => this.#engineLog(line),
      jobId: (id) => {
        this.#progress.jobId = id;
        report();
      },
      keep: async (handle) => {
        const isLater = this.#isKept;
        this.#isKept = true;
        if (!(await this.context.state.attempts.setEngineHandle(this.query, handle))) throw new AttemptLost();
        if (isLater) this.context.jobEnds.check();
      },
    };
  }

  /**
   * Retries until the state is written, or the service stops: an error such as a full disk must neither end the service
   * nor lose the query.
   */
  async #retryUntilPersisted(write: () => Promise<void>): Promise<void> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 1000)) {
      try {
        return await write();
      } catch (error) {
        this.context.platform.log.error({ queryId: this.query.id, err: error }, "the state could not be written");
        if (this.#interrupted === "stopped" || this.#interrupted === "lost") return;
        if (error instanceof errors.ServiceUnavailable) {
          this.#unstored.resolve(error);
          this.#unstored = Promise.withResolvers();
        }
        await this.context.platform.clock.sleep(wait);
      }
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
  const { inputFormat, inputObjectKeys } = query;
  return `split of ${inputObjectKeys.length} ${inputFormat} ${inputObjectKeys.length === 1 ? "object" : "objects"} to ${target}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
