/** The tables that splits wrote, in the state file. */
import type { CatalogChange, WrittenTable } from "../../core/ports/state";
import type { SqliteDatabase } from "./database";
import { toCatalogTable } from "./rows";

const columns = 'SELECT database, name AS "table", format, columns, fingerprint FROM catalog';

export class CatalogRecords {
  constructor(private readonly database: Pick<SqliteDatabase, "sql">) {}

  table(database: string, table: string): WrittenTable | undefined {
    const row = this.database.sql(`${columns} WHERE database = ? AND name = ?`).get(database, table);
    return row && toCatalogTable(row);
  }

  tables(): WrittenTable[] {
    return this.database.sql(`${columns} ORDER BY database, name`).all().map(toCatalogTable);
  }

  change({ overwritten, put }: CatalogChange): void {
    if (overwritten) {
      const { database, table } = overwritten;
      this.database.sql("DELETE FROM catalog WHERE database = ? AND name = ?").run(database, table);
    }
    if (!put) return;
    const { database, table, format, columns: all, fingerprint } = put;
    this.database
      .sql("INSERT OR REPLACE INTO catalog (database, name, format, columns, fingerprint) VALUES (?, ?, ?, ?, ?)")
      .run(database, table, format, JSON.stringify(all), fingerprint);
  }
}
