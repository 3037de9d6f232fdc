/** What the retention of records reads and deletes in PostgreSQL. */
import type { KeptQuery, RetentionRecords } from "../../core/ports/state";
import type { Database, Transaction } from "./connection";
import { locks } from "./locks";

/** Bytes of a record besides its request, as in the retention of records. */
const recordBytes = 512;

/** Returns the records in a database. */
export function retentionIn(database: Database): RetentionRecords {
  return {
    listQueries: (after, limit) => listQueries(database, after, limit),
    removeQueries: (ids) => removeQueries(database, ids),
    storedBytes: () => storedBytes(database),
    exclusively: (task) => database.exclusively(locks.retention, task),
  };
}

async function listQueries(database: Transaction, after: number, limit: number): Promise<KeptQuery[]> {
  return await database.run<KeptQuery & object>(
    `SELECT id, cluster_name AS "clusterName", status, start_time AS "startTime",
       coalesce(end_time, start_time) AS "endTime", octet_length(request) AS bytes
     FROM dag.queries WHERE id > $1 ORDER BY id LIMIT $2`,
    [after, limit],
  );
}

async function removeQueries(database: Transaction, ids: readonly number[]): Promise<void> {
  await database.run("DELETE FROM dag.queries WHERE id = ANY($1) AND status <> 'running'", [ids]);
  await database.run(
    `DELETE FROM dag.reads AS r WHERE query_id = ANY($1)
       AND NOT EXISTS (SELECT FROM dag.queries AS q WHERE q.id = r.query_id)`,
    [ids],
  );
  await database.run(
    `DELETE FROM dag.published AS p WHERE query_id = ANY($1) AND EXISTS (
       SELECT FROM dag.published AS later
       WHERE later.bucket = p.bucket AND later.folder = p.folder AND later.query_id > p.query_id)`,
    [ids],
  );
}

/** The size of what is stored: the tables themselves shrink only some time after a deletion. */
async function storedBytes(database: Transaction): Promise<number> {
  const [row] = await database.run<{ bytes: number }>(
    "SELECT coalesce(sum(octet_length(request) + $1), 0) AS bytes FROM dag.queries",
    [recordBytes],
  );
  return row!.bytes;
}
