/** What a query does: the engine's part, written to a folder of its own, then the move of the result to its place. */
import {
  asFolder,
  errors,
  formatLocation,
  limits,
  parseColumns,
  parseLocation,
  type Column,
  type Location,
} from "../../../contract";
import { tableAt, tableFolder } from "./catalog";
import type { Engine, JobContext, TableDefinition, TableName } from "../ports/engine";
import type { CatalogChange, StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";

/** What the engine's part found out. */
export interface Result {
  readonly columns: readonly Column[] | null;
  readonly checked: boolean;
}

/** The folder that a query writes to. */
export function outputOf(query: StoredQuery): Location {
  return query.type === "select"
    ? asFolder(parseLocation(query.outputResourcePath))
    : tableFolder({ database: query.outputDatabase, table: query.outputTable });
}

/** Runs the engine's part of a query, which writes to `output`. */
export async function execute(
  context: QueryContext,
  query: StoredQuery,
  output: Location,
  engine: Engine,
  job: JobContext,
): Promise<Result> {
  if (query.type === "select") {
    const { id: queryId, query: statement, outputFormat } = query;
    const tables = await definitions(context, await engine.tablesRead(statement));
    await engine.select({ queryId, statement, tables, outputFormat, output }, job);
    return { columns: null, checked: false };
  }
  const result = await engine.split(
    {
      queryId: query.id,
      inputs: query.inputObjectKeys.map(parseLocation),
      format: query.inputFormat,
      ...(query.schema === null ? {} : { columns: parseColumns(query.schema) }),
      output,
      objectBytes: limits.splitObjectBytes,
    },
    job,
  );
  return { columns: result.columns, checked: result.checked };
}

/** Moves a complete result to its place; for a query that was publishing before, completes what was begun. */
export async function publish(context: QueryContext, query: StoredQuery, log: (line: string) => void): Promise<CatalogChange> {
  const { outputs } = context.platform;
  const target = outputOf(query);
  const again = { again: query.publishing };
  if (query.type === "select") {
    await outputs.replace(query.id, target, again);
    log(`result is at ${formatLocation(target)}: ${await describeObjects(context, target)}`);
    return { overwritten: tableAt(target) };
  }
  await outputs.place(query.id, target, again);
  log(`table is at ${formatLocation(target)}: ${await describeObjects(context, target)}`);
  const { outputDatabase: database, outputTable: table, inputFormat: format } = query;
  const fingerprint = query.checked ? await context.catalog.fingerprint(target).catch(() => null) : null;
  return { put: { database, table, format, columns: query.columns ?? [], fingerprint } };
}

/**
 * The definitions of all tables that a statement reads.
 * @throws InputBucketIsNotFound, InvalidTableName, StorageAccessError
 */
export async function definitions(context: QueryContext, names: readonly TableName[]): Promise<TableDefinition[]> {
  const found: TableDefinition[] = [];
  for (const { database, table } of names) {
    if (!(await context.storage.bucketExists(database))) {
      throw new errors.InputBucketIsNotFound(`database "${database}" does not exist: there is no bucket of that name`, {
        field: "query",
      });
    }
    const definition = await context.catalog.definition({ database, table });
    if (!definition) {
      const folder = formatLocation(tableFolder({ database, table }));
      throw new errors.InvalidTableName(
        `table "${database}.${table}" does not exist: no object lies under ${folder} and nothing declares it`,
        { field: "query" },
      );
    }
    found.push(definition);
  }
  return found;
}

/** The result is in its place by now, so a storage that cannot be read again is no reason for the query to fail. */
async function describeObjects({ storage }: QueryContext, folder: Location): Promise<string> {
  let objects = 0;
  let bytes = 0;
  try {
    for await (const { size } of storage.list(folder)) {
      objects += 1;
      bytes += size;
    }
    return `${objects} objects, ${bytes} bytes`;
  } catch {
    return "its objects cannot be listed";
  }
}
