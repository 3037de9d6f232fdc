/** The tables that splits wrote, and the folders that queries published, in the state file. */
import { setImmediate } from "node:timers/promises";
import type { Location } from "../../../contract";
import type { CatalogChange, CatalogRecords, PublishedFolder, TablePage, WrittenTable } from "../../core/ports/state";
import { publicationsRead } from "../published-rows";
import type { SqliteDatabase } from "./database";
import { toCatalogTable } from "./rows";

const columns = 'SELECT database, name AS "table", format, columns, fingerprint FROM catalog';
/** Rows that are read at a time. */
const pageSize = 1000;

const publication = "SELECT query_id, type, bucket, folder, format, columns, fingerprint, content FROM published";

export class SqliteCatalog implements CatalogRecords {
  constructor(private readonly database: Pick<SqliteDatabase, "sql">) {}

  async getTable(database: string, table: string): Promise<WrittenTable | undefined> {
    const row = this.database.sql(`${columns} WHERE database = ? AND name = ?`).get(database, table);
    return row && toCatalogTable(row);
  }

  async listTables({ database, after, limit }: TablePage): Promise<WrittenTable[]> {
    const within = database === undefined ? "" : "database = ? AND";
    const read = `${columns} WHERE ${within} (database, name) > (?, ?) ORDER BY database, name LIMIT ?`;
    const start = [after?.database ?? "", after?.table ?? ""];
    const values = [...(database === undefined ? [] : [database]), ...start, limit];
    return this.database
      .sql(read)
      .all(...values)
      .map(toCatalogTable);
  }

  async listPublished({ bucket, key }: Location, newest?: number): Promise<PublishedFolder[]> {
    const end = `${key}\u{10ffff}`;
    const last = (from: string) =>
      `SELECT max(query_id) FROM published WHERE bucket = ? AND folder ${from} ? AND folder < ? GROUP BY folder`;
    if (newest !== undefined) {
      const read = this.database.sql(`${publication} WHERE query_id IN (${last(">=")}) ORDER BY query_id DESC LIMIT ?`);
      return publicationsRead(read.all(bucket, key, end, newest));
    }
    const found: PublishedFolder[] = [];
    for (let [from, after] = [">=", key]; ; [from, after] = [">", found.at(-1)!.folder.key]) {
      const page = `${last(from)} ORDER BY folder LIMIT ${pageSize}`;
      const read = this.database.sql(`${publication} WHERE query_id IN (${page}) ORDER BY folder`);
      const rows = publicationsRead(read.all(bucket, after, end));
      found.push(...rows);
      if (rows.length < pageSize) return found;
      // Very many rows at once would hold the event loop.
      await setImmediate();
    }
  }

  async listPublishedAs(content: string): Promise<PublishedFolder[]> {
    const firsts = "SELECT min(query_id) FROM published WHERE content = ? GROUP BY type, format, columns";
    const read = this.database.sql(`${publication} WHERE query_id IN (${firsts}) ORDER BY query_id LIMIT 100`);
    return publicationsRead(read.all(content));
  }

  /** Stores what the end of a query changes; within its transaction. */
  change({ overwritten, put, published }: CatalogChange): void {
    if (overwritten) {
      const { database, table } = overwritten;
      this.database.sql("DELETE FROM catalog WHERE database = ? AND name = ?").run(database, table);
    }
    if (put) {
      const { database, table, format, columns: all, fingerprint } = put;
      this.database
        .sql("INSERT OR REPLACE INTO catalog (database, name, format, columns, fingerprint) VALUES (?, ?, ?, ?, ?)")
        .run(database, table, format, JSON.stringify(all), fingerprint);
    }
    if (published) {
      const { queryId, type, folder, format, columns: all, fingerprint, content } = published;
      this.database
        .sql(
          `INSERT INTO published (query_id, type, bucket, folder, format, columns, fingerprint, content)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(queryId, type, folder.bucket, folder.key, format, all && JSON.stringify(all), fingerprint, content);
    }
  }
}
