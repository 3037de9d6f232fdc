/** The records of queries in the state file. Those of ended queries are kept in memory. */
import type { ListedQuery, QueryFilter, QueryRecords, StoredQuery } from "../../core/ports/state";
import type { ClusterRecords } from "./clusters";
import type { SqliteDatabase } from "./database";
import { EndedRecords } from "./ended-records";
import type { QueryPages } from "./query-pages";
import { toListed, toQuery, type ListedRow, type QueryRow } from "./rows";
import type { RunningQueries } from "./running-queries";

/** Bytes of the records of ended queries that are kept for lists, and for requests for one query. */
const [maxListedBytes, maxStoredBytes] = [24 * 1024 * 1024, 16 * 1024 * 1024];

interface QueryTables {
  readonly database: Pick<SqliteDatabase, "sql">;
  readonly clusters: ClusterRecords;
  readonly running: RunningQueries;
  readonly pages: QueryPages;
}

export class SqliteQueries implements QueryRecords {
  readonly #endedListed = new EndedRecords<ListedQuery>(maxListedBytes, ({ excerpt }) => 1100 + (excerpt?.length ?? 0));
  readonly #endedStored = new EndedRecords<StoredQuery>(maxStoredBytes, sizeOfStored);

  constructor(private readonly tables: QueryTables) {}

  async get(id: number): Promise<StoredQuery | undefined> {
    return this.#endedStored.one(id, () => this.read(id));
  }

  async list(filter: QueryFilter): Promise<ListedQuery[]> {
    const ids = await this.tables.pages.ids(filter, this.tables.clusters.ranges());
    return this.#endedListed.page(ids, (unknown) => this.#listed(unknown));
  }

  async listRunning(clusterName?: string): Promise<number[]> {
    return this.tables.running.ids(clusterName);
  }

  /** Reads a query from the file. */
  read(id: number): StoredQuery | undefined {
    const { database, clusters, running } = this.tables;
    const row = database.sql("SELECT * FROM queries WHERE id = ?").get(id) as QueryRow | undefined;
    return row && { ...toQuery(row, clusters.isRebooted(row.cluster_name, row.id)), ...running.get(id)?.progress };
  }

  /** Reads the queries that an earlier start has left running, in the order of their IDs. */
  readRunning(): QueryRow[] {
    const { database, clusters } = this.tables;
    const rows = clusters
      .names()
      .flatMap((name) =>
        database.sql("SELECT * FROM queries WHERE cluster_name = ? AND status = 'running'").all(name),
      ) as unknown as QueryRow[];
    return rows.sort((a, b) => a.id - b.id);
  }

  /** Forgets what is kept in memory: something that it shows has changed. */
  forgetEnded(): void {
    this.#endedListed.clear();
    this.#endedStored.clear();
  }

  #listed(ids: readonly number[]): ListedQuery[] {
    const { database, clusters, running } = this.tables;
    // The request of a long statement is not read: an excerpt of the statement is stored beside it.
    const rows = database
      .sql(
        `SELECT q.id, q.type, status, cluster_name, access_key_id, label, start_time, end_time, row_count, progress, stage, job_id,
         excerpt,
         CASE WHEN excerpt IS NULL AND q.type = 'select' THEN request END AS request
       FROM json_each(?) AS page JOIN queries AS q ON q.id = page.value ORDER BY page.key`,
      )
      .all(JSON.stringify(ids)) as unknown as ListedRow[];
    return rows.map((row) => ({
      ...toListed(row, clusters.isRebooted(row.cluster_name, row.id)),
      ...running.get(row.id)?.progress,
    }));
  }
}

function sizeOfStored(query: StoredQuery): number {
  const given = query.type === "select" ? query.query.length : query.inputObjectKeys.join("").length;
  const columns = (query.columns?.length ?? 0) * 100;
  return 600 + given + columns;
}
