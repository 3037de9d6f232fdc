/**
 * The state in one SQLite file (`node:sqlite`), with a write-ahead log: a write is on the disk when its method returns.
 */
import { excerptOf, limits, type Location, type QueryStatus } from "../../../contract";
import type { AttemptRecords } from "../../core/ports/attempts";
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
import type { JobsToEnd } from "../../core/ports/jobs-to-end";
import type { LineageRuns } from "../../core/ports/lineage-runs";
import type { ReadRecords } from "../../core/ports/read-records";
import { attemptsIn } from "./attempts";
import { CatalogRecords } from "./catalog";
import { ClusterRecords } from "./clusters";
import { SqliteDatabase } from "./database";
import { EndedRecords } from "./ended-records";
import { jobsToEndIn, storeJobToEnd } from "./jobs-to-end";
import { KeptQueries } from "./kept-queries";
import { lineageRunsIn, storeFailure, storeLineageRun } from "./lineage-runs";
import { QueryPages } from "./query-pages";
import { readsIn, storeReads } from "./reads";
import { toListed, toQuery, type ListedRow, type QueryRow } from "./rows";
import { RunningQueries } from "./running-queries";
import { openStateFile, type StateFile, type StateFileOptions } from "./state-file";

/** Bytes of the records of ended queries that are kept for lists, and for requests for one query. */
const [maxListedBytes, maxStoredBytes] = [24 * 1024 * 1024, 16 * 1024 * 1024];

export interface StateOptions extends StateFileOptions {
  /** The service's clock, for the times at which queries end. @default the system clock */
  readonly now?: () => number;
}

/**
 * Opens or creates a state file.
 * @throws {StateLossError} when the file is damaged or lost its end; {StateVersionError} for a newer version.
 */
export function openState(path: string, options: StateOptions = {}): State {
  return new SqliteState(path, options);
}

class SqliteState implements State {
  readonly attempts: AttemptRecords;
  readonly jobsToEnd: JobsToEnd;
  readonly reads: ReadRecords;
  readonly lineageRuns: LineageRuns;
  readonly #file: StateFile;
  readonly #database: SqliteDatabase;
  readonly #catalog: CatalogRecords;
  readonly #kept: KeptQueries;
  readonly #pages: QueryPages;
  readonly #endedListed = new EndedRecords<ListedQuery>(maxListedBytes, ({ excerpt }) => 1100 + (excerpt?.length ?? 0));
  readonly #endedStored = new EndedRecords<StoredQuery>(maxStoredBytes, sizeOfStored);
  readonly #now: () => number;
  readonly #clusters: ClusterRecords;
  readonly #running = new RunningQueries();
  /** The running queries of an earlier start that were not taken over yet. */
  readonly #left: number[];
  #listener: StateListener | undefined;

