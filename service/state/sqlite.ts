/**
 * The state in one SQLite file (`node:sqlite`), with a write-ahead log: a write is on the disk when its method returns.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Column } from "../../contract";
import type {
  QueryProgress,
  CatalogChange,
  WrittenTable,
  ClusterSettings,
  QueryFilter,
  State,
  StoredQuery,
  AcceptedQuery,
} from "../core/ports/state";
import { QueryPages, type ClusterRange } from "./query-pages";
import { migrate } from "./migrations";

/**
 * Opens or creates a state file.
 * @param path the file; `:memory:` for a state without a file.
 */
export function openState(path: string): State {
  return new SqliteState(path);
}

interface QueryRow {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly cluster_name: string;
  readonly access_key_id: string;
  readonly label: string | null;
  readonly start_time: number;
  readonly progress: number;
  readonly stage: number;
  readonly job_id: string | null;
  readonly publishing: number;
  readonly request: string;
  readonly columns: string | null;
  readonly checked: number;
}

class SqliteState implements State {
  readonly #database: DatabaseSync;
  readonly #pages: QueryPages;
  readonly #prepared = new Map<string, StatementSync>();
  /** The greatest query ID before the last restart, for every cluster that ever existed. */
  readonly #rebootedTo = new Map<string, number>();

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000; PRAGMA cache_size = -32768",
      );
      migrate(this.#database);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#pages = new QueryPages(this.#database);
    const clusters = this.#sql(
      "SELECT name, rebooted_to AS rebootedTo FROM clusters",
    ).all() as unknown as ClusterRange[];
    for (const { name, rebootedTo } of clusters) this.#rebootedTo.set(name, rebootedTo);
  }

  accept(submission: AcceptedQuery): number {
    const { type, clusterName, accessKeyId, label, startTime, ...request } = submission;
    const { lastInsertRowid } = this.#sql(
      `INSERT INTO queries (type, status, cluster_name, access_key_id, label, start_time, request)
       VALUES (?, 'running', ?, ?, ?, ?, ?)`,
    ).run(type, clusterName, accessKeyId, label, startTime, JSON.stringify(request));
    return Number(lastInsertRowid);
  }

  query(id: number): StoredQuery | undefined {
    const row = this.#sql("SELECT * FROM queries WHERE id = ?").get(id) as QueryRow | undefined;
    return row && this.#toQuery(row);
  }

  queries(filter: QueryFilter): StoredQuery[] {
    const clusters = Array.from(this.#rebootedTo, ([name, rebootedTo]) => ({ name, rebootedTo }));
    return this.#pages.ids(filter, clusters).map((id) => this.query(id)!);
  }

  running(clusterName?: string): StoredQuery[] {
    const clusters = clusterName === undefined ? [...this.#rebootedTo.keys()] : [clusterName];
    const rows = clusters.flatMap((name) =>
      this.#sql("SELECT * FROM queries WHERE cluster_name = ? AND status = 'running'").all(name),
    ) as unknown as QueryRow[];
    return rows.sort((a, b) => a.id - b.id).map((row) => this.#toQuery(row));
  }

  markPublishing(id: number, { columns, checked }: { columns: readonly Column[] | null; checked: boolean }): void {
    this.#sql("UPDATE queries SET publishing = 1, columns = ?, checked = ? WHERE id = ? AND status = 'running'").run(
      columns === null ? null : JSON.stringify(columns),
      Number(checked),
      id,
    );
  }

  end(id: number, status: string, { progress, stage, jobId }: QueryProgress, change: CatalogChange = {}): void {
    this.#transaction(() => {
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
        `UPDATE queries SET status = ?, publishing = 0, progress = ?, stage = ?, job_id = ?
         WHERE id = ? AND status = 'running'`,
      ).run(status, progress, stage, jobId, id);
    });
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
    this.#sql(
      `INSERT INTO clusters (name, type, debug, configured) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET type = excluded.type, debug = excluded.debug, configured = excluded.configured`,
    ).run(name, configured.type, Number(configured.debug), text);
    if (known === undefined) this.#rebootedTo.set(name, 0);
    return configured;
  }

  restartCluster(name: string, { type, debug }: ClusterSettings): void {
    const { last } = this.#sql("SELECT coalesce(max(id), 0) AS last FROM queries").get() as { last: number };
    this.#sql("UPDATE clusters SET type = ?, debug = ?, rebooted_to = ? WHERE name = ?").run(
      type,
      Number(debug),
      last,
      name,
    );
    this.#rebootedTo.set(name, last);
  }

  reset(): void {
    this.#transaction(() => {
      this.#sql("DELETE FROM queries").run();
      this.#sql("DELETE FROM catalog").run();
      this.#sql("UPDATE clusters SET rebooted_to = 0").run();
    });
    for (const name of this.#rebootedTo.keys()) this.#rebootedTo.set(name, 0);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
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

  #toQuery(row: QueryRow): StoredQuery {
    return {
      id: row.id,
      type: row.type,
      status: row.status,
      clusterName: row.cluster_name,
      accessKeyId: row.access_key_id,
      label: row.label,
      startTime: row.start_time,
      progress: row.progress,
      stage: row.stage,
      jobId: row.job_id,
      publishing: row.publishing !== 0,
      clusterRebooted: row.id <= (this.#rebootedTo.get(row.cluster_name) ?? 0),
      columns: row.columns === null ? null : (JSON.parse(row.columns) as Column[]),
      checked: row.checked !== 0,
      ...(JSON.parse(row.request) as object),
    } as StoredQuery;
  }
}

const catalogColumns = 'SELECT database, name AS "table", format, columns, fingerprint FROM catalog';

function toCatalogTable(row: object): WrittenTable {
  const { columns, ...rest } = row as Omit<WrittenTable, "columns"> & { columns: string };
  return { ...rest, columns: JSON.parse(columns) as Column[] };
}
