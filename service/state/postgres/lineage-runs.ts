/** The outbox of OpenLineage, in PostgreSQL. */
import type { LineageRuns, NewLineageRun } from "../../core/ports/lineage-runs";
import { lineageRunColumns, lineageRunsOf } from "../lineage-run-rows";
import type { Database, Transaction } from "./connection";
import { locks } from "./locks";

/** Returns the outbox in a database. One of its processes sends at a time. */
export function lineageRunsIn(database: Database): LineageRuns {
  return {
    waiting: async (limit) =>
      lineageRunsOf(
        await database.run(
          `SELECT ${lineageRunColumns} FROM dag.lineage_runs AS r
           WHERE NOT started OR NOT EXISTS (SELECT FROM dag.queries AS q WHERE q.id = r.query_id AND q.status = 'running')
           ORDER BY query_id LIMIT $1`,
          [limit],
        ),
      ),
    count: async () => {
      const [row] = await database.run<{ runs: number }>("SELECT count(*) AS runs FROM dag.lineage_runs");
      return row!.runs;
    },
    setStarted: async (queryId) => {
      await database.run("UPDATE dag.lineage_runs SET started = true WHERE query_id = $1", [queryId]);
    },
    remove: async (queryId) => {
      await database.run("DELETE FROM dag.lineage_runs WHERE query_id = $1", [queryId]);
    },
    keepNewest: async (limit) => {
      const deleted = await database.run(
        `DELETE FROM dag.lineage_runs WHERE query_id IN (
           SELECT query_id FROM dag.lineage_runs ORDER BY query_id DESC OFFSET $1) RETURNING query_id`,
        [limit],
      );
      return deleted.length;
    },
    exclusively: (task) => database.exclusively(locks.lineage, task),
  };
}

/** Stores the run of a query; within the transaction that accepts it. */
export async function storeLineageRun(transaction: Transaction, queryId: number, run: NewLineageRun): Promise<void> {
  await transaction.run("INSERT INTO dag.lineage_runs (query_id, request) VALUES ($1, $2)", [
    queryId,
    JSON.stringify(run),
  ]);
}

/** Stores why a query has failed, if it has a run; within the transaction that ends it. */
export async function storeFailure(transaction: Transaction, queryId: number, failure: string): Promise<void> {
  await transaction.run("UPDATE dag.lineage_runs SET failure = $2 WHERE query_id = $1", [
    queryId,
    JSON.stringify(failure),
  ]);
}
