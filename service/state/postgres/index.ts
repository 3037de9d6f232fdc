/**
 * The state in a PostgreSQL database, for any number of service processes: every answer comes from the tables, and each
 * decision is one transaction or one statement.
 */
import { errors, type Location, type QueryStatus } from "../../../contract";
import type {
  AcceptConditions,
  Acceptance,
  AcceptedQuery,
  CatalogChange,
  ClusterSettings,
  ClusterState,
  CompleteResult,
  KeptQuery,
  ListedQuery,
  Overlap,
  PublishedFolder,
  QueryAttempt,
  QueryFilter,
  QueryProgress,
  Reservation,
  RestartResult,
  State,
  StateListener,
  StoredQuery,
  TablePage,
  WrittenTable,
} from "../../core/ports/state";
import type { AttemptRecords } from "../../core/ports/attempts";
import type { JobsToEnd } from "../../core/ports/jobs-to-end";
import type { LineageRuns } from "../../core/ports/lineage-runs";
import type { ReadRecords } from "../../core/ports/read-records";
import type { QueryLogStore } from "../../core/ports/query-logs";
import { attemptsIn } from "./attempts";
import { insertQuery, insertReservation, isAlive, storeRestart } from "./admission";
import { Database, type Transaction } from "./connection";
import { endCancelled, hasEndedAs, storeEnd } from "./ends";
import { jobsToEndIn, storeJobToEnd } from "./jobs-to-end";
import { keptQueries, removeQueries, storedBytes } from "./kept-queries";
import { Lease, type ProcessConfig } from "./lease";
import { lineageRunsIn, storeLineageRun } from "./lineage-runs";
import { readsIn, readValues, storeReadsSql } from "./read-records";
import { readPublished, readPublishedAs } from "./published";
import { readPage, readQueries } from "./reads";
import { readTable, readTables } from "./tables";
import { PostgresQueryLogs } from "./query-logs";
import { migrate } from "./schema";
import { notify, Signals } from "./signals";

/** Milliseconds that a cancelled query of another process has to end by itself. */
const cancelGrace = 700;
/** Milliseconds for which the steps of a process that stops wait for the database. */
const stopGrace = 3000;
/** Milliseconds between two readings of a query that is awaited, besides notifications. */
const pollInterval = 100;
/** Number of the lock of work that one process does at a time. */
const sharedWorkLock = 5_310_208;

