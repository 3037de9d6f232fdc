/** What queries read, in the state file. */
import { setImmediate } from "node:timers/promises";
import type { ReadInput, ReadRecords } from "../../core/ports/read-records";
import { publicationsRead } from "../published-rows";
import { readColumns, readerColumns, readersOf, readsOf } from "../read-rows";
import type { SqliteDatabase } from "./database";

const publication = "SELECT query_id, type, bucket, folder, format, columns, fingerprint, content FROM published AS p";
const isLast = `NOT EXISTS (
  SELECT 1 FROM published AS later
  WHERE later.bucket = p.bucket AND later.folder = p.folder AND later.query_id > p.query_id)`;

/** Statements that run before other requests are answered. */
const stepSize = 50;

/** Returns the records in a database. */
export function readsIn(database: Pick<SqliteDatabase, "sql">): ReadRecords {
  const each = async <Item>(items: readonly Item[], read: (item: Item) => readonly object[]): Promise<object[]> => {
    const rows: object[] = [];
    for (const [index, item] of items.entries()) {
      rows.push(...read(item));
      if (index % stepSize === stepSize - 1) await setImmediate();
    }
    return rows;
  };
  return {
    of: async (queryIds) => {
      const read = database.sql(`SELECT ${readColumns} FROM reads WHERE query_id = ? ORDER BY kind, bucket, folder`);
      return readsOf(await each(queryIds, (id) => read.all(id)));
    },
    lastTo: async (folders) => {
      const read = database.sql(`${publication} WHERE bucket = ? AND folder = ? ORDER BY query_id DESC LIMIT 1`);
      return publicationsRead(await each(folders, ({ bucket, key }) => read.all(bucket, key)));
    },
    readersOf: async (folders, limit) => {
      const read = database.sql(
        `SELECT ${readerColumns} FROM reads AS r JOIN published AS p ON p.query_id = r.query_id
         WHERE r.bucket = ? AND r.folder = ? AND ${isLast} ORDER BY r.query_id DESC LIMIT ?`,
      );
      return readersOf(await each(folders, ({ bucket, key }) => read.all(bucket, key, limit)));
    },
    newest: async (before, limit) =>
      publicationsRead(
        database
          .sql(
            `${publication} WHERE query_id < ? AND ${isLast}
               AND EXISTS (SELECT 1 FROM reads AS r WHERE r.query_id = p.query_id)
             ORDER BY query_id DESC LIMIT ?`,
          )
          .all(before, limit),
      ),
  };
}

/** Stores what a query read. */
export function storeReads(database: Pick<SqliteDatabase, "sql">, queryId: number, reads: readonly ReadInput[]): void {
  const insert = database.sql(`INSERT OR REPLACE INTO reads (${readColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const { kind, folder, isDirect, objects, bytes, fingerprint } of reads) {
    insert.run(queryId, kind, folder.bucket, folder.key, Number(isDirect), objects, bytes, fingerprint);
  }
}
