/** The steps of attempts, in the state file. */
import type { AttemptSteps, CatalogChange, CompleteResult, QueryAttempt, QueryProgress } from "../../core/ports/state";
import type { SqliteCatalog } from "./catalog";
import type { SqliteDatabase } from "./database";
import { storeJobToEnd } from "./jobs-to-end";
import { storeFailure } from "./lineage-runs";
import { storeReads } from "./reads";
import type { RunningQueries } from "./running-queries";

interface AttemptTables {
  readonly database: SqliteDatabase;
  readonly running: RunningQueries;
  readonly catalog: SqliteCatalog;
  readonly now: () => number;
}

export class SqliteAttemptSteps implements AttemptSteps {
  constructor(private readonly tables: AttemptTables) {}

  reportProgress({ id }: QueryAttempt, progress: QueryProgress): void {
    const query = this.tables.running.get(id);
    if (query) query.progress = { ...progress };
  }

  async setEngineHandle(attempt: QueryAttempt, handle: string): Promise<boolean> {
    const { database, now } = this.tables;
    const { changes } = database.write(() =>
      database.transaction(() => {
        storeJobToEnd(database, attempt, { now: now(), next: handle });
        return database
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
    const { database, running } = this.tables;
    const query = running.get(id);
    if (!query) return "lost";
    if (query.isCancelled) return "cancelled";
    const mark = () => {
      const { changes } = database
        .sql(
          `UPDATE queries SET publishing = 1, published_epoch = epoch, columns = ?, checked = ?, row_count = ?
         WHERE id = ? AND epoch = ? AND status = 'running'`,
        )
        .run(columns === null ? null : JSON.stringify(columns), Number(checked), rows ?? null, id, epoch);
      if (changes !== 0) storeReads(database, id, reads);
      return changes !== 0;
    };
    const isMarked = database.writeUrgently(() => (reads.length === 0 ? mark() : database.transaction(mark)));
    if (!isMarked) return "lost";
    query.isPublishing = true;
    return "marked";
  }

  async confirm({ id }: QueryAttempt): Promise<boolean> {
    return this.tables.running.get(id) !== undefined;
  }

  async end(
    attempt: QueryAttempt,
    status: string,
    { progress, stage, jobId }: QueryProgress,
    change: CatalogChange = {},
    failure?: string,
  ): Promise<boolean> {
    const { database, running, catalog, now } = this.tables;
    const store = database.sql(
      `UPDATE queries SET status = ?, publishing = 0, engine_handle = NULL, progress = ?, stage = ?, job_id = ?, end_time = ?
       WHERE id = ? AND epoch = ? AND status = 'running'`,
    );
    const { id, epoch } = attempt;
    const end = () => {
      if (status !== "finished") storeJobToEnd(database, attempt, { now: now() });
      const { changes } = store.run(status, progress, stage, jobId, now(), id, epoch);
      if (changes !== 0) catalog.change(change);
      if (changes !== 0 && failure !== undefined) storeFailure(database, id, failure);
      return changes !== 0;
    };
    const isEnded = database.writeUrgently(() => database.transaction(end));
    if (isEnded) running.remove(id);
    return isEnded;
  }
}
