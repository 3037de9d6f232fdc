/** SHOW and DESCRIBE, which the service's catalog answers; the API itself runs SELECT only. */
import { catalogDatabase, catalogDatabases, catalogTable } from "../../contract";
import { call, type Access } from "./access";
import type { PrintedColumn } from "./print-rows";

interface CatalogAnswer {
  readonly columns: readonly PrintedColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A name in a statement; HiveQL has them in lower case. */
const name = String.raw`(?:\`([^\`]+)\`|([\w.-]+?))`;
const databases = /^show\s+(?:databases|schemas)$/i;
const tables = new RegExp(String.raw`^show\s+(?:tables|views)(?:\s+(?:in|from)\s+${name})?$`, "i");
const described = new RegExp(String.raw`^desc(?:ribe)?\s+(?:table\s+)?(?:${name}\s*\.\s*)?${name}$`, "i");

/** Answers a statement such as `SHOW TABLES IN sales` or `DESCRIBE sales.orders`; undefined for any other. */
export async function answerFromCatalog(access: Access, statement: string): Promise<CatalogAnswer | undefined> {
  const text = statement.trim().replace(/\s*;$/, "").toLowerCase();
  if (databases.test(text)) {
    const { databases: found } = await call(access, catalogDatabases, "GET", "/catalog");
    return { columns: [{ name: "database_name" }], rows: found.map(({ name: database }) => [database]) };
  }
  const shown = tables.exec(text);
  if (shown) return tablesIn(access, shown[1] ?? shown[2] ?? "default");
  const table = described.exec(text);
  if (table) return columnsOf(access, table[1] ?? table[2] ?? "default", table[3] ?? table[4]!);
  return undefined;
}

async function tablesIn(access: Access, database: string): Promise<CatalogAnswer> {
  const found = await call(access, catalogDatabase, "GET", `/catalog/${encodeURIComponent(database)}`);
  const rows = [
    ...found.tables.map(({ table, source }) => [table, source]),
    ...found.views.map(({ view }) => [view, "view"]),
  ];
  return { columns: [{ name: "tab_name" }, { name: "made_by" }], rows };
}

async function columnsOf(access: Access, database: string, table: string): Promise<CatalogAnswer> {
  const path = `/catalog/${encodeURIComponent(database)}/${encodeURIComponent(table)}`;
  const found = await call(access, catalogTable, "GET", path);
  // The columns of Parquet are stored in it.
  const how = found.format === "parquet" ? "inferred" : "inferred from the first rows, a query reads all";
  const comment = (column: string) =>
    found.partitionColumns.includes(column) ? "partition column" : found.isInferred ? how : "";
  return {
    columns: [{ name: "col_name" }, { name: "data_type" }, { name: "comment" }],
    rows: found.columns.map((column) => [column.name, column.type, comment(column.name)]),
  };
}
