/** The ends of queries in PostgreSQL. */
import type { QueryStatus } from "../../../contract";
import type { CatalogChange, QueryAttempt, QueryProgress } from "../../core/ports/state";
import type { Database, Transaction } from "./connection";
import { storeJobToEnd } from "./jobs-to-end";
import { storeFailure } from "./lineage-runs";
import { storePublished } from "./published";
import { notify } from "./signals";

/** How a query ended. */
export interface QueryEnd extends QueryProgress {
  readonly status: Exclude<QueryStatus, "running">;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly change: CatalogChange;
  readonly failure?: string | undefined;
}

/** Stores the end of a query by its last attempt. @returns false when it has ended before, or has a later attempt */
export async function storeEnd(
  transaction: Transaction,
  { id, epoch }: QueryAttempt,
  { status, time, progress, stage, jobId, change: { overwritten, put, published }, failure }: QueryEnd,
): Promise<boolean> {
  if (status !== "finished") await storeJobToEnd(transaction, id, { now: time, epoch });
  const ended = await transaction.run(
    `UPDATE dag.queries SET status = $3, publishing = false, engine_handle = NULL, progress = $4, stage = $5, job_id = $6,
       end_time = $7
     WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,
    [id, epoch, status, progress, stage, jobId, time],
  );
  if (ended.length === 0) return false;
  if (overwritten) {
    const { database, table } = overwritten;
    await transaction.run("DELETE FROM dag.catalog WHERE database = $1 AND name = $2", [database, table]);
  }
  if (put) {
    const { database, table, format, columns, fingerprint } = put;
    await transaction.run(
      `INSERT INTO dag.catalog (database, name, format, columns, fingerprint) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (database, name) DO UPDATE SET
         format = excluded.format, columns = excluded.columns, fingerprint = excluded.fingerprint`,
      [database, table, format, JSON.stringify(columns), fingerprint],
    );
  }
  if (published) await storePublished(transaction, published);
  if (failure !== undefined) await storeFailure(transaction, id, failure);
  await notify(transaction, id);
  return true;
}

/** Returns true when an attempt has ended its query: its answer may have been lost. */
export async function hasEndedAs(
  database: Database,
  { id, epoch }: QueryAttempt,
  status: QueryStatus,
): Promise<boolean> {
  const rows = await database.persistently(() =>
    database.run("SELECT 1 FROM dag.queries WHERE id = $1 AND epoch = $2 AND status = $3", [id, epoch, status]),
  );
  return rows.length > 0;
}

/**
 * Ends a cancelled query in place of the process that runs it, whose attempt can then store nothing.
 * @returns false when it has ended, or is being published
 */
export async function endCancelled(database: Database, id: number, time: number): Promise<boolean> {
  const isEnded = await database.transaction(async (transaction) => {
    const [query] = await transaction.run(
      "SELECT id FROM dag.queries WHERE id = $1 AND status = 'running' AND cancelling AND NOT publishing FOR UPDATE",
      [id],
    );
    if (!query) return false;
    await storeJobToEnd(transaction, id, { now: time });
    await transaction.run(
      "UPDATE dag.queries SET status = 'canceled', epoch = epoch + 1, engine_handle = NULL, end_time = $2 WHERE id = $1",
      [id, time],
    );
    return true;
  });
  if (isEnded) await notify(database);
  return isEnded;
}
