/** What queries read, in PostgreSQL. */
import type { Location } from "../../../contract";
import type { ReadInput, ReadRecords } from "../../core/ports/read-records";
import { publicationsRead } from "../published-rows";
import { readColumns, readerColumns, readersOf, readsOf } from "../read-rows";
import type { Transaction } from "./connection";

const columns = "query_id, type, bucket, folder, format, columns, fingerprint, content";
const isLast = `NOT EXISTS (
  SELECT FROM dag.published AS later
  WHERE later.bucket = p.bucket AND later.folder = p.folder AND later.query_id > p.query_id)`;

const foldersOf = (folders: readonly Location[]) => [
  folders.map(({ bucket }) => bucket),
  folders.map(({ key }) => key),
];

/** Returns the records in a database. */
export function readsIn(database: Transaction): ReadRecords {
  return {
    of: async (queryIds) =>
      readsOf(
        await database.run(
          `SELECT ${readColumns} FROM dag.reads WHERE query_id = ANY($1) ORDER BY query_id, kind, bucket, folder`,
          [queryIds],
        ),
      ),
    lastTo: async (folders) =>
      publicationsRead(
        await database.run(
          `SELECT p.* FROM unnest($1::text[], $2::text[]) AS n (bucket, folder) CROSS JOIN LATERAL (
             SELECT ${columns} FROM dag.published AS q
             WHERE q.bucket = n.bucket AND q.folder = n.folder ORDER BY query_id DESC LIMIT 1) AS p`,
          foldersOf(folders),
        ),
      ),
    readersOf: async (folders, limit) =>
      readersOf(
        await database.run(
          `SELECT found.* FROM unnest($1::text[], $2::text[]) AS n (bucket, folder) CROSS JOIN LATERAL (
             SELECT ${readerColumns} FROM dag.reads AS r JOIN dag.published AS p ON p.query_id = r.query_id
             WHERE r.bucket = n.bucket AND r.folder = n.folder AND ${isLast}
             ORDER BY r.query_id DESC LIMIT $3) AS found`,
          [...foldersOf(folders), limit],
        ),
      ),
    newest: async (before, limit) =>
      publicationsRead(
        await database.run(
          `SELECT ${columns} FROM dag.published AS p WHERE query_id < $1 AND ${isLast}
             AND EXISTS (SELECT FROM dag.reads AS r WHERE r.query_id = p.query_id)
           ORDER BY query_id DESC LIMIT $2`,
          [before, limit],
        ),
      ),
  };
}

/** SQL that stores what the query of `marked` read; its values begin with the given number. */
export function storeReadsSql(first: number): string {
  const types = ["text", "text", "text", "boolean", "bigint", "bigint", "text"];
  const arrays = types.map((type, index) => `$${first + index}::${type}[]`).join(", ");
  return `INSERT INTO dag.reads (${readColumns})
    SELECT marked.id, n.* FROM marked, unnest(${arrays}) AS n (kind, bucket, folder, direct, objects, bytes, fingerprint)
    ON CONFLICT DO NOTHING`;
}

/** The values of {@link storeReadsSql}. */
export function readValues(reads: readonly ReadInput[]): unknown[][] {
  return [
    reads.map(({ kind }) => kind),
    ...foldersOf(reads.map(({ folder }) => folder)),
    reads.map(({ isDirect }) => isDirect),
    reads.map(({ objects }) => objects),
    reads.map(({ bytes }) => bytes),
    reads.map(({ fingerprint }) => fingerprint),
  ];
}
