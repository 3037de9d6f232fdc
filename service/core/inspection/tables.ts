/** Databases and tables for the console: `GET /catalog` and below. */
import {
  bucketPattern,
  bucketRule,
  errors,
  formatLocation,
  isHiddenObject,
  type CatalogDatabase,
  type CatalogDatabases,
  type CatalogTable,
  type CatalogTableSummary,
  type CatalogView,
  type Column,
  partitionFolders,
} from "../../../contract";
import type { RowSample, TableDefinition, TableName } from "../ports/engine";
import type { Inspection } from "../ports/inspection";
import type { Caller, ServiceContext } from "../service-context";
import { noSuchTable } from "../queries/table-definitions";
import { cutCells, rowsOfSample } from "./cells";
import { checkStatement, columnNames, hasEngine, sampleTable } from "./check";

/** Tables of a database that are listed. */
const maxTables = 10_000;
/** Objects of a table that are counted. */
const maxObjects = 10_000;
const maxPartitions = 1000;
/** Folders of a database that are examined for a list, to find those that are results of selects. */
const maxResults = 100;
const sampleRows = 100;

/** Lists the databases: the buckets, and those of the views, which need none. */
export async function listDatabases({ catalog }: ServiceContext, inspection: Inspection): Promise<CatalogDatabases> {
  const names = new Set([...(await inspection.buckets()), ...catalog.views().map(({ database }) => database)]);
  return { databases: [...names].toSorted().map((name) => ({ name })) };
}

/** Lists the views of a database and its tables, at most {@link maxTables} in the order of their names. @throws DatabaseNotFound */
export async function listTables(
  context: ServiceContext,
  inspection: Inspection,
  database: string,
  caller: Caller,
): Promise<CatalogDatabase> {
  const hasViews = context.catalog.viewsIn(database).length > 0;
  if (!hasViews) await requireDatabase(context, database);
  const known = new Map<string, CatalogTableSummary>();
  const hasBucket = !hasViews || (await context.storage.bucketExists(database));
  for await (const table of hasBucket ? inspection.folders(database) : []) {
    if (isTableName(table)) known.set(table, { table, source: "folder" });
    if (known.size > maxTables) break;
  }
  const hasAllFolders = known.size <= maxTables;
  const results = await context.catalog.resultsIn(database, maxResults);
  const kept = await context.catalog.tablesIn(database, maxTables + 1);
  // A table of a split whose objects were deleted does not exist.
  const existing = kept.filter(({ table, source }) => source !== "split" || !hasAllFolders || known.has(table));
  const described = [...results.filter(({ table }) => isTableName(table)), ...existing];
  for (const { table, source, format, columns, ...declared } of described) {
    const partitions = "partitions" in declared ? (declared.partitions ?? []) : [];
    known.set(table, { table, source, format, ...(columns?.length ? { columns: [...columns, ...partitions] } : {}) });
  }
  const sorted = [...known.values()].toSorted((a, b) => (a.table < b.table ? -1 : 1));
  const tables = sorted.slice(0, maxTables);
  const isCut = sorted.length > maxTables;
  return { database, tables, ...(isCut ? { isCut } : {}), views: await viewsOf(context, database, caller) };
}

async function viewsOf(context: ServiceContext, database: string, caller: Caller): Promise<CatalogView[]> {
  const views: CatalogView[] = [];
  for (const { view, query } of context.catalog.viewsIn(database)) {
    const columns = await columnNames(context, { query, clusterName: undefined }, caller);
    const problem = columns ? undefined : await problemOf(context, query, caller);
    views.push({ view, query, ...(columns && { columns: [...columns] }), ...(problem !== undefined && { problem }) });
  }
  return views.toSorted((a, b) => (a.view < b.view ? -1 : 1));
}

/** Returns what is wrong with a statement; undefined when that is not known either. */
async function problemOf(context: ServiceContext, query: string, caller: Caller): Promise<string | undefined> {
  const checked = await checkStatement(context, { query }, caller).catch(() => undefined);
  return checked?.problems[0]?.message;
}

