/**
 * The state in one SQLite file (`node:sqlite`), with a write-ahead log: a write is on the disk when its method returns.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errors, excerptOf, limits, type Column } from "../../contract";
import { describeDiskProblem, diskProblem } from "../../storage/disk-errors";
import type {
  QueryProgress,
  CatalogChange,
  WrittenTable,
  ClusterSettings,
  KeptQuery,
  ListedQuery,
  QueryFilter,
  State,
  StoredQuery,
  AcceptedQuery,
} from "../core/ports/state";
import { attemptsIn, type Attempts } from "./attempts";
import { DiskReserve } from "./disk-reserve";
import { EndedQueries } from "./ended-queries";
import { QueryPages, type ClusterRange } from "./query-pages";
import { toCatalogTable, toListed, toQuery, type ListedRow, type QueryRow } from "./rows";
import { openStateFile, type StateFile, type StateFileOptions } from "./state-file";

export interface StateOptions extends StateFileOptions {
  /** The service's clock, for the times at which queries end. @default the system clock */
  readonly now?: () => number;
}

/**
 * Opens or creates a state file.
 * @throws {StateLossError} when the file is damaged or lost its end; {StateVersionError} for a newer version.
 */
export function openState(path: string, options: StateOptions = {}): State & { readonly attempts: Attempts } {
  return new SqliteState(path, options);
}

class SqliteState implements State {
  readonly attempts: Attempts;
  readonly #file: StateFile;
  readonly #database: DatabaseSync;
  readonly #reserve: DiskReserve;
  readonly #pages: QueryPages;
  readonly #ended = new EndedQueries();
  readonly #now: () => number;
  readonly #prepared = new Map<string, StatementSync>();
  /** The greatest query ID before the last restart, for every cluster that ever existed. */
  readonly #rebootedTo = new Map<string, number>();

