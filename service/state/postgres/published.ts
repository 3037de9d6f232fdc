/** The folders that queries published, in PostgreSQL. */
import type { Location } from "../../../contract";
import type { PublishedFolder } from "../../core/ports/state";
import { publicationsRead } from "../published-rows";
import type { Transaction } from "./connection";

const columns = "query_id, type, bucket, folder, format, columns, fingerprint, content";

/** Returns the last publication to a folder, and to each folder in it. */
export async function readPublished(
  database: Transaction,
  { bucket, key }: Location,
  newest?: number,
): Promise<PublishedFolder[]> {
  const rows = await database.run(
    `SELECT * FROM (
       SELECT DISTINCT ON (folder) ${columns} FROM dag.published
       WHERE bucket = $1 AND folder >= $2 AND folder < $3 ORDER BY folder, query_id DESC
     ) AS last ORDER BY ${newest === undefined ? "folder" : "query_id DESC"} LIMIT $4`,
    [bucket, key, `${key}\u{10ffff}`, newest ?? null],
  );
  return publicationsRead(rows);
}

/** Returns the first publication that wrote a content, and the first one of each other type, format and columns. */
export async function readPublishedAs(database: Transaction, content: string): Promise<PublishedFolder[]> {
  const rows = await database.run(
    `SELECT * FROM (
       SELECT DISTINCT ON (type, format, columns) ${columns} FROM dag.published
       WHERE content = $1 ORDER BY type, format, columns, query_id
     ) AS firsts ORDER BY query_id LIMIT 100`,
    [content],
  );
  return publicationsRead(rows);
}

export async function storePublished(
  transaction: Transaction,
  { queryId, type, folder, format, columns: all, fingerprint, content }: PublishedFolder,
): Promise<void> {
  await transaction.run(`INSERT INTO dag.published (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, [
    queryId,
    type,
    folder.bucket,
    folder.key,
    format,
    all && JSON.stringify(all),
    fingerprint,
    content,
  ]);
}
