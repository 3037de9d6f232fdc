/** The records of the jobs to end, in PostgreSQL. */
import type { JobsToEnd, JobToEnd } from "../../core/ports/jobs-to-end";
import type { Database, Transaction } from "./connection";
import { isAlive } from "./process-registry";

/** @param process the ID of this process */
export function jobsToEndIn(database: Database, process: string): JobsToEnd {
  return {
    claim: (clusters, before) =>
      database.transaction(async (transaction) => {
        const wanted = "(cluster_name = ANY($2) OR since < $3) AND process IS DISTINCT FROM $1";
        const values = [process, clusters, before];
        // A statement that waits for the row of another process does not look at its processes again: the next one does.
        await transaction.run(`SELECT FROM dag.jobs_to_end WHERE ${wanted} ORDER BY id FOR UPDATE`, values);
        await transaction.run(
          `UPDATE dag.jobs_to_end AS j SET process = $1
           WHERE ${wanted} AND NOT EXISTS (SELECT FROM dag.processes AS p WHERE p.id = j.process AND ${isAlive})`,
          values,
        );
        return await transaction.run<JobToEnd & object>(
          `SELECT id, query_id AS "queryId", cluster_name AS "clusterName", handle, since FROM dag.jobs_to_end
           WHERE process = $1 ORDER BY id`,
          [process],
        );
      }),
    remove: async (id) =>
      void (await database.persistently(() => database.run("DELETE FROM dag.jobs_to_end WHERE id = $1", [id]))),
  };
}

/**
 * Stores that the job of a running query is to end, if it has one. The query is locked until the end of the transaction.
 * @param next the handle in its place, if any
 */
export async function storeJobToEnd(
  transaction: Transaction,
  id: number,
  { now, epoch, next }: { readonly now: number; readonly epoch?: number; readonly next?: string },
): Promise<void> {
  await transaction.run(
    `WITH query AS (
       SELECT id, cluster_name, engine_handle FROM dag.queries
       WHERE id = $1 AND ($3::integer IS NULL OR epoch = $3) AND status = 'running' FOR UPDATE
     )
     INSERT INTO dag.jobs_to_end (query_id, cluster_name, handle, since)
     SELECT id, cluster_name, engine_handle, $2 FROM query
     WHERE engine_handle IS NOT NULL AND engine_handle IS DISTINCT FROM $4`,
    [id, now, epoch ?? null, next ?? null],
  );
}
