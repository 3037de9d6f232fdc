/** What the retention of records reads and deletes in the state file. */
import type { KeptQuery, RetentionRecords } from "../../core/ports/state";
import type { SqliteDatabase } from "./database";

export class SqliteRetention implements RetentionRecords {
  /** @param onRemove called when records were deleted */
  constructor(
    private readonly database: Pick<SqliteDatabase, "sql" | "write" | "transaction">,
    private readonly onRemove: () => void,
  ) {}

  async listQueries(after: number, limit: number): Promise<KeptQuery[]> {
    const page = this.database.sql(
      `SELECT id, cluster_name AS clusterName, status, start_time AS startTime,
         coalesce(end_time, start_time) AS endTime, octet_length(request) AS bytes
       FROM queries WHERE id > ? ORDER BY id LIMIT ?`,
    );
    return page.all(after, limit) as unknown as KeptQuery[];
  }

  async removeQueries(ids: readonly number[]): Promise<void> {
    const remove = this.database.sql("DELETE FROM queries WHERE id = ? AND status <> 'running'");
    const forget = this.database.sql(
      `DELETE FROM published AS p WHERE query_id = ? AND EXISTS (
         SELECT 1 FROM published AS later
         WHERE later.bucket = p.bucket AND later.folder = p.folder AND later.query_id > p.query_id)`,
    );
    const forgetReads = this.database.sql(
      "DELETE FROM reads WHERE query_id = ? AND NOT EXISTS (SELECT 1 FROM queries AS q WHERE q.id = query_id)",
    );
    this.database.write(() =>
      this.database.transaction(() => {
        for (const id of ids) {
          remove.run(id);
          forget.run(id);
          forgetReads.run(id);
        }
      }),
    );
    this.onRemove();
  }

  async storedBytes(): Promise<number> {
    const size = this.database.sql(
      `SELECT (page_count - freelist_count) * page_size AS used
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    );
    return (size.get() as { used: number }).used;
  }

  /** Nobody else uses a file. */
  exclusively(task: () => Promise<void>): Promise<void> {
    return task();
  }
}
