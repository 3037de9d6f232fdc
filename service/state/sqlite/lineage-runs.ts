/** The outbox of OpenLineage, in the state file. */
import type { LineageRuns, NewLineageRun } from "../../core/ports/lineage-runs";
import { lineageRunColumns, lineageRunsOf } from "../lineage-run-rows";
import type { SqliteDatabase } from "./database";

/** Returns the outbox in a database. Nobody else sends the events of a file. */
export function lineageRunsIn(database: Pick<SqliteDatabase, "sql" | "write">): LineageRuns {
  const change = (text: string, value: number) => database.write(() => Number(database.sql(text).run(value).changes));
  return {
    waiting: async (limit) =>
      lineageRunsOf(
        database
          .sql(
            `SELECT ${lineageRunColumns} FROM lineage_runs AS r
             WHERE started = 0 OR NOT EXISTS (SELECT 1 FROM queries AS q WHERE q.id = r.query_id AND q.status = 'running')
             ORDER BY query_id LIMIT ?`,
          )
          .all(limit),
      ),
    count: async () => (database.sql("SELECT count(*) AS runs FROM lineage_runs").get() as { runs: number }).runs,
    setStarted: async (queryId) => void change("UPDATE lineage_runs SET started = 1 WHERE query_id = ?", queryId),
    remove: async (queryId) => void change("DELETE FROM lineage_runs WHERE query_id = ?", queryId),
    keepNewest: async (limit) =>
      change(
        `DELETE FROM lineage_runs WHERE query_id IN (
           SELECT query_id FROM lineage_runs ORDER BY query_id DESC LIMIT -1 OFFSET ?)`,
        limit,
      ),
    exclusively: (task) => task(),
  };
}

/** Stores the run of a query; within the transaction that accepts it. */
export function storeLineageRun(database: Pick<SqliteDatabase, "sql">, queryId: number, run: NewLineageRun): void {
  database.sql("INSERT INTO lineage_runs (query_id, request) VALUES (?, ?)").run(queryId, JSON.stringify(run));
}

/** Stores why a query has failed, if it has a run; within the transaction that ends it. */
export function storeFailure(database: Pick<SqliteDatabase, "sql">, queryId: number, failure: string): void {
  database.sql("UPDATE lineage_runs SET failure = ? WHERE query_id = ?").run(JSON.stringify(failure), queryId);
}
