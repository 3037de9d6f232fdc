/** SHOW and DESCRIBE, which the service's catalog answers; the API itself runs SELECT only. */
import { catalogDatabase, catalogDatabases, catalogTable, type CatalogTable, type CatalogView } from "../../contract";
import { call, RefusedError, type Access } from "./access";
import { CommandError } from "./command-error";
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

const columnColumns = [{ name: "col_name" }, { name: "data_type" }, { name: "comment" }];

async function columnsOf(access: Access, database: string, table: string): Promise<CatalogAnswer> {
  const path = `/catalog/${encodeURIComponent(database)}/${encodeURIComponent(table)}`;
  let found: CatalogTable;
  try {
    found = await call(access, catalogTable, "GET", path);
  } catch (error) {
    const view = error instanceof RefusedError ? await viewNamed(access, database, table) : undefined;
    if (!view) throw error;
    const shown = `${database}.${table}`;
    if (!view.columns)
      throw new CommandError(`${shown} is a view whose columns are not known: SELECT * FROM ${shown} says why`, 1);
    return { columns: columnColumns, rows: view.columns.map((column) => [column, null, "of a view"]) };
  }
  // The columns of Parquet are stored in it.
  const how = found.format === "parquet" ? "inferred" : "inferred from the first rows, a query reads all";
  const comment = (column: string) =>
    found.partitionColumns.includes(column) ? "partition column" : found.isInferred ? how : "";
  return {
    columns: columnColumns,
    rows: found.columns.map((column) => [column.name, column.type, comment(column.name)]),
  };
}

/** Returns a view of the config. The catalog knows the names of its columns, and not their types. */
async function viewNamed(access: Access, database: string, table: string): Promise<CatalogView | undefined> {
  const path = `/catalog/${encodeURIComponent(database)}`;
  const found = await call(access, catalogDatabase, "GET", path).catch(() => undefined);
  return found?.views.find(({ view }) => view === table);
}
