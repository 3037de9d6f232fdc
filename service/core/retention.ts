/**
 * Deletes old queries: the record of a query together with its log, oldest first, and never one that runs. Results and
 * tables stay.
 */
import type { Cluster } from "./clusters/cluster";
import type { Platform } from "./ports/platform";
import type { KeptQuery, State } from "./ports/state";
import { deleteOrphans } from "./queries/orphans";

/** How long queries are kept. */
export interface RetentionLimits {
  /** Days after its end for which a query is kept. */
  readonly days: number;
  /** Maximum size of all records and logs together; above it the oldest are deleted. @default no limit */
  readonly bytes?: number | undefined;
}

const hour = 3_600_000;
const day = 24 * hour;

/** Queries that are read and deleted at a time: other requests are answered in between. */
const batchSize = 200;

/** Bytes of a record besides its request: its fields and its entries in the indexes. */
const recordBytes = 512;

export class Retention {
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: {
      readonly platform: Platform;
      readonly state: Pick<State, "queries" | "retention">;
      readonly clusters: ReadonlyMap<string, Cluster>;
    },
    private readonly limits: RetentionLimits,
  ) {}

  /** Deletes what is too old now, and again every hour. */
  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when nothing is deleted any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.context.platform;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const next = clock.now() + hour;
      try {
        await this.context.state.retention.exclusively(() => this.#sweep());
      } catch (error) {
        log.error({ err: error }, "old queries could not be deleted");
      }
      // A test clock that was reset meanwhile is before `next` by more than the hour.
      await clock.sleep(Math.min(hour, Math.max(0, next - clock.now())), signal);
    }
  }

  async #sweep(): Promise<void> {
    const { platform } = this.context;
    const now = platform.clock.now();
    const age = Math.min(this.limits.days * day, day);
    await platform.outputs.removeLeftovers(now - age);
    await deleteOrphans(platform, this.context.state.queries);
    const expired = now - this.limits.days * day;
    let deleted = await this.#deleteWhile(
      ({ endTime }) => endTime < expired,
      (last) => last.startTime < expired,
    );
    if (this.limits.bytes !== undefined) deleted += await this.#deleteAbove(this.limits.bytes);
    if (deleted > 0) platform.log.info({ queries: deleted }, "deleted old queries and their logs");
  }

  /** Deletes the oldest queries while all records and logs together have more bytes than allowed. */
  async #deleteAbove(limit: number): Promise<number> {
    const { state, clusters, platform } = this.context;
    let excess = (await state.retention.storedBytes()) - limit;
    for (const name of clusters.keys()) excess += await platform.logs.queryBytes(name);
    if (excess <= 0) return 0;
    return this.#deleteWhile(
      () => excess > 0,
      () => excess > 0,
      (bytes) => (excess -= bytes),
    );
  }

  /**
   * Deletes ended queries, oldest first.
   * @param isDeleted decides for each query.
   * @param goesOn decides after each query whether the next is checked.
   * @param freed receives the bytes of what is deleted.
   * @returns the number of deleted queries.
   */
  async #deleteWhile(
    isDeleted: (query: KeptQuery) => boolean,
    goesOn: (query: KeptQuery) => boolean,
    freed: (bytes: number) => void = () => undefined,
  ): Promise<number> {
    const { state, platform } = this.context;
    let deleted = 0;
    for (let after = 0; !this.#stopped.signal.aborted;) {
      const batch = await state.retention.listQueries(after, batchSize);
      const chosen: number[] = [];
      let more = batch.length === batchSize;
      for (const query of batch) {
        if (!goesOn(query)) {
          more = false;
          break;
        }
        if (query.status === "running" || !isDeleted(query)) continue;
        // The log first: killed in between, the record remains and is deleted the next time.
        freed(recordBytes + query.bytes + (await platform.logs.deleteQuery(query.clusterName, query.id)));
        chosen.push(query.id);
      }
      if (chosen.length > 0) await state.retention.removeQueries(chosen);
      deleted += chosen.length;
      if (!more) break;
      after = batch.at(-1)!.id;
    }
    return deleted;
  }
}
