/**
 * The state in one SQLite file (`node:sqlite`), with a write-ahead log: a write is on the disk when its method returns.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errors, excerptOf, limits, type Column, type Location, type QueryStatus } from "../../contract";
import { describeDiskProblem, diskProblem } from "../../storage/disk-errors";
import type { AttemptRecords } from "../core/ports/attempts";
import type {
  AcceptConditions,
  Acceptance,
  AcceptedQuery,
  CatalogChange,
  ClusterSettings,
  ClusterState,
  KeptQuery,
  ListedQuery,
  Overlap,
  QueryAttempt,
  QueryFilter,
  QueryProgress,
  Reservation,
  RestartResult,
  State,
  StateListener,
  StoredQuery,
  WrittenTable,
} from "../core/ports/state";
import { attemptsIn } from "./attempts";
import { DiskReserve } from "./disk-reserve";
import { EndedQueries } from "./ended-queries";
import { QueryPages, type ClusterRange } from "./query-pages";
import { toCatalogTable, toListed, toQuery, type ListedRow, type QueryRow } from "./rows";
import { RunningQueries } from "./running-queries";
import { openStateFile, type StateFile, type StateFileOptions } from "./state-file";

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
  readonly #file: StateFile;
  readonly #database: DatabaseSync;
  readonly #reserve: DiskReserve;
  readonly #pages: QueryPages;
  readonly #ended = new EndedQueries();
  readonly #now: () => number;
  readonly #prepared = new Map<string, StatementSync>();
  /** The greatest query ID before the last restart, for every cluster that ever existed. */
  readonly #rebootedTo = new Map<string, number>();
  readonly #running = new RunningQueries();
  /** The running queries of an earlier start that were not taken over yet. */
  readonly #left: number[];
  #listener: StateListener | undefined;

  constructor(
    private readonly path: string,
    { now = Date.now, ...options }: StateOptions,
  ) {
    this.#now = now;
    this.#file = openStateFile(path, options);
    this.#database = this.#file.database;
    this.#reserve = new DiskReserve(`${path}.reserve`);
    this.#pages = new QueryPages(this.#database);
    this.attempts = attemptsIn({ sql: (text) => this.#sql(text), write: (work) => this.#writeUrgently(work) });
    const clusters = this.#sql(
      "SELECT name, rebooted_to AS rebootedTo FROM clusters",
    ).all() as unknown as ClusterRange[];
    for (const { name, rebootedTo } of clusters) this.#rebootedTo.set(name, rebootedTo);
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
    return this.#write(() => {
      const id = this.#file.nextId();
      this.#sql(
        `INSERT INTO queries (id, type, status, cluster_name, access_key_id, label, start_time, request, excerpt, epoch)
         VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, 1)`,
      ).run(id, type, clusterName, accessKeyId, label, startTime, JSON.stringify(request), excerpt);
      this.#running.add(id, submission, conditions);
      return { query: this.#read(id)! };
    });
  }

  async query(id: number): Promise<StoredQuery | undefined> {
    return this.#read(id);
  }

  async queries(filter: QueryFilter): Promise<ListedQuery[]> {
    const clusters = Array.from(this.#rebootedTo, ([name, rebootedTo]) => ({ name, rebootedTo }));
    return this.#ended.page(this.#pages.ids(filter, clusters), (ids) => this.#listed(ids));
  }

  #listed(ids: readonly number[]): ListedQuery[] {
    // The request of a long statement is not read: an excerpt of the statement is stored beside it.
    const rows = this.#sql(
      `SELECT q.id, q.type, status, cluster_name, access_key_id, label, start_time, progress, stage, job_id, excerpt,
         CASE WHEN excerpt IS NULL AND q.type = 'select' THEN request END AS request
       FROM json_each(?) AS page JOIN queries AS q ON q.id = page.value ORDER BY page.key`,
    ).all(JSON.stringify(ids)) as unknown as ListedRow[];
    return rows.map((row) => ({ ...toListed(row, this.#isRebooted(row)), ...this.#running.get(row.id)?.progress }));
  }

  async running(clusterName?: string): Promise<number[]> {
    return this.#running.ids(clusterName);
  }

  /** Nobody else runs queries of a file: those of an earlier start are taken over once. */
  async takeOver(): Promise<StoredQuery[]> {
    const left = this.#left.splice(0);
    if (left.length === 0) return [];
    const begin = this.#sql("UPDATE queries SET epoch = epoch + 1 WHERE id = ?");
    this.#writeUrgently(() =>
      this.#transaction(() => {
        for (const id of left) begin.run(id);
      }),
    );
    return left.map((id) => this.#read(id)!);
  }

  progress({ id }: QueryAttempt, progress: QueryProgress): void {
    const query = this.#running.get(id);
    if (query) query.progress = { ...progress };
  }

  async markPublishing(
    { id, epoch }: QueryAttempt,
    { columns, checked }: { readonly columns: readonly Column[] | null; readonly checked: boolean },
  ): Promise<"marked" | "cancelled" | "lost"> {
    const query = this.#running.get(id);
    if (!query) return "lost";
    if (query.isCancelled) return "cancelled";
    const { changes } = this.#writeUrgently(() =>
      this.#sql(
        `UPDATE queries SET publishing = 1, published_epoch = epoch, columns = ?, checked = ?
         WHERE id = ? AND epoch = ? AND status = 'running'`,
      ).run(columns === null ? null : JSON.stringify(columns), Number(checked), id, epoch),
    );
    if (changes === 0) return "lost";
    query.isPublishing = true;
    return "marked";
  }

  async confirm({ id }: QueryAttempt): Promise<boolean> {
    return this.#running.get(id) !== undefined;
  }

  async end(
    { id, epoch }: QueryAttempt,
    status: string,
    { progress, stage, jobId }: QueryProgress,
    change: CatalogChange = {},
  ): Promise<boolean> {
    const store = this.#sql(
      `UPDATE queries SET status = ?, publishing = 0, progress = ?, stage = ?, job_id = ?, end_time = ?
       WHERE id = ? AND epoch = ? AND status = 'running'`,
    );
    const end = () => {
      const { changes } = store.run(status, progress, stage, jobId, this.#now(), id, epoch);
      if (changes !== 0) this.#changeCatalog(change);
      return changes !== 0;
    };
    const isEnded = this.#writeUrgently(() => this.#transaction(end));
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
    return this.#sql(
      `SELECT id, cluster_name AS clusterName, status, start_time AS startTime,
         coalesce(end_time, start_time) AS endTime, octet_length(request) AS bytes
       FROM queries WHERE id > ? ORDER BY id LIMIT ?`,
    ).all(after, limit) as unknown as KeptQuery[];
  }

  async remove(ids: readonly number[]): Promise<void> {
    const remove = this.#sql("DELETE FROM queries WHERE id = ? AND status <> 'running'");
    this.#write(() =>
      this.#transaction(() => {
        for (const id of ids) remove.run(id);
      }),
    );
    this.#ended.clear();
  }

  async bytes(): Promise<number> {
    const { used } = this.#sql(
      `SELECT (page_count - freelist_count) * page_size AS used
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    ).get() as { used: number };
    return used;
  }

  exclusively(work: () => Promise<void>): Promise<void> {
    return work();
  }

  async table(database: string, table: string): Promise<WrittenTable | undefined> {
    const row = this.#sql(`${catalogColumns} WHERE database = ? AND name = ?`).get(database, table);
    return row && toCatalogTable(row);
  }

  async tables(): Promise<WrittenTable[]> {
    return this.#sql(`${catalogColumns} ORDER BY database, name`).all().map(toCatalogTable);
  }

  async registerCluster(name: string, configured: ClusterSettings): Promise<ClusterState> {
    const generation = this.#running.generation(name);
    const text = JSON.stringify({ type: configured.type, debug: configured.debug });
    const known = this.#sql("SELECT type, debug, configured FROM clusters WHERE name = ?").get(name) as
      | { type: string; debug: number; configured: string }
      | undefined;
    if (known?.configured === text) return { type: known.type, debug: known.debug !== 0, generation };
    this.#write(() =>
      this.#sql(
        `INSERT INTO clusters (name, type, debug, configured) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET type = excluded.type, debug = excluded.debug, configured = excluded.configured`,
      ).run(name, configured.type, Number(configured.debug), text),
    );
    if (known === undefined) this.#rebootedTo.set(name, 0);
    return { ...configured, generation };
  }

  async restartCluster(name: string, { type, debug }: ClusterSettings, force: boolean): Promise<RestartResult> {
    const running = this.#running.ids(name);
    if (running.length > 0 && !force) return { refused: true, running };
    const { last } = this.#sql("SELECT coalesce(max(id), 0) AS last FROM queries").get() as { last: number };
    this.#writeUrgently(() =>
      this.#sql("UPDATE clusters SET type = ?, debug = ?, rebooted_to = ? WHERE name = ?").run(
        type,
        Number(debug),
        last,
        name,
      ),
    );
    this.#rebootedTo.set(name, last);
    this.#ended.clear();
    for (const id of running) void this.cancel(id);
    return { cancelled: running, cluster: { type, debug, generation: this.#running.restart(name) } };
  }

  async reset(): Promise<void> {
    this.#write(() =>
      this.#transaction(() => {
        this.#sql("DELETE FROM queries").run();
        this.#sql("DELETE FROM catalog").run();
        this.#sql("UPDATE clusters SET rebooted_to = 0").run();
      }),
    );
    for (const name of this.#rebootedTo.keys()) this.#rebootedTo.set(name, 0);
    this.#ended.clear();
  }

  /** Nothing waits for a file. */
  stopping(): void {}

  async close(): Promise<void> {
    this.#file.close();
  }

  #read(id: number): StoredQuery | undefined {
    const row = this.#sql("SELECT * FROM queries WHERE id = ?").get(id) as QueryRow | undefined;
    return row && { ...toQuery(row, this.#isRebooted(row)), ...this.#running.get(id)?.progress };
  }

  /** Finds the queries that an earlier start has left running. */
  #findLeft(): number[] {
    const rows = [...this.#rebootedTo.keys()].flatMap((name) =>
      this.#sql("SELECT * FROM queries WHERE cluster_name = ? AND status = 'running'").all(name),
    ) as unknown as QueryRow[];
    for (const row of rows.sort((a, b) => a.id - b.id)) {
      this.#running.add(row.id, toQuery(row, false), { isPublishing: row.publishing !== 0 });
    }
    return rows.map(({ id }) => id);
  }

  #changeCatalog({ overwritten, put }: CatalogChange): void {
    if (overwritten) {
      this.#sql("DELETE FROM catalog WHERE database = ? AND name = ?").run(overwritten.database, overwritten.table);
    }
    if (!put) return;
    const { database, table, format, columns, fingerprint } = put;
    this.#sql(
      "INSERT OR REPLACE INTO catalog (database, name, format, columns, fingerprint) VALUES (?, ?, ?, ?, ?)",
    ).run(database, table, format, JSON.stringify(columns), fingerprint);
  }

  #sql(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (statement === undefined) this.#prepared.set(text, (statement = this.#database.prepare(text)));
    return statement;
  }

  #transaction<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Runs a write.
   * @throws ServiceUnavailable when the disk is full or cannot be written: nothing was stored.
   */
  #write<Result>(work: () => Result): Result {
    try {
      const result = work();
      this.#reserve.restore();
      return result;
    } catch (cause) {
      const problem = diskProblem(cause);
      if (problem === undefined) throw cause;
      throw new errors.ServiceUnavailable(
        problem === "full"
          ? "the disk of the service's state is full, so nothing was stored: try again when there is space on it"
          : "the disk of the service's state cannot be written, so nothing was stored: try again later",
        { cause: new Error(describeDiskProblem(problem, this.path), { cause }) },
      );
    }
  }

  /** Runs a write for which disk space is reserved, such as the end of a query. @throws as {@link #write} */
  #writeUrgently<Result>(work: () => Result): Result {
    return this.#write(() => {
      try {
        return work();
      } catch (error) {
        if (diskProblem(error) !== "full" || !this.#reserve.release()) throw error;
        return work();
      }
    });
  }

  #isRebooted({ id, cluster_name: cluster }: Pick<QueryRow, "id" | "cluster_name">): boolean {
    return id <= (this.#rebootedTo.get(cluster) ?? 0);
  }
}

const catalogColumns = 'SELECT database, name AS "table", format, columns, fingerprint FROM catalog';