/** Returns one table with its columns, partitions, size and first rows. @throws DatabaseNotFound, InvalidTableName */
export async function describeTable(
  context: ServiceContext,
  inspection: Inspection,
  { database, table }: { readonly database: string; readonly table: string },
  caller: Caller,
): Promise<CatalogTable> {
  if (context.catalog.view({ database, table })) throw viewIsNoTable({ database, table });
  await requireDatabase(context, database);
  if (!isTableName(table)) {
    const rule = 'a table\'s name is 1 to 128 characters of a-z, 0-9 and "_", and not "tmp"';
    throw new errors.InvalidTableName(`table "${database}.${table}" does not exist: ${rule}`, { field: "table" });
  }
  const definition = await context.catalog.definition({ database, table });
  if (!definition) throw await noSuchTable(context.catalog, { database, table }, "table");
  const { location, format, columns: declared, partitions, mayHaveHeader = true, source, note } = definition;
  // An engine reads declared columns as a select does: what is no value of its type is NULL.
  const isTyped = Boolean(declared?.length || partitions?.length) && hasEngine(context);
  const { columns, rows, isTruncated } =
    format === "parquet" || isTyped
      ? await sampleTable(context, definition, sampleRows, caller)
      : await inspection.sample({ location, format, columns: declared, partitions, mayHaveHeader }, sampleRows);
  const shown = rows.slice(0, rowsOfSample(sampleRows, columns.length));
  const content = await contentOf(context, definition);
  return {
    database,
    table,
    source,
    ...(note === undefined ? {} : { note }),
    format,
    location: formatLocation(location),
    columns: columns.map(({ name, type }) => ({ name, type })),
    partitionColumns: content.partitionColumns,
    isInferred: !declared?.length,
    objects: content.objects,
    bytes: content.bytes,
    isCut: content.isCut,
    partitions: content.partitions,
    sample: { rows: cutCells(withNulls(columns, shown)), isTruncated: isTruncated || shown.length < rows.length },
  };
}

function viewIsNoTable({ database, table }: TableName) {
  const page = `/console/views/${database}/${encodeURIComponent(table)}`;
  return new errors.InvalidTableName(
    `"${database}.${table}" is a view of the config, not a table: its page is ${page}, and GET /catalog/${database} has its statement and columns`,
    { field: "table" },
  );
}

/** To a statement, an empty cell of a column that does not hold text is NULL. */
function withNulls(columns: readonly Column[], rows: RowSample["rows"]): RowSample["rows"] {
  const isText = columns.map(({ type }) => /^(?:string|binary|(?:var)?char\b)/i.test(type));
  return rows.map((row) => row.map((cell, index) => (cell === "" && isText[index] === false ? null : cell)));
}

/** Counts the objects of a table and of its partitions. */
async function contentOf(
  { storage }: ServiceContext,
  { location: folder, columns, partitions: declared }: TableDefinition,
) {
  const partitions = new Map<string, { objects: number; bytes: number }>();
  const isPartitioned = declared !== undefined || !columns?.length;
  let names = declared?.map(({ name }) => name);
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
    const path = object.location.key.slice(folder.key.length);
    const folders =
      isPartitioned && !isHiddenObject(path) ? partitionFolders(path).map(({ folder: name }) => name) : [];
    if (folders.length === 0) continue;
    names ??= partitionFolders(path).map(({ name }) => name);
    const name = folders.slice(0, names.length).join("/");
    if (partitions.size >= maxPartitions && !partitions.has(name)) continue;
    const sum = partitions.get(name) ?? { objects: 0, bytes: 0 };
    partitions.set(name, { objects: sum.objects + 1, bytes: sum.bytes + object.size });
  }
  const list = [...partitions].map(([name, sum]) => ({ name, ...sum }));
  return { objects, bytes, isCut, partitionColumns: names ?? [], partitions: list };
}

function isTableName(name: string): boolean {
  return /^[a-z0-9_]{1,128}$/.test(name) && name !== "tmp";
}

async function requireDatabase({ storage }: ServiceContext, database: string): Promise<void> {
  if (bucketPattern.test(database) && (await storage.bucketExists(database))) return;
  const reason = bucketPattern.test(database)
    ? "there is no bucket with that name"
    : `its name must be ${bucketRule}, as that of a bucket`;
  throw new errors.DatabaseNotFound(`database "${database}" does not exist: ${reason}`, { field: "database" });
}