export interface PostgresOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE` */
  readonly url: string;
  /** Name of this process, which no two running processes share: the queries of its earlier run are taken over at once. */
  readonly place: string;
  /** The service's clock, for the times at which queries end. @default the system clock */
  readonly now?: () => number;
  /** What other processes are told of this one. @default nothing: it takes over the queries of every cluster */
  readonly config?: ProcessConfig | undefined;
}

/**
 * Opens the state and creates or migrates its tables.
 * @throws {StateVersionError} for a newer version; ServiceUnavailable, DatabaseError when the database cannot be used.
 */
export async function openPostgresState({ url, place, now = Date.now, config }: PostgresOptions): Promise<BoundState> {
  const database = new Database(url);
  try {
    await database.transaction(migrate);
    const lease = new Lease(database, place, config);
    await lease.begin();
    return new PostgresState(database, lease, now);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A state that belongs to one data folder, or to several where processes share no folder. */
export interface BoundState extends State {
  /** For processes that share no folder. */
  readonly queryLogs: QueryLogStore;
  /** The state's own name, and true for the first caller ever: its data folder is to be bound to it. */
  bind(): Promise<{ readonly id: string; readonly isFirst: boolean }>;
  /** The other living processes, and what they share of their config. */
  others(): ReturnType<Lease["others"]>;
}

/** A reservation with its number in the table. */
interface NumberedReservation extends Reservation {
  readonly id: number;
}

class PostgresState implements BoundState {
  readonly attempts: AttemptRecords;
  readonly jobsToEnd: JobsToEnd;
  readonly reads: ReadRecords;
  readonly lineageRuns: LineageRuns;
  readonly queryLogs: QueryLogStore;
  readonly #signals: Signals;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly lease: Lease,
    private readonly now: () => number,
  ) {
    this.attempts = attemptsIn(database);
    this.jobsToEnd = jobsToEndIn(database, () => this.lease.process);
    this.reads = readsIn(database);
    this.lineageRuns = lineageRunsIn(database);
    this.queryLogs = new PostgresQueryLogs(database);
    this.#signals = new Signals(database.url, () => this.lease.changed());
  }

  async bind(): Promise<{ readonly id: string; readonly isFirst: boolean }> {
    const first = await this.database.run("UPDATE dag.identity SET bound = true WHERE NOT bound RETURNING id");
    const [row] = await this.database.run<{ id: string }>("SELECT id FROM dag.identity");
    return { id: row!.id, isFirst: first.length > 0 };
  }

  others(): ReturnType<Lease["others"]> {
    return this.lease.others();
  }

  listen(listener: StateListener): void {
    this.lease.listen(listener);
  }

  async accept(submission: AcceptedQuery, conditions: AcceptConditions): Promise<Acceptance> {
    const { id: reservation } = (conditions.reservation as NumberedReservation | undefined) ?? {};
    const { process } = this.lease;
    const accepted = await this.database.transaction(async (transaction): Promise<Acceptance> => {
      if (reservation !== undefined) await requireReservation(transaction, reservation);
      const result = await insertQuery(transaction, submission, conditions, { process, reservation });
      if (!("id" in result)) return result;
      if (conditions.lineageRun) await storeLineageRun(transaction, result.id, conditions.lineageRun);
      const [query] = await readQueries(transaction, [result.id]);
      return { query: query! };
    });
    if (!accepted.refused) this.lease.add(accepted.query);
    return accepted;
  }

  async query(id: number): Promise<StoredQuery | undefined> {
    return (await readQueries(this.database, [id]))[0];
  }

  queries(filter: QueryFilter): Promise<ListedQuery[]> {
    return readPage(this.database, filter);
  }

  async running(clusterName?: string): Promise<number[]> {
    const rows = await this.database.run<{ id: number }>(
      "SELECT id FROM dag.queries WHERE status = 'running' AND ($1::text IS NULL OR cluster_name = $1) ORDER BY id",
      [clusterName ?? null],
    );
    return rows.map(({ id }) => id);
  }

  async takeOver(): Promise<StoredQuery[]> {
    return await readQueries(this.database, await this.lease.takeOver());
  }

  progress(attempt: QueryAttempt, progress: QueryProgress): void {
    this.lease.progress(attempt, progress);
  }

  async setEngineHandle({ id, epoch }: QueryAttempt, handle: string): Promise<boolean> {
    const stored = await this.database.persistently(() =>
      this.database.transaction(async (transaction) => {
        await storeJobToEnd(transaction, id, { now: this.now(), epoch, next: handle });
        return await transaction.run(
          "UPDATE dag.queries SET engine_handle = $3 WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id",
          [id, epoch, handle],
        );
      }),
    );
    return stored.length > 0;
  }

  async markPublishing(
    { id, epoch }: QueryAttempt,
    { columns, checked, rows, reads = [] }: CompleteResult,
  ): Promise<"marked" | "cancelled" | "lost"> {
    return await this.database.persistently(async () => {
      const marked = await this.database.run(
        `WITH marked AS (UPDATE dag.queries SET publishing = true, published_epoch = epoch, columns = $3, checked = $4, row_count = $5
         WHERE id = $1 AND epoch = $2 AND status = 'running' AND NOT cancelling RETURNING id),
           stored AS (${storeReadsSql(6)})
         SELECT id FROM marked`,
        [id, epoch, columns === null ? null : JSON.stringify(columns), checked, rows ?? null, ...readValues(reads)],
      );
      if (marked.length > 0) return "marked";
      const last = await this.database.run(
        "SELECT 1 FROM dag.queries WHERE id = $1 AND epoch = $2 AND status = 'running'",
        [id, epoch],
      );
      return last.length > 0 ? "cancelled" : "lost";
    });
  }

  confirm(attempt: QueryAttempt): Promise<boolean> {
    return this.lease.holds(attempt);
  }

  async end(
    attempt: QueryAttempt,
    status: Exclude<QueryStatus, "running">,
    progress: QueryProgress,
    change: CatalogChange = {},
    failure?: string,
  ): Promise<boolean> {
    const end = { status, time: this.now(), ...progress, change, failure };
    let attempts = 0;
    const isEnded = await this.database.persistently(() => {
      attempts += 1;
      return this.database.transaction((transaction) => storeEnd(transaction, attempt, end));
    });
    this.lease.remove(attempt);
    // An attempt whose answer was lost may have stored the end.
    return isEnded || (attempts > 1 && (await hasEndedAs(this.database, attempt, status)));
  }

  async cancel(id: number): Promise<boolean> {
    const rows = await this.database.run(
      `UPDATE dag.queries SET cancelling = true WHERE id = $1 AND status = 'running' AND NOT publishing RETURNING id`,
      [id],
    );
    if (rows.length > 0) await notify(this.database);
    return rows.length > 0;
  }

  async cancelled(id: number): Promise<QueryStatus | undefined> {
    const started = performance.now();
    for (;;) {
      const [row] = await this.database.run<{ status: QueryStatus }>("SELECT status FROM dag.queries WHERE id = $1", [
        id,
      ]);
      if (row?.status !== "running") return row?.status;
      const isLate = performance.now() - started > cancelGrace;
      if (isLate && (await endCancelled(this.database, id, this.now()))) continue;
      await this.#signals.ended(id, pollInterval);
    }
  }

  async reserve(folder: Location, owner: string): Promise<Reservation | Overlap> {
    const result = await this.database.transaction((transaction) =>
      insertReservation(transaction, folder, owner, this.lease.process),
    );
    if (result.refused) return result;
    const { id } = result;
    const release = () => this.#release("DELETE FROM dag.reservations WHERE id = $1", [id]);
    const reservation: NumberedReservation = { id, release };
    return reservation;
  }

  async beginExport(clusterName: string): Promise<Reservation | undefined> {
    const { process } = this.lease;
    const rows = await this.database.run(
      `UPDATE dag.clusters AS c SET exporter = $2 WHERE name = $1
         AND NOT EXISTS (SELECT FROM dag.processes AS p WHERE p.id = c.exporter AND ${isAlive}) RETURNING name`,
      [clusterName, process],
    );
    if (rows.length === 0) return undefined;
    const sql = "UPDATE dag.clusters SET exporter = NULL WHERE name = $1 AND exporter = $2";
    return { release: () => this.#release(sql, [clusterName, process]) };
  }

  kept(after: number, limit: number): Promise<KeptQuery[]> {
    return keptQueries(this.database, after, limit);
  }

  remove(ids: readonly number[]): Promise<void> {
    return removeQueries(this.database, ids);
  }

  bytes(): Promise<number> {
    return storedBytes(this.database);
  }

  exclusively(work: () => Promise<void>): Promise<void> {
    return this.database.exclusively(sharedWorkLock, work);
  }

  async table(database: string, table: string): Promise<WrittenTable | undefined> {
    return readTable(this.database, { database, table });
  }

  tables(page: TablePage): Promise<WrittenTable[]> {
    return readTables(this.database, page);
  }

  published(folder: Location, newest?: number): Promise<PublishedFolder[]> {
    return readPublished(this.database, folder, newest);
  }

  publishedAs(content: string): Promise<PublishedFolder[]> {
    return readPublishedAs(this.database, content);
  }

  async registerCluster(name: string, { type, debug }: ClusterSettings): Promise<ClusterState> {
    const [row] = await this.database.run<ClusterState & object>(
      `INSERT INTO dag.clusters AS c (name, type, debug, configured) VALUES ($1, $2, $3, $4)
       ON CONFLICT (name) DO UPDATE SET
         type = CASE WHEN c.configured = excluded.configured THEN c.type ELSE excluded.type END,
         debug = CASE WHEN c.configured = excluded.configured THEN c.debug ELSE excluded.debug END,
         configured = excluded.configured
       RETURNING type, debug, generation`,
      [name, type, debug, JSON.stringify({ type, debug })],
    );
    return row!;
  }

  async restartCluster(name: string, settings: ClusterSettings, force: boolean): Promise<RestartResult> {
    const result = await this.database.transaction((transaction) => storeRestart(transaction, name, settings, force));
    if (!result.refused) await notify(this.database);
    return result;
  }

  async reset(): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.run("DELETE FROM dag.queries");
      await transaction.run("DELETE FROM dag.catalog");
      await transaction.run("DELETE FROM dag.published");
      await transaction.run("DELETE FROM dag.reads");
      await transaction.run("DELETE FROM dag.lineage_runs");
      await transaction.run("DELETE FROM dag.query_logs");
      await transaction.run("UPDATE dag.clusters SET rebooted_to = 0");
    });
  }

  /** A lost connection is reported by the operations that need it, and comes back. */
  problem(): undefined {}

  stopping(): void {
    this.database.giveUpIn(stopGrace);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.lease.close();
    await notify(this.database).catch(() => undefined);
    await this.#signals.close();
    await this.database.close();
  }

  /** Releases what the end of the process releases too. */
  async #release(sql: string, values: readonly unknown[]): Promise<void> {
    try {
      await this.database.persistently(() => this.database.run(sql, values));
    } catch (error) {
      if (!(error instanceof errors.ServiceUnavailable)) throw error;
    }
  }
}

/** @throws ServiceUnavailable when the lease under which it was made has expired in between */
async function requireReservation(transaction: Transaction, id: number): Promise<void> {
  const found = await transaction.run("SELECT 1 FROM dag.reservations WHERE id = $1", [id]);
  if (found.length > 0) return;
  throw new errors.ServiceUnavailable("the service lost its reservation of the output folder: try again", {
    retryAfter: 1000,
  });
}
