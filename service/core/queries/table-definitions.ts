/** The definitions of the tables that a statement reads. */
import { errors, formatLocation, type ApiError } from "../../../contract";
import { didYouMean } from "../../../hiveql/syntax/nearest-name";
import type { TableName } from "../ports/engine";
import { tableFolder, type KnownTable, type TableCatalog } from "./catalog";
import type { QueryContext } from "./query-context";

/**
 * Returns the definitions of all tables that a statement reads.
 * @throws InputBucketIsNotFound, InvalidTableName, StorageAccessError
 */
export async function tableDefinitions(context: QueryContext, names: readonly TableName[]): Promise<KnownTable[]> {
  const found: KnownTable[] = [];
  for (const { database, table } of names) {
    if (!(await context.storage.bucketExists(database))) {
      throw new errors.InputBucketIsNotFound(
        `database "${database}" does not exist: there is no bucket with that name`,
        {
          field: "query",
        },
      );
    }
    const definition = await context.catalog.definition({ database, table });
    if (!definition) throw await noSuchTable(context.catalog, { database, table }, "query");
    found.push(definition);
  }
  return found;
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
