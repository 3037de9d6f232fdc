/** Checks statements for the console: `POST /check`, and the columns of `GET /results/<queryId>`. */
import { ApiError, errors, type CheckAnswer } from "../../../contract";
import type { Cluster } from "../clusters/cluster";
import type { RowSample, TableDefinition, TableName } from "../ports/engine";
import { checkSelect } from "../queries/check-select";
import { checkWithDefinitions, requireReadableNames, tableDefinitions } from "../queries/table-definitions";
import { statementReads } from "../queries/reads";
import type { Caller, ServiceContext } from "../service-context";

/**
 * Returns the problems of a statement without running it: its syntax, then its tables and columns. Without a cluster
 * that is up, no problems. Takes part in the limits of submissions.
 * @throws TooManyQueries
 */
export async function checkStatement(
  context: ServiceContext,
  { query, clusterName }: { readonly query: string; readonly clusterName?: string | undefined },
  caller: Caller,
): Promise<CheckAnswer> {
  const cluster = clusterWithEngine(context, clusterName);
  if (!cluster) return { problems: [] };
  try {
    await inTurn(context, cluster, caller, async (signal) => {
      const control = { signal, limited: true };
      const engine = cluster.engine!;
      const { tables: names, views } = await statementReads(context.catalog, engine, query, control);
      requireReadableNames(names);
      await checkWithDefinitions(context, names, (tables) =>
        checkSelect(engine, { statement: query, tables, views }, control),
      );
    });
    return { problems: [], clusterName: cluster.name };
  } catch (error) {
    // Other errors, such as the end of the engine, are not problems of the statement.
    if (!(error instanceof ApiError) || error.status >= 500 || error.code === "TooManyQueries") throw error;
    const problem = { ...positioned(error.message), severity: "error" as const, code: error.code };
    return { problems: [problem], clusterName: cluster.name };
  }
}

/**
 * Returns the names of a statement's output columns, with the tables as they are now; undefined when they are not known.
 */
export async function columnNames(
  context: ServiceContext,
  { query, clusterName }: { readonly query: string; readonly clusterName: string | undefined },
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const cluster = clusterWithEngine(context, clusterName);
  if (!cluster) return undefined;
  const run = async (signal: AbortSignal) => {
    const control = { signal, limited: true };
    const engine = cluster.engine!;
    // Most statements name their columns, also when their tables are gone.
    const known = await engine.columnNames({ statement: query, tables: [] }, control);
    if (known) return known;
    const { tables, views } = await statementReads(context.catalog, engine, query, control);
    return engine.columnNames({ statement: query, tables: await tableDefinitions(context, tables), views }, control);
  };
  return inTurn(context, cluster, caller, run).catch(() => undefined);
}

/** Returns the tables and views that a statement names; undefined when they are not known, as without a cluster that is up. */
export async function tablesNamed(
  context: ServiceContext,
  query: string,
  caller: Caller,
): Promise<readonly TableName[] | undefined> {
  const cluster = clusterWithEngine(context, undefined);
  if (!cluster) return undefined;
  const run = (signal: AbortSignal) => cluster.engine!.tablesRead(query, { signal, limited: true });
  return inTurn(context, cluster, caller, run).catch(() => undefined);
}

/** Returns true when a cluster is up, which can read a table. */
export function hasEngine(context: ServiceContext): boolean {
  return clusterWithEngine(context, undefined) !== undefined;
}

/**
 * Returns the columns and first rows of a table as an engine reads it; those that are declared, and no rows, without
 * a cluster that is up.
 * @throws InvalidFormat when its objects cannot be read, TooManyQueries
 */
export async function sampleTable(
  context: ServiceContext,
  table: TableDefinition,
  limit: number,
  caller: Caller,
): Promise<RowSample> {
  const cluster = clusterWithEngine(context, undefined);
  if (!cluster) {
    return { columns: [...(table.columns ?? []), ...(table.partitions ?? [])], rows: [], isTruncated: true };
  }
  const run = (signal: AbortSignal) => cluster.engine!.sampleTable(table, limit, { signal, limited: true });
  try {
    return await inTurn(context, cluster, caller, run);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new errors.InvalidFormat((error as Error).message, { cause: error });
  }
}

/** Returns the cluster if it is up, or else any that is. */
function clusterWithEngine({ clusters }: ServiceContext, name: string | undefined): Cluster | undefined {
  const given = name === undefined ? undefined : clusters.get(name);
  return given?.engine ? given : [...clusters.values()].find(({ engine }) => engine);
}

async function inTurn<Result>(
  { submissionLimits }: ServiceContext,
  cluster: Cluster,
  { accessKeyId, signal }: Caller,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  using _entry = submissionLimits.enter(cluster, accessKeyId);
  const left = signal();
  return await submissionLimits.check(cluster, accessKeyId, left, () => run(left));
}

/** Separates the position `line:column` with which a message about a statement begins. */
function positioned(text: string) {
  const [, line = "0", column = "0", message = text] = /^(?:query )?(\d+):(\d+) ([^]*)$/.exec(text) ?? [];
  return { line: Number(line), column: Number(column), message };
}
