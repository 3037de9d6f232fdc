/** The definitions of the tables that a statement reads. */
import { isDeepStrictEqual } from "node:util";
import { errors, formatLocation, overlaps, type ApiError, type Location } from "../../../contract";
import { didYouMean } from "../../../hiveql/syntax/nearest-name";
import type { TableName } from "../ports/engine";
import { tableFolder, type KnownTable, type TableCatalog } from "./catalog";
import { outputFolder } from "./output-folder";
import type { QueryContext } from "./query-context";

/** @throws InvalidTableName for the folder of running queries, which is no table */
export function requireReadableNames(tables: readonly TableName[]): void {
  const reserved = tables.find(({ table }) => table === "tmp");
  if (reserved === undefined) return;
  throw new errors.InvalidTableName(
    `table "${reserved.database}.tmp" cannot be read: the folder tmp/ is reserved for the temporary results of running queries`,
    { field: "query" },
  );
}

/**
 * Returns the definitions of all tables that a statement reads.
 * @throws InputBucketIsNotFound, InvalidTableName, StorageAccessError
 */
export async function tableDefinitions(context: QueryContext, names: readonly TableName[]): Promise<KnownTable[]> {
  for (const database of new Set(names.map((name) => name.database))) {
    if (await context.storage.bucketExists(database)) continue;
    throw new errors.InputBucketIsNotFound(`database "${database}" does not exist: there is no bucket with that name`, {
      field: "query",
    });
  }
  const found: KnownTable[] = [];
  for (const { database, table } of names) {
    const definition = await settledDefinition(context, { database, table });
    if (!definition) throw await noSuchTable(context.catalog, { database, table }, "query");
    found.push(definition);
  }
  return found;
}

/** Times that a check is run while queries replace its tables. */
const maxChecks = 3;

/** Checks a statement with the definitions of its tables; once more when a query has replaced one of them meanwhile. */
export async function checkWithDefinitions<Result>(
  context: QueryContext,
  names: readonly TableName[],
  check: (tables: readonly KnownTable[]) => Promise<Result>,
): Promise<Result> {
  let tables = await tableDefinitions(context, names);
  for (let checks = 1; ; checks += 1) {
    try {
      return await check(tables);
    } catch (error) {
      if (!(error instanceof errors.InvalidDMLStatement) || checks === maxChecks) throw error;
      const now = await tableDefinitions(context, names);
      if (isDeepStrictEqual(now, tables)) throw error;
      tables = now;
    }
  }
}

/** Milliseconds between two looks at a table to which a query publishes. */
const pollInterval = 20;
/** Looks at such a table, after which it is taken as it is. */
const maxLooks = 500;

/**
 * Returns the definition of a table. While a query publishes to its folder, the objects of that query are there, and its
 * columns are not known yet: this waits until they are.
 */
async function settledDefinition(context: QueryContext, name: TableName): Promise<KnownTable | undefined> {
  for (let look = 1; ; look += 1) {
    const found = await context.catalog.definition(name);
    const isAsPublished = found && found.note === undefined && (found.source !== "folder" || found.mayHaveHeader);
    if (isAsPublished || look > maxLooks) return found;
    const isPublishing = await isPublishedTo(context, tableFolder(name));
    // The publication may have ended since the first look.
    if (!isPublishing && look > 1) return found;
    if (isPublishing) await context.platform.clock.sleep(pollInterval);
  }
}

/** Returns true while a query publishes to a folder, above or below it. */
async function isPublishedTo({ state }: QueryContext, folder: Location): Promise<boolean> {
  for (const id of await state.queries.listRunning()) {
    const query = await state.queries.get(id);
    if (query?.publishing && overlaps(outputFolder(query), folder)) return true;
  }
  return false;
}

/** Returns the error for a table that does not exist, with the name that is near. @param field of the request, which names it. */
export async function noSuchTable(
  catalog: TableCatalog,
  { database, table }: TableName,
  field: string,
): Promise<ApiError> {
  const folder = formatLocation(tableFolder({ database, table }));
  const near = nearestTable({ database, table }, [...(await catalog.namesIn(database))]);
  return new errors.InvalidTableName(
    `table "${database}.${table}" does not exist: there are no objects under ${folder}, and the config does not declare it${near}`,
    { field },
  );
}

/** Returns what to say of the names that a database has, where one is near. */
function nearestTable({ database, table }: TableName, names: readonly string[]): string {
  const otherCase = names.find((name) => name !== table && name.toLowerCase() === table);
  if (otherCase === undefined)
    return didYouMean(
      table,
      names.filter((name) => name === name.toLowerCase()),
    );
  const folder = (name: string) => formatLocation(tableFolder({ database, table: name }));
  return `. ${folder(otherCase)} is not this table, because HiveQL has the names of tables in lower case: move its objects to ${folder(table)}`;
}