  constructor(
    private readonly path: string,
    { now = Date.now, ...options }: StateOptions,
  ) {
    this.#now = now;
    this.#file = openStateFile(path, options);
    this.#database = this.#file.database;
    this.#reserve = new DiskReserve(`${path}.reserve`);
    this.#pages = new QueryPages(this.#database);
    this.attempts = attemptsIn({ sql: (text) => this.#sql(text), write: (work) => void this.#writeUrgently(work) });
    const clusters = this.#sql(
      "SELECT name, rebooted_to AS rebootedTo FROM clusters",
    ).all() as unknown as ClusterRange[];
    for (const { name, rebootedTo } of clusters) this.#rebootedTo.set(name, rebootedTo);
  }

  accept(submission: AcceptedQuery): number {
    const { type, clusterName, accessKeyId, label, startTime, ...request } = submission;
    const statement = submission.type === "select" ? submission.query : "";
    const excerpt = statement.length > limits.listedStatement ? excerptOf(statement) : null;
    return this.#write(() => {
      const id = this.#file.nextId();
      this.#sql(
        `INSERT INTO queries (id, type, status, cluster_name, access_key_id, label, start_time, request, excerpt)
         VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?)`,
      ).run(id, type, clusterName, accessKeyId, label, startTime, JSON.stringify(request), excerpt);
      return id;
    });
  }

  query(id: number): StoredQuery | undefined {
    const row = this.#sql("SELECT * FROM queries WHERE id = ?").get(id) as QueryRow | undefined;
    return row && this.#toQuery(row);
  }

  queries(filter: QueryFilter): ListedQuery[] {
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
    return rows.map((row) => toListed(row, this.#isRebooted(row)));
  }

  running(clusterName?: string): StoredQuery[] {
    const clusters = clusterName === undefined ? [...this.#rebootedTo.keys()] : [clusterName];
    const rows = clusters.flatMap((name) =>
      this.#sql("SELECT * FROM queries WHERE cluster_name = ? AND status = 'running'").all(name),
    ) as unknown as QueryRow[];
    return rows.sort((a, b) => a.id - b.id).map((row) => this.#toQuery(row));
  }

  markPublishing(id: number, { columns, checked }: { columns: readonly Column[] | null; checked: boolean }): void {
    this.#writeUrgently(() =>
      this.#sql("UPDATE queries SET publishing = 1, columns = ?, checked = ? WHERE id = ? AND status = 'running'").run(
        columns === null ? null : JSON.stringify(columns),
        Number(checked),
        id,
      ),
    );
  }

  end(id: number, status: string, { progress, stage, jobId }: QueryProgress, change: CatalogChange = {}): void {
    const end = () => {
      if (change.overwritten) {
        const { database, table } = change.overwritten;
        this.#sql("DELETE FROM catalog WHERE database = ? AND name = ?").run(database, table);
      }
      if (change.put) {
        const { database, table, format, columns, fingerprint } = change.put;
        this.#sql(
          "INSERT OR REPLACE INTO catalog (database, name, format, columns, fingerprint) VALUES (?, ?, ?, ?, ?)",
        ).run(database, table, format, JSON.stringify(columns), fingerprint);
      }
      this.#sql(
        `UPDATE queries SET status = ?, publishing = 0, progress = ?, stage = ?, job_id = ?, end_time = ?
         WHERE id = ? AND status = 'running'`,
      ).run(status, progress, stage, jobId, this.#now(), id);
    };
    this.#writeUrgently(() => this.#transaction(end));
  }

  kept(after: number, limit: number): KeptQuery[] {
    return this.#sql(
      `SELECT id, cluster_name AS clusterName, status, start_time AS startTime,
         coalesce(end_time, start_time) AS endTime, octet_length(request) AS bytes
       FROM queries WHERE id > ? ORDER BY id LIMIT ?`,
    ).all(after, limit) as unknown as KeptQuery[];
  }

  remove(ids: readonly number[]): void {
    const remove = this.#sql("DELETE FROM queries WHERE id = ? AND status <> 'running'");
    this.#write(() =>
      this.#transaction(() => {
        for (const id of ids) remove.run(id);
      }),
    );
    this.#ended.clear();
  }

  bytes(): number {
    const { used } = this.#sql(
      `SELECT (page_count - freelist_count) * page_size AS used
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    ).get() as { used: number };
    return used;
  }

  table(database: string, table: string): WrittenTable | undefined {
    const row = this.#sql(`${catalogColumns} WHERE database = ? AND name = ?`).get(database, table);
    return row && toCatalogTable(row);
  }

  tables(): WrittenTable[] {
    return this.#sql(`${catalogColumns} ORDER BY database, name`).all().map(toCatalogTable);
  }

  registerCluster(name: string, configured: ClusterSettings): ClusterSettings {
    const text = JSON.stringify({ type: configured.type, debug: configured.debug });
    const known = this.#sql("SELECT type, debug, configured FROM clusters WHERE name = ?").get(name) as
      | { type: string; debug: number; configured: string }
      | undefined;
    if (known?.configured === text) return { type: known.type, debug: known.debug !== 0 };
    this.#write(() =>
      this.#sql(
        `INSERT INTO clusters (name, type, debug, configured) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET type = excluded.type, debug = excluded.debug, configured = excluded.configured`,
      ).run(name, configured.type, Number(configured.debug), text),
    );
    if (known === undefined) this.#rebootedTo.set(name, 0);
    return configured;
  }

  restartCluster(name: string, { type, debug }: ClusterSettings): void {
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
  }

  reset(): void {
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

  close(): void {
    this.#file.close();
  }

  #sql(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (statement === undefined) this.#prepared.set(text, (statement = this.#database.prepare(text)));
    return statement;
  }

  #transaction(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
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

  #toQuery(row: QueryRow): StoredQuery {
    return toQuery(row, this.#isRebooted(row));
  }
}

const catalogColumns = 'SELECT database, name AS "table", format, columns, fingerprint FROM catalog';
