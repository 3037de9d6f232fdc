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

/**
 * Milliseconds between the newest query and a start above which the clock may be wrong, as on a machine whose battery is
 * empty: what is too old by it is deleted when the service has run for a day.
 */
const doubtfulGap = 3 * day;

/** Queries that are read and deleted at a time: other requests are answered in between. */
const batchSize = 200;

/** Bytes of a record besides its request: its fields and its entries in the indexes. */
const recordBytes = 512;

export class Retention {
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Time of the start, or at which the clock was set back; undefined before. */
  #since: number | undefined;
  /** True until a day after {@link #since}, while the clock may be wrong. */
  #isDoubtful = false;

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
    let deleted = 0;
    if (!(await this.#mayBeAhead(now, expired))) {
      deleted = await this.#deleteWhile(
        ({ endTime }) => endTime < expired,
        (last) => last.startTime < expired,
      );
    }
    if (this.limits.bytes !== undefined) deleted += await this.#deleteAbove(this.limits.bytes);
    if (deleted > 0) platform.log.info({ queries: deleted }, "deleted old queries and their logs");
  }

  /** Returns true while the clock may be days ahead, and logs it once. A deletion by a wrong clock cannot be undone. */
  async #mayBeAhead(now: number, expired: number): Promise<boolean> {
    if (this.#since === undefined || now < this.#since) {
      this.#since = now;
      const { queries, retention } = this.context.state;
      const [newest] = await queries.list({ order: "desc", limit: 1 });
      const [oldest] = await retention.listQueries(0, 1);
      this.#isDoubtful = (oldest?.startTime ?? now) < expired && now - (newest?.startTime ?? now) > doubtfulGap;
      if (this.#isDoubtful) {
        const times = { clock: new Date(now), newestQuery: new Date(newest!.startTime) };
        this.context.platform.log.warn(
          times,
          "old queries are kept for another day, because the clock is days ahead of the newest query: if it is wrong, set it",
        );
      }
    }
    this.#isDoubtful &&= now < this.#since + day;
    return this.#isDoubtful;
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
