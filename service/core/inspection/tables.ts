/** Databases and tables for the console: `GET /catalog` and below. */
import {
  bucketPattern,
  errors,
  formatLocation,
  type CatalogDatabase,
  type CatalogDatabases,
  type CatalogTable,
  type CatalogTableSummary,
  type Location,
} from "../../../contract";
import type { Inspection } from "../ports/inspection";
import type { ServiceContext } from "../service-context";
import { cutRows } from "./cells";

/** Objects of a table that are counted. */
const maxObjects = 10_000;
const maxPartitions = 1000;
const sampleRows = 100;

/** Lists the databases. */
export async function listDatabases(inspection: Inspection): Promise<CatalogDatabases> {
  return { databases: (await inspection.buckets()).map((name) => ({ name })) };
}

/** Lists the tables of a database. @throws DatabaseNotFound */
export async function listTables(
  context: ServiceContext,
  inspection: Inspection,
  database: string,
): Promise<CatalogDatabase> {
  await requireDatabase(context, database);
  const known = new Map<string, CatalogTableSummary>();
  for (const table of await inspection.folders(database)) {
    if (isTableName(table)) known.set(table, { table, source: "folder" });
  }
  for (const { table, source, format, columns } of context.catalog.tablesIn(database)) {
    known.set(table, { table, source, format, ...(columns?.length ? { columns: [...columns] } : {}) });
  }
  const tables = [...known.values()].toSorted((a, b) => (a.table < b.table ? -1 : 1));
  return { database, tables };
}

/** Returns one table with its columns, partitions, size and first rows. @throws DatabaseNotFound, InvalidTableName */
export async function describeTable(
  context: ServiceContext,
  inspection: Inspection,
  { database, table }: { readonly database: string; readonly table: string },
): Promise<CatalogTable> {
  await requireDatabase(context, database);
  const definition = isTableName(table) ? await context.catalog.definition({ database, table }) : undefined;
  if (!definition) {
    throw new errors.InvalidTableName(`table "${database}.${table}" does not exist: its folder has no objects`, {
      field: "table",
    });
  }
  const { location, format, columns: declared } = definition;
  const known = context.catalog.tablesIn(database).find((each) => each.table === table);
  const { columns, rows, isTruncated } = await inspection.sample({ location, format, columns: declared }, sampleRows);
  return {
    database,
    table,
    source: known?.source ?? "folder",
    format,
    location: formatLocation(location),
    columns: columns.map(({ name, type }) => ({ name, type })),
    isInferred: !declared?.length,
    ...(await contentOf(context, location)),
    sample: { rows: cutRows(rows), isTruncated },
  };
}

/** Counts the objects of a table and of its partitions, which are folders with a name of the form `name=value`. */
async function contentOf({ storage }: ServiceContext, folder: Location) {
  const partitions = new Map<string, { objects: number; bytes: number }>();
  let objects = 0;
  let bytes = 0;
  let isCut = false;
  for await (const object of storage.list(folder)) {
    if (objects === maxObjects) {
      isCut = true;
      break;
    }
    objects += 1;
    bytes += object.size;
    const name = partitionOf(object.location.key.slice(folder.key.length));
    if (name === undefined || (partitions.size >= maxPartitions && !partitions.has(name))) continue;
    const sum = partitions.get(name) ?? { objects: 0, bytes: 0 };
    partitions.set(name, { objects: sum.objects + 1, bytes: sum.bytes + object.size });
  }
  return { objects, bytes, isCut, partitions: [...partitions].map(([name, sum]) => ({ name, ...sum })) };
}

function partitionOf(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1);
  return folders.length > 0 && folders.every((name) => /^[^=]+=/.test(name)) ? folders.join("/") : undefined;
}

function isTableName(name: string): boolean {
  return /^[a-z0-9_]{1,128}$/.test(name) && name !== "tmp";
}

async function requireDatabase({ storage }: ServiceContext, database: string): Promise<void> {
  if (bucketPattern.test(database) && (await storage.bucketExists(database))) return;
  throw new errors.DatabaseNotFound(`database "${database}" does not exist: there is no bucket with that name`, {
    field: "database",
  });
}
