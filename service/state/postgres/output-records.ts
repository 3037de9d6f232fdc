/** The records of what attempts write to S3, in PostgreSQL. */
import type { ManifestEntry, OutputRecord, OutputRecords } from "../outputs/output-records";
import type { Database } from "./connection";

type OutputRow = Omit<OutputRecord, "manifest"> & { readonly manifest: string | null };

const select = `SELECT query_id AS "queryId", epoch, name, bucket, manifest, published, discarded FROM dag.attempts AS a`;

/** The query whose last attempt may change something: locked, so that a takeover comes before or after the change. */
const last = "SELECT id FROM dag.queries WHERE id = $1 AND epoch = $2 AND status = 'running' FOR SHARE";

/** Returns the records in a database. The steps of a query that runs wait for the database. */
export function outputRecordsIn(database: Database): OutputRecords {
  const run = (sql: string, values: readonly unknown[]) => database.persistently(() => database.run(sql, values));
  const read = async (sql: string, values: readonly unknown[] = []) => {
    const rows = await database.persistently(() => database.run<OutputRow>(sql, values));
    return rows.map(({ manifest, ...rest }): OutputRecord => {
      return { ...rest, manifest: manifest === null ? null : (JSON.parse(manifest) as ManifestEntry[]) };
    });
  };
  return {
    of: (queryId) => read(`${select} WHERE query_id = $1 ORDER BY epoch, name`, [queryId]),
    ended: () =>
      read(
        `${select} WHERE NOT EXISTS (SELECT FROM dag.queries AS q WHERE q.id = a.query_id AND q.status = 'running')
         ORDER BY query_id, epoch, name`,
      ),
    isUsed: async (bucket) =>
      (await run("SELECT 1 FROM dag.attempts WHERE bucket = $1 AND NOT discarded LIMIT 1", [bucket])).length > 0,
    begin: async ({ queryId, epoch, name, bucket }) => {
      // An attempt whose answer was lost is recorded already.
      const sql = `WITH last AS (${last})
        INSERT INTO dag.attempts (query_id, epoch, name, bucket) SELECT id, $2, $3, $4 FROM last
        ON CONFLICT (query_id, name) DO UPDATE SET bucket = excluded.bucket RETURNING name`;
      return (await run(sql, [queryId, epoch, name, bucket])).length > 0;
    },
    setManifest: async ({ queryId, name }, publishedBy, manifest) => {
      const sql = `WITH last AS (${last})
        UPDATE dag.attempts SET manifest = $4 FROM last WHERE query_id = last.id AND name = $3 RETURNING name`;
      return (await run(sql, [queryId, publishedBy, name, JSON.stringify(manifest)])).length > 0;
    },
    setPublished: async ({ queryId, name }, publishedBy) => {
      const sql = `WITH last AS (${last})
        UPDATE dag.attempts SET published = true FROM last WHERE query_id = last.id AND name = $3 RETURNING name`;
      return (await run(sql, [queryId, publishedBy, name])).length > 0;
    },
    setDiscarded: async ({ queryId, name }) => {
      await run("UPDATE dag.attempts SET discarded = true WHERE query_id = $1 AND name = $2", [queryId, name]);
    },
    remove: async ({ queryId, name }) => {
      await run("DELETE FROM dag.attempts WHERE query_id = $1 AND name = $2", [queryId, name]);
    },
  };
}
