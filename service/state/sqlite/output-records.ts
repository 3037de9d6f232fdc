/** The records of what attempts write to S3, in the state file. */
import type { ManifestEntry, OutputRecord, OutputRecords } from "../outputs/output-records";
import type { SqliteDatabase } from "./database";

interface OutputRow extends Pick<OutputRecord, "queryId" | "epoch" | "name" | "bucket"> {
  readonly manifest: string | null;
  readonly published: number;
  readonly discarded: number;
}

const select = `SELECT query_id AS "queryId", epoch, name, bucket, manifest, published, discarded FROM attempts`;

const isLast = "EXISTS (SELECT 1 FROM queries WHERE id = ? AND epoch = ? AND status = 'running')";

/** Returns the records in a database. */
export function outputRecordsIn(database: Pick<SqliteDatabase, "sql" | "writeUrgently">): OutputRecords {
  const sql = (text: string) => database.sql(text);
  const toRecords = (rows: readonly object[]) => rows.map((row) => toRecord(row as OutputRow));
  const change = (text: string, ...values: readonly (string | number)[]) =>
    database.writeUrgently(() => sql(text).run(...values).changes !== 0);
  return {
    of: async (queryId) => toRecords(sql(`${select} WHERE query_id = ? ORDER BY epoch, name`).all(queryId)),
    ended: async () =>
      toRecords(
        sql(
          `${select} AS a WHERE NOT EXISTS (SELECT 1 FROM queries AS q WHERE q.id = a.query_id AND q.status = 'running')
           ORDER BY query_id, epoch, name`,
        ).all(),
      ),
    isUsed: async (bucket) =>
      sql("SELECT 1 FROM attempts WHERE bucket = ? AND discarded = 0 LIMIT 1").get(bucket) !== undefined,
    begin: async ({ queryId, epoch, name, bucket }) =>
      change(
        `INSERT INTO attempts (query_id, epoch, name, bucket) SELECT ?, ?, ?, ? WHERE ${isLast}`,
        queryId,
        epoch,
        name,
        bucket,
        queryId,
        epoch,
      ),
    setManifest: async ({ queryId, name }, publishedBy, manifest) =>
      change(
        `UPDATE attempts SET manifest = ? WHERE query_id = ? AND name = ? AND ${isLast}`,
        JSON.stringify(manifest),
        queryId,
        name,
        queryId,
        publishedBy,
      ),
    setPublished: async ({ queryId, name }, publishedBy) =>
      change(
        `UPDATE attempts SET published = 1 WHERE query_id = ? AND name = ? AND ${isLast}`,
        queryId,
        name,
        queryId,
        publishedBy,
      ),
    setDiscarded: async ({ queryId, name }) =>
      void change("UPDATE attempts SET discarded = 1 WHERE query_id = ? AND name = ?", queryId, name),
    remove: async ({ queryId, name }) =>
      void change("DELETE FROM attempts WHERE query_id = ? AND name = ?", queryId, name),
  };
}

function toRecord({ manifest, published, discarded, ...rest }: OutputRow): OutputRecord {
  return {
    ...rest,
    manifest: manifest === null ? null : (JSON.parse(manifest) as ManifestEntry[]),
    published: published !== 0,
    discarded: discarded !== 0,
  };
}
