/**
 * Sends the OpenLineage events of the outbox, one after another in the order of the queries, and again after an outage.
 * Queries never wait for it. Of several processes on one database, one sends.
 */
import { errors } from "../../../contract";
import type { LineageReceiver } from "../ports/lineage-receiver";
import type { LineageRun } from "../ports/lineage-runs";
import type { Platform } from "../ports/platform";
import type { State, StoredQuery } from "../ports/state";
import { endEvent, startEvent, type EventSource, type InputDataset } from "./events";

/** Runs that are read at a time. */
const batchSize = 100;
/** Runs that are kept while the receiver does not answer. */
const maxRuns = 100_000;
/** Milliseconds between two rounds: those while there may be more, and those in which other processes may have left some. */
const pauses = { short: 200, long: 10_000 } as const;
/** Milliseconds after a failure: doubled after each from the first to the longest. */
const retryPauses = { first: 1000, longest: 60_000 } as const;
/** Milliseconds that the receiver has for one event. */
const deadline = 10_000;

export interface LineageSenderOptions {
  readonly source: EventSource;
  readonly receiver: LineageReceiver;
  readonly state: Pick<State, "queries" | "lineageRuns" | "reads">;
  readonly platform: Platform;
  /** Runs that are kept. @default 100,000 */
  readonly limit?: number;
}

export class LineageSender {
  readonly #stopped = new AbortController();
  #woken = Promise.withResolvers<void>();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: LineageSenderOptions) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Says that there may be an event to send. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Begins no further request, and waits for the one that is being sent to be given up. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#woken.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    const { log } = this.options.platform;
    let wait = 0;
    while (!signal.aborted) {
      try {
        this.#woken = Promise.withResolvers<void>();
        await this.#sendWaiting();
        if (wait > 0) log.info({}, "the OpenLineage receiver answers again");
        wait = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (wait === 0) {
          log.warn(
            { reason: (error as Error).message },
            "OpenLineage events could not be sent: they are kept, and sent when that is possible",
          );
        }
        wait = Math.min(Math.max(2 * wait, retryPauses.first), retryPauses.longest);
        await this.#dropOldest();
      }
      await (wait > 0 ? this.options.platform.clock.sleep(wait, signal) : this.#pause(signal));
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    await Promise.race([
      this.#woken.promise,
      this.options.platform.clock.sleep(pauses.long, AbortSignal.any([signal, late.signal])),
    ]);
    late.abort();
    // What begins and ends in this time is sent in one round.
    await this.options.platform.clock.sleep(pauses.short, signal);
  }

  async #sendWaiting(): Promise<void> {
    const { lineageRuns } = this.options.state;
    if ((await lineageRuns.waiting(1)).length === 0) return;
    await lineageRuns.exclusively(async () => {
      for (;;) {
        const runs = await lineageRuns.waiting(batchSize);
        for (const run of runs) await this.#sendRun(run);
        if (runs.length < batchSize) return;
      }
    });
  }

  async #sendRun(run: LineageRun): Promise<void> {
    const { source, state } = this.options;
    const { lineageRuns } = state;
    const query = await state.queries.get(run.queryId);
    if (!query) {
      await lineageRuns.remove(run.queryId);
      this.#dropped(1, "the records of their queries were deleted");
      return;
    }
    if (!run.isStarted) {
      await this.#send(startEvent(source, run, query), query);
      await lineageRuns.setStarted(run.queryId);
    }
    if (query.status === "running") return;
    await this.#send(endEvent(source, run, query, await this.#inputs(run, query)), query);
    await lineageRuns.remove(run.queryId);
  }

  async #send(event: object, query: StoredQuery): Promise<void> {
    const { receiver, platform } = this.options;
    const { signal } = this.#stopped;
    signal.throwIfAborted();
    const sent = await receiver.send(event, AbortSignal.any([signal, AbortSignal.timeout(deadline)]));
    if (sent.outcome === "refused") {
      platform.log.warn(
        { queryId: query.id, status: sent.status },
        "the OpenLineage receiver refused an event of a query: it is not sent again",
      );
    }
    platform.lineageEvents?.(sent.outcome, 1);
  }

  /** What a finished query read, or else what it names. A table that was made later than it has other columns. */
  async #inputs(run: LineageRun, { id }: StoredQuery): Promise<readonly InputDataset[]> {
    const { reads } = this.options.state;
    const read = (await reads.of([id])).map(({ folder }) => folder);
    const folders = read.length > 0 ? read : run.inputs;
    const published = (await reads.lastTo(folders)).filter(({ queryId }) => queryId < id);
    return folders.map((folder) => ({
      folder,
      columns:
        published.find((one) => one.folder.bucket === folder.bucket && one.folder.key === folder.key)?.columns ?? null,
    }));
  }

  async #dropOldest(): Promise<void> {
    const { state, platform, limit = maxRuns } = this.options;
    try {
      const dropped = await state.lineageRuns.keepNewest(limit);
      if (dropped > 0) this.#dropped(dropped, `more than ${limit} queries wait for the OpenLineage receiver`);
    } catch (error) {
      // Without the state, nothing is added to the outbox either.
      if (error instanceof errors.ServiceUnavailable) return;
      platform.log.error({ err: error }, "the outbox of OpenLineage events could not be read");
    }
  }

  #dropped(runs: number, reason: string): void {
    const { log, lineageEvents } = this.options.platform;
    log.warn({ runs, reason }, "OpenLineage events of the oldest queries are dropped");
    lineageEvents?.("dropped", runs);
  }
}
