/** The tables that splits wrote, and the folders that queries published, in PostgreSQL. */
import type { Column } from "../../../contract";
import type { TableName } from "../../core/ports/engine";
import type { CatalogRecords, TablePage, WrittenTable } from "../../core/ports/state";
import type { Transaction } from "./connection";
import { readPublished, readPublishedAs } from "./published";

type Row = Omit<WrittenTable, "columns"> & { readonly columns: string };

const select = 'SELECT database, name AS "table", format, columns, fingerprint FROM dag.catalog';

/** Returns the records in a database. */
export function catalogIn(database: Transaction): CatalogRecords {
  return {
    getTable: (name, table) => readTable(database, { database: name, table }),
    listTables: (page) => readTables(database, page),
    listPublished: (folder, newest) => readPublished(database, folder, newest),
    listPublishedAs: (content) => readPublishedAs(database, content),
  };
}

/** Returns a table; undefined when no split wrote it. */
async function readTable(connection: Transaction, { database, table }: TableName): Promise<WrittenTable | undefined> {
  const [row] = await connection.run<Row>(`${select} WHERE database = $1 AND name = $2`, [database, table]);
  return row && tableOf(row);
}

/** Returns some of the tables, in the order of their databases and names. */
async function readTables(connection: Transaction, { database, after, limit }: TablePage): Promise<WrittenTable[]> {
  const rows = await connection.run<Row>(
    `${select} WHERE (database COLLATE "C", name COLLATE "C") > ($1, $2) AND database = coalesce($3, database)
     ORDER BY database COLLATE "C", name COLLATE "C" LIMIT $4`,
    [after?.database ?? "", after?.table ?? "", database ?? null, limit],
  );
  return rows.map(tableOf);
}

const tableOf = ({ columns, ...rest }: Row): WrittenTable => ({ ...rest, columns: JSON.parse(columns) as Column[] });
