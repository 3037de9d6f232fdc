/**
 * Queries that run: running → finished | canceled | error (specification §3; the transitions are design §3).
 *
 * A query is in here from the moment it is accepted, or found running at the service's start, until its end is
 * written down, so that what is in here is exactly what the state calls running.
 */
import { formatLocation, type QueryStatus } from "../../../contract";
import { systemClock } from "../clock";
import type { Cluster } from "../clusters/cluster";
import type { Reservation } from "./reservations";
import type { Engine, JobContext } from "../ports/engine";
import type { Advance, CatalogChange, StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";
import { whileEngineRuns } from "../clusters/engine-watch";
import { outputOf, publish, execute, type Result } from "./execution";

/** Milliseconds that an engine has to end a cancelled query's work, before it is ended itself (design §3: a second). */
const cancelGrace = 900;

/** Bytes of an engine's lines that a query's log keeps. */
const engineLogLimit = 1_048_576;

export class QueryRuns {
  readonly #runs = new Map<number, Run>();

  constructor(private readonly context: QueryContext) {}

  /** Queries that run on a cluster. */
  on(clusterName: string): StoredQuery[] {
    return [...this.#runs.values()].map(({ query }) => query).filter((query) => query.clusterName === clusterName);
  }

  /** How far a running query is; undefined where it does not run. */
  advance(id: number): Advance | undefined {
    return this.#runs.get(id)?.advance;
  }

  /** Starts an accepted query. The reservation of its output folder is released at its end. */
  start(query: StoredQuery, reservation: Reservation): void {
    const run = new Run(query, this.context);
    this.#runs.set(query.id, run);
    run.done = run.execute(() => this.#runs.delete(query.id)).finally(() => reservation.release());
  }

  /**
   * Cancels a query and waits until its work has ended and nothing of it is left.
   * @returns whether it ended as `canceled`; false where it came to another end first.
   */
  async cancel(id: number): Promise<boolean> {
    const run = this.#runs.get(id);
    if (!run) return false;
    run.cancel();
    await run.done;
    return run.ended === "canceled";
  }

  /** Leaves every query as it is, to be taken up at the next start; those that are moving their result finish that. */
  async stop(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop();
    await Promise.all(runs.map(({ done }) => done));
  }
}

class Run {
  readonly advance = { progress: 0, stage: 0, jobId: null as string | null };
  done: Promise<void> = Promise.resolve();
  ended: QueryStatus | undefined;

  readonly #abort = new AbortController();
  /** Why the work is to end before it is done: the caller cancels it, or the service stops and leaves it to the next. */
  #interrupted: "cancelled" | "stopped" | undefined;
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

  /** @param leave called in the same step in which the end is written down. */
  async execute(leave: () => void): Promise<void> {
    const { state, platform } = this.context;
    const output = outputOf(this.query);
    let status: Exclude<QueryStatus, "running">;
    let change: CatalogChange | undefined;
    try {
      change = await this.#finish(await this.#work());
      this.advance.progress = 100;
      status = "finished";
    } catch (error) {
      if (this.#interrupted === "stopped" && !this.#publishing) return;
      status = this.#interrupted === "cancelled" ? "canceled" : "error";
      if (status === "error") this.#log(`failed: ${reasonOf(error)}`);
    }
    const discard = () =>
      this.#quietly("temporary objects could not be deleted", () =>
        platform.outputs.discard(this.query.id, output.bucket),
      );
    // A result that could not be moved stays until the error is written down: were it gone before, a service that
    // starts in between would take the move for done.
    const discardLast = status === "error" && this.#publishing;
    if (!discardLast) await discard();
    await this.#persist(() => {
      state.end(this.query.id, status, this.advance, change);
      this.ended = status;
      leave();
      platform.queryEnded?.(this.query.type, status);
      this.#log(`${status} after ${((performance.now() - this.#started) / 1000).toFixed(1)} s`);
    });
    if (discardLast) await discard();
  }

  async #work(): Promise<Result | undefined> {
    if (this.query.publishing) return undefined;
    if (!this.#cluster) throw new Error(`the service no longer has a cluster "${this.query.clusterName}"`);
    const cluster = this.#cluster;
    const { signal } = this.#abort;
    const engine = await cluster.whenUp(signal);
    signal.throwIfAborted();
    this.#log(`runs on ${cluster.settings.type}: ${describe(this.query)}`);
    const output = await this.context.platform.outputs.prepare(this.query.id, outputOf(this.query).bucket);
    signal.throwIfAborted();
    const overdue = this.#endOverdue(engine!, cluster);
    try {
      const done = execute(this.context, this.query, output, engine!, this.#jobContext());
      const result = await whileEngineRuns(engine!, done, (reason) => new Error(cluster.killedBecause ?? reason));
      signal.throwIfAborted();
      return result;
    } finally {
      overdue[Symbol.dispose]();
    }
  }

  /** Moves the result to its place. From the first durable step on, the query can no longer be cancelled. */
  async #finish(result: Result | undefined): Promise<CatalogChange | undefined> {
    this.#publishing = true;
    if (result) this.context.state.publishing(this.query.id, result);
    return publish(this.context, { ...this.query, ...result }, (line) => this.#log(line));
  }

  #jobContext(): JobContext {
    return {
      signal: this.#abort.signal,
      progress: (percent, stage) => {
        // 100 % is what finished queries say.
        this.advance.progress = Math.max(this.advance.progress, Math.min(99, Math.max(0, percent)));
        this.advance.stage = stage;
      },
      log: (line) => this.#engineLog(line),
      jobId: (id) => void (this.advance.jobId = id),
    };
  }

  /** Ends an engine that goes on with the work for too long after it was told to end it. */
  #endOverdue(engine: Engine, cluster: Cluster): Disposable {
    const { signal } = this.#abort;
    let timer: NodeJS.Timeout | undefined;
    const kill = () => cluster.kill(engine, `query ${this.query.id} did not end when it was cancelled`);
    const arm = () => void (timer = setTimeout(() => void kill().catch(() => undefined), cancelGrace));
    signal.addEventListener("abort", arm);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", arm);
      },
    };
  }

  /** A state that cannot be written now (a full disk) must neither end the service nor lose the query. */
  async #persist(write: () => void): Promise<void> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 1000)) {
      try {
        return write();
      } catch (error) {
        this.context.platform.log.error({ queryId: this.query.id, err: error }, "state cannot be written");
        if (this.#interrupted === "stopped") return;
        await systemClock.sleep(wait);
      }
    }
  }

  async #quietly(message: string, step: () => Promise<void>): Promise<void> {
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
      this.#log(`the engine's further lines are left out: they passed ${engineLogLimit} bytes`);
  }

  #log(line: string): void {
    this.context.platform.logs.query(this.query.clusterName, this.query.id, line);
  }
}

function describe(query: StoredQuery): string {
  if (query.type === "select") {
    return `select to ${query.outputResourcePath} as ${query.outputFormat}\n${query.query}`;
  }
  const target = formatLocation(outputOf(query));
  return `split of ${query.inputObjectKeys.length} ${query.inputFormat} objects to ${target}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