  constructor(path: string, { now = Date.now, ...options }: StateOptions) {
    this.#now = now;
    this.#file = openStateFile(path, options);
    this.#database = new SqliteDatabase(path, this.#file.database);
    this.#pages = new QueryPages(this.#file.database);
    this.#kept = new KeptQueries(this.#database);
    this.#catalog = new CatalogRecords(this.#database);
    this.attempts = attemptsIn(this.#database);
    this.jobsToEnd = jobsToEndIn(this.#database);
    this.reads = readsIn(this.#database);
    this.lineageRuns = lineageRunsIn(this.#database);
    this.#clusters = new ClusterRecords(this.#database);
    this.#left = this.#findLeft();
  }

  listen(listener: StateListener): void {
    this.#listener = listener;
  }

  async accept(submission: AcceptedQuery, conditions: AcceptConditions): Promise<Acceptance> {
    const refusal = this.#running.refusal(submission, conditions);
    if (refusal) return refusal;
    const { type, clusterName, accessKeyId, label, startTime, ...request } = submission;
    const statement = submission.type === "select" ? submission.query : "";
    const excerpt = statement.length > limits.listedStatement ? excerptOf(statement) : null;
    const { lineageRun } = conditions;
    const store = (id: number) => {
      this.#database
        .sql(
          `INSERT INTO queries (id, type, status, cluster_name, access_key_id, label, start_time, request, excerpt, epoch)
         VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, 1)`,
        )
        .run(id, type, clusterName, accessKeyId, label, startTime, JSON.stringify(request), excerpt);
      if (lineageRun) storeLineageRun(this.#database, id, lineageRun);
    };
    return this.#database.write(() => {
      const id = this.#file.nextId();
      if (lineageRun) this.#database.transaction(() => store(id));
      else store(id);
      this.#running.add(id, submission, conditions);
      return { query: this.#read(id)! };
    });
  }

  async query(id: number): Promise<StoredQuery | undefined> {
    return this.#endedStored.one(id, () => this.#read(id));
  }

  async queries(filter: QueryFilter): Promise<ListedQuery[]> {
    const ids = await this.#pages.ids(filter, this.#clusters.ranges());
    return this.#endedListed.page(ids, (unknown) => this.#listed(unknown));
  }

  #listed(ids: readonly number[]): ListedQuery[] {
    // The request of a long statement is not read: an excerpt of the statement is stored beside it.
    const rows = this.#database
      .sql(
        `SELECT q.id, q.type, status, cluster_name, access_key_id, label, start_time, end_time, row_count, progress, stage, job_id,
         excerpt,
         CASE WHEN excerpt IS NULL AND q.type = 'select' THEN request END AS request
       FROM json_each(?) AS page JOIN queries AS q ON q.id = page.value ORDER BY page.key`,
      )
      .all(JSON.stringify(ids)) as unknown as ListedRow[];
    return rows.map((row) => ({
      ...toListed(row, this.#clusters.isRebooted(row.cluster_name, row.id)),
      ...this.#running.get(row.id)?.progress,
    }));
  }

  problem(): string | undefined {
    return this.#database.problem();
  }

  async running(clusterName?: string): Promise<number[]> {
    return this.#running.ids(clusterName);
  }

  /** Nobody else runs queries of a file: those of an earlier start are taken over once. */
  async takeOver(): Promise<StoredQuery[]> {
    const left = this.#left.splice(0);
    if (left.length === 0) return [];
    const begin = this.#database.sql("UPDATE queries SET epoch = epoch + 1 WHERE id = ?");
    this.#database.writeUrgently(() =>
      this.#database.transaction(() => {
        for (const id of left) begin.run(id);
      }),
    );
    return left.map((id) => this.#read(id)!);
  }

  progress({ id }: QueryAttempt, progress: QueryProgress): void {
    const query = this.#running.get(id);
    if (query) query.progress = { ...progress };
  }

  async setEngineHandle(attempt: QueryAttempt, handle: string): Promise<boolean> {
    const { changes } = this.#database.write(() =>
      this.#database.transaction(() => {
        storeJobToEnd(this.#database, attempt, { now: this.#now(), next: handle });
        return this.#database
          .sql("UPDATE queries SET engine_handle = ? WHERE id = ? AND epoch = ? AND status = 'running'")
          .run(handle, attempt.id, attempt.epoch);
      }),
    );
    return changes !== 0;
  }

  async markPublishing(
    { id, epoch }: QueryAttempt,
    { columns, checked, rows, reads = [] }: CompleteResult,
  ): Promise<"marked" | "cancelled" | "lost"> {
    const query = this.#running.get(id);
    if (!query) return "lost";
    if (query.isCancelled) return "cancelled";
    const mark = () => {
      const { changes } = this.#database
        .sql(
          `UPDATE queries SET publishing = 1, published_epoch = epoch, columns = ?, checked = ?, row_count = ?
         WHERE id = ? AND epoch = ? AND status = 'running'`,
        )
        .run(columns === null ? null : JSON.stringify(columns), Number(checked), rows ?? null, id, epoch);
      if (changes !== 0) storeReads(this.#database, id, reads);
      return changes !== 0;
    };
    const isMarked = this.#database.writeUrgently(() =>
      reads.length === 0 ? mark() : this.#database.transaction(mark),
    );
    if (!isMarked) return "lost";
    query.isPublishing = true;
    return "marked";
  }

  async confirm({ id }: QueryAttempt): Promise<boolean> {
    return this.#running.get(id) !== undefined;
  }

