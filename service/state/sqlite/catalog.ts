/** The tables that splits wrote, and the folders that queries published, in the state file. */
import type { Location } from "../../../contract";
import type { CatalogChange, PublishedFolder, TablePage, WrittenTable } from "../../core/ports/state";
import { publicationsRead } from "../published-rows";
import type { SqliteDatabase } from "./database";
import { toCatalogTable } from "./rows";

const columns = 'SELECT database, name AS "table", format, columns, fingerprint FROM catalog';
const publication = "SELECT query_id, type, bucket, folder, format, columns, fingerprint, content FROM published";

export class CatalogRecords {
  constructor(private readonly database: Pick<SqliteDatabase, "sql">) {}

  table(database: string, table: string): WrittenTable | undefined {
    const row = this.database.sql(`${columns} WHERE database = ? AND name = ?`).get(database, table);
    return row && toCatalogTable(row);
  }

  tables({ database, after, limit }: TablePage): WrittenTable[] {
    const within = database === undefined ? "" : "database = ? AND";
    const read = `${columns} WHERE ${within} (database, name) > (?, ?) ORDER BY database, name LIMIT ?`;
    const start = [after?.database ?? "", after?.table ?? ""];
    const values = [...(database === undefined ? [] : [database]), ...start, limit];
    return this.database
      .sql(read)
      .all(...values)
      .map(toCatalogTable);
  }

  published({ bucket, key }: Location, newest?: number): PublishedFolder[] {
    const last = "SELECT max(query_id) FROM published WHERE bucket = ? AND folder >= ? AND folder < ? GROUP BY folder";
    const order = newest === undefined ? "folder" : "query_id DESC";
    // A negative limit is none.
    const read = this.database.sql(`${publication} WHERE query_id IN (${last}) ORDER BY ${order} LIMIT ?`);
    return publicationsRead(read.all(bucket, key, `${key}\u{10ffff}`, newest ?? -1));
  }

  publishedAs(content: string): PublishedFolder[] {
    const firsts = "SELECT min(query_id) FROM published WHERE content = ? GROUP BY type, format, columns";
    const read = this.database.sql(`${publication} WHERE query_id IN (${firsts}) ORDER BY query_id LIMIT 100`);
    return publicationsRead(read.all(content));
  }

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
