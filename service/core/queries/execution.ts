/** Executes a query: the engine writes the result to a temporary folder, then the result is published. */
import {
  errors,
  formatLocation,
  limits,
  parseColumns,
  parseLocation,
  type Column,
  type Location,
} from "../../../contract";
import { didYouMean } from "../../../hiveql/syntax/nearest-name";
import { headerWarning } from "../../../storage";
import { type KnownTable, tableContaining, tableFolder } from "./catalog";
import type { Engine, JobContext, TableName } from "../ports/engine";
import { outputFolder } from "../ports/output-folder";
import { AttemptLost, type CatalogChange, type PublishedFolder, type StoredQuery } from "../ports/state";
import type { ReadInput } from "../ports/read-records";
import type { QueryContext } from "./query-context";
import { replacedObjects } from "./replaced-objects";
import { splitInputs, statementInputs } from "./read-states";
import { statementReads, type StatementReads } from "./reads";

/** What an engine wrote. */
export interface EngineResult {
  /** The columns of the result or table; null when they are not known. */
  readonly columns: readonly Column[] | null;
  readonly checked: boolean;
  /** Rows of a select's result; null when they are not known. */
  readonly rows: number | null;
  /** What the query read, as it was before; empty when an earlier attempt has read it. */
  readonly reads: readonly ReadInput[];
}

/** Where a query writes its result, and what its statement reads when that is known. */
export interface ExecutionPlan {
  readonly output: Location;
  readonly reads: StatementReads | undefined;
}

/** Runs a query on the engine. */
export async function execute(
  context: QueryContext,
  query: StoredQuery,
  { output, reads }: ExecutionPlan,
  engine: Engine,
  job: JobContext,
): Promise<EngineResult> {
  if (query.type === "select") {
    const { id: queryId, query: statement, accessKeyId: user, outputFormat, engineHandle } = query;
    const control = { signal: job.signal, limited: false };
    const found = reads ?? (await statementReads(context.catalog, engine, statement, control));
    const { tables: names, views } = found;
    const tables = await whenAvailable(context, job.signal, () => tableDefinitions(context, names));
    const resume = engineHandle === null ? {} : { resume: engineHandle };
    for (const { note } of tables) if (note !== undefined) job.log(note);
    // A job that goes on read its tables before this attempt.
    const inputs = engineHandle === null ? await statementInputs(context.storage, found) : [];
    job.signal.throwIfAborted();
    const select = { queryId, statement, user, tables, views, outputFormat, output, ...resume };
    const { columns = null, rows = null } = await engine.select(select, job);
    return { columns, checked: false, rows, reads: inputs };
  }
  const { inputFormat: format } = query;
  const inputs = query.inputObjectKeys.map(parseLocation);
  const columns = query.schema === null ? undefined : parseColumns(query.schema);
  const warning = columns && (await headerWarning(context.storage, { inputs, format, columns }));
  if (warning !== undefined) job.log(`warning: ${warning}`);
  const sources = await splitInputs(context.storage, query.inputObjectKeys);
  job.signal.throwIfAborted();
  const result = await engine.split(
    {
      queryId: query.id,
      inputs,
      format,
      ...(columns && { columns }),
      output,
      objectBytes: limits.splitObjectBytes,
    },
    job,
  );
  return { columns: result.columns, checked: result.checked, rows: null, reads: sources };
}

/**
 * Moves the complete result of an attempt to the output folder. Completes an earlier publication that was interrupted.
 * @throws AttemptLost before anything is moved when the query has a later attempt
 */
export async function publish(
  context: QueryContext,
  query: StoredQuery,
  log: (line: string) => void,
): Promise<CatalogChange> {
  const { outputs } = context.platform;
  const target = outputFolder(query);
  const confirm = async () => {
    if (!(await context.state.confirm(query))) throw new AttemptLost();
  };
  const isRetry = query.publishing;
  const { epoch: publisher } = query;
  const attempt = { epoch: isRetry ? query.publishedEpoch : publisher, publisher, isRetry, confirm };
  if (query.type === "select") {
    const warning = isRetry ? undefined : await replacedObjects(context, target);
    await outputs.publishReplacing(query.id, target, attempt);
    if (warning !== undefined) log(warning);
    log(`result is at ${formatLocation(target)}: ${await describeObjects(context, target)}`);
    return {
      overwritten: tableContaining(target),
      published: await identified(context, query, { format: query.outputFormat, columns: query.columns }),
    };
  }
  await outputs.publishNew(query.id, target, attempt);
  log(`table is at ${formatLocation(target)}: ${await describeObjects(context, target)}`);
  const { outputDatabase: database, outputTable: table, inputFormat: format } = query;
  const fingerprint = query.checked ? await context.catalog.fingerprint(target).catch(() => null) : null;
  // Columns that the engine has found are for the record only: they are found again when the objects change.
  const columns = query.schema === null ? [] : (query.columns ?? []);
  const declared = query.schema === null ? null : query.columns;
  return {
    put: { database, table, format, columns, fingerprint },
    published: await identified(context, query, { format, columns: declared }),
  };
}

/** Returns what was published. The result is complete, so a storage error here must not fail the query. */
async function identified(
  { catalog }: QueryContext,
  query: StoredQuery,
  result: Pick<PublishedFolder, "format" | "columns">,
): Promise<PublishedFolder> {
  const { id: queryId, type } = query;
  const folder = outputFolder(query);
  try {
    return { queryId, type, folder, ...result, ...(await catalog.published.identify(folder)) };
  } catch {
    return { queryId, type, folder, format: result.format, columns: null, fingerprint: null, content: null };
  }
}

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
    if (!definition) {
      const folder = formatLocation(tableFolder({ database, table }));
      const near = didYouMean(table, await context.catalog.namesIn(database));
      throw new errors.InvalidTableName(
        `table "${database}.${table}" does not exist: there are no objects under ${folder}, and neither the config nor a split has defined it${near}`,
        { field: "query" },
      );
    }
    found.push(definition);
  }
  return found;
}

/** Milliseconds between two attempts to read the state. */
const stateRetryInterval = 500;

/** Repeats a reading while the state is not available: an accepted query waits for it instead of failing. */
async function whenAvailable<Result>(
  { platform }: QueryContext,
  signal: AbortSignal,
  read: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof errors.ServiceUnavailable) || signal.aborted) throw error;
      await platform.clock.sleep(stateRetryInterval, signal);
    }
  }
}

/** Describes the published objects. The result is complete, so a storage error here must not fail the query. */
async function describeObjects({ storage }: QueryContext, folder: Location): Promise<string> {
  let objects = 0;
  let bytes = 0;
  try {
    for await (const { size } of storage.list(folder)) {
      objects += 1;
      bytes += size;
    }
    return `${counted(objects, "object")}, ${counted(bytes, "byte")}`;
  } catch {
    return "its objects could not be listed";
  }
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
