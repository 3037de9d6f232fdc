/** The records of the jobs to end, in the state file. */
import type { JobsToEnd, JobToEnd } from "../../core/ports/jobs-to-end";
import type { SqliteDatabase } from "./database";

/** Returns the records in a database. Nobody else ends jobs of a file. */
export function jobsToEndIn(database: Pick<SqliteDatabase, "sql" | "writeUrgently">): JobsToEnd {
  const select = `SELECT id, query_id AS "queryId", cluster_name AS "clusterName", handle, since FROM jobs_to_end`;
  return {
    claim: async (clusters, before) =>
      database
        .sql(`${select} WHERE cluster_name IN (SELECT value FROM json_each(?)) OR since < ? ORDER BY id`)
        .all(JSON.stringify(clusters), before) as unknown as JobToEnd[],
    remove: async (id) =>
      void database.writeUrgently(() => database.sql("DELETE FROM jobs_to_end WHERE id = ?").run(id)),
  };
}

/**
 * Stores that the job of an attempt is to end, if it has one; within a transaction.
 * @param next the handle in its place, if any
 */
export function storeJobToEnd(
  database: Pick<SqliteDatabase, "sql">,
  { id, epoch }: { readonly id: number; readonly epoch: number },
  { now, next = null }: { readonly now: number; readonly next?: string | null },
): void {
  database
    .sql(
      `INSERT INTO jobs_to_end (query_id, cluster_name, handle, since)
       SELECT id, cluster_name, engine_handle, ? FROM queries
       WHERE id = ? AND epoch = ? AND status = 'running' AND engine_handle IS NOT NULL AND engine_handle IS NOT ?`,
    )
    .run(now, id, epoch, next);
}