  async end(
    attempt: QueryAttempt,
    status: string,
    { progress, stage, jobId }: QueryProgress,
    change: CatalogChange = {},
    failure?: string,
  ): Promise<boolean> {
    const store = this.#database.sql(
      `UPDATE queries SET status = ?, publishing = 0, engine_handle = NULL, progress = ?, stage = ?, job_id = ?, end_time = ?
       WHERE id = ? AND epoch = ? AND status = 'running'`,
    );
    const { id, epoch } = attempt;
    const end = () => {
      if (status !== "finished") storeJobToEnd(this.#database, attempt, { now: this.#now() });
      const { changes } = store.run(status, progress, stage, jobId, this.#now(), id, epoch);
      if (changes !== 0) this.#catalog.change(change);
      if (changes !== 0 && failure !== undefined) storeFailure(this.#database, id, failure);
      return changes !== 0;
    };
    const isEnded = this.#database.writeUrgently(() => this.#database.transaction(end));
    if (isEnded) this.#running.remove(id);
    return isEnded;
  }

  async cancel(id: number): Promise<boolean> {
    const query = this.#running.get(id);
    if (!query || query.isPublishing) return false;
    query.isCancelled = true;
    // An acceptance may have been answered, and its run not begun yet.
    setImmediate(() => this.#listener?.cancelled(id));
    return true;
  }

  async cancelled(id: number): Promise<QueryStatus | undefined> {
    await this.#running.get(id)?.ended.promise;
    return this.#read(id)?.status;
  }

  async reserve(folder: Location, owner: string): Promise<Reservation | Overlap> {
    return this.#running.reserve(folder, owner);
  }

  async beginExport(clusterName: string): Promise<Reservation | undefined> {
    return this.#running.beginExport(clusterName);
  }

  async kept(after: number, limit: number): Promise<KeptQuery[]> {
    return this.#kept.page(after, limit);
  }

  async remove(ids: readonly number[]): Promise<void> {
    this.#kept.remove(ids);
    this.#forgetEnded();
  }

  async bytes(): Promise<number> {
    return this.#kept.bytes();
  }

  exclusively(work: () => Promise<void>): Promise<void> {
    return work();
  }

  async table(database: string, table: string): Promise<WrittenTable | undefined> {
    return this.#catalog.table(database, table);
  }

  async tables(page: TablePage): Promise<WrittenTable[]> {
    return this.#catalog.tables(page);
  }

  async published(folder: Location, newest?: number): Promise<PublishedFolder[]> {
    return this.#catalog.published(folder, newest);
  }

  async publishedAs(content: string): Promise<PublishedFolder[]> {
    return this.#catalog.publishedAs(content);
  }

  async registerCluster(name: string, configured: ClusterSettings): Promise<ClusterState> {
    return { ...this.#clusters.register(name, configured), generation: this.#running.generation(name) };
  }

  async restartCluster(name: string, { type, debug }: ClusterSettings, force: boolean): Promise<RestartResult> {
    const running = this.#running.ids(name);
    if (running.length > 0 && !force) return { refused: true, running };
    this.#clusters.restart(name, { type, debug });
    this.#forgetEnded();
    for (const id of running) void this.cancel(id);
    return { cancelled: running, cluster: { type, debug, generation: this.#running.restart(name) } };
  }

  async reset(): Promise<void> {
    this.#database.write(() =>
      this.#database.transaction(() => {
        this.#database.sql("DELETE FROM queries").run();
        this.#database.sql("DELETE FROM catalog").run();
        this.#database.sql("DELETE FROM published").run();
        this.#database.sql("DELETE FROM reads").run();
        this.#database.sql("DELETE FROM lineage_runs").run();
        this.#clusters.reset();
      }),
    );
    this.#forgetEnded();
  }

  /** Nothing waits for a file. */
  stopping(): void {}

  async close(): Promise<void> {
    this.#file.close();
  }

  #forgetEnded(): void {
    this.#endedListed.clear();
    this.#endedStored.clear();
  }

  #read(id: number): StoredQuery | undefined {
    const row = this.#database.sql("SELECT * FROM queries WHERE id = ?").get(id) as QueryRow | undefined;
    return (
      row && {
        ...toQuery(row, this.#clusters.isRebooted(row.cluster_name, row.id)),
        ...this.#running.get(id)?.progress,
      }
    );
  }

  /** Finds the queries that an earlier start has left running. */
  #findLeft(): number[] {
    const rows = this.#clusters
      .names()
      .flatMap((name) =>
        this.#database.sql("SELECT * FROM queries WHERE cluster_name = ? AND status = 'running'").all(name),
      ) as unknown as QueryRow[];
    for (const row of rows.sort((a, b) => a.id - b.id)) {
      this.#running.add(row.id, toQuery(row, false), { isPublishing: row.publishing !== 0 });
    }
    return rows.map(({ id }) => id);
  }
}

function sizeOfStored(query: StoredQuery): number {
  const given = query.type === "select" ? query.query.length : query.inputObjectKeys.join("").length;
  const columns = (query.columns?.length ?? 0) * 100;
  return 600 + given + columns;
}
