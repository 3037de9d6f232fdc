/** Moves the logs of queries from a database to the files where a service with a state file reads them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { logsOf, queryLogFile } from "../log-files";
import { PostgresQueryLogs } from "../postgres/query-logs";
import type { Database } from "../postgres/connection";
import { batchSize } from "./records";

/**
 * Adds each log to its file. What the file has already, from before a move to the database or by a move that was
 * interrupted, is not written twice.
 *
 * @param data the data folder
 */
export async function moveLogs(database: Database, data: string): Promise<void> {
  const logs = new PostgresQueryLogs(database);
  for (let after = 0; ;) {
    const batch = await database.run<{ queryId: number; clusterName: string }>(
      `SELECT query_id AS "queryId", min(cluster_name) AS "clusterName" FROM dag.query_logs WHERE query_id > $1
       GROUP BY query_id ORDER BY query_id LIMIT ${batchSize}`,
      [after],
    );
    if (batch.length === 0) return;
    for (const { queryId, clusterName } of batch) {
      addTo(queryLogFile(logsOf(data), clusterName, queryId), await logs.read(queryId));
    }
    after = batch.at(-1)!.queryId;
  }
}

function addTo(file: string, log: string): void {
  const before = contentOf(file);
  if (before.endsWith(log)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, before + log);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
