/** Looks at statements for the console: `POST /check`, and the columns of `GET /results/<queryId>`. */
import { ApiError, type CheckAnswer } from "../../../contract";
import type { Cluster } from "../clusters/cluster";
import { tableDefinitions } from "../queries/execution";
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
      const tables = await tableDefinitions(context, await engine.tablesRead(query, control));
      await engine.checkSelect({ statement: query, tables }, control);
    });
    return { problems: [] };
  } catch (error) {
    // Other errors, such as the end of the engine, are not problems of the statement.
    if (!(error instanceof ApiError) || error.status >= 500 || error.code === "TooManyQueries") throw error;
    return { problems: [{ ...positioned(error.message), severity: "error" }] };
  }
}

/**
 * Returns the names of a statement's output columns, with the tables as they are now; undefined when they cannot be told.
 */
export async function columnNames(
  context: ServiceContext,
  { query, clusterName }: { readonly query: string; readonly clusterName: string },
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const cluster = clusterWithEngine(context, clusterName);
  if (!cluster) return undefined;
  const run = async (signal: AbortSignal) => {
    const control = { signal, limited: true };
    const engine = cluster.engine!;
    // Most statements tell the names themselves, also when their tables are gone.
    const told = await engine.columnNames({ statement: query, tables: [] }, control);
    if (told) return told;
    const tables = await tableDefinitions(context, await engine.tablesRead(query, control));
    return engine.columnNames({ statement: query, tables }, control);
  };
  return inTurn(context, cluster, caller, run).catch(() => undefined);
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
