/** The operations listQueries, getQuery, cancelQuery and getQueryLog (specification §4.3 to §4.6). */
import {
  asFolder,
  defaults,
  errors,
  excerptOf,
  formatColumns,
  formatLocation,
  parseLocation,
  type QueryLog,
  type QueryPage,
  type QueryRecord,
  type QuerySummary,
  type RequestParameters,
} from "../../../contract";
import type { ListedQuery, StoredQuery } from "../ports/state";
import type { ServiceContext } from "../service-context";

/** Returns a page of queries, filtered by their current state (specification §4.3). */
export async function listQueries(
  context: ServiceContext,
  parameters: RequestParameters<"listQueries">,
): Promise<QueryPage> {
  const { queries, ...page } = await readPage(context, parameters);
  return { ...page, queries: queries.map((query) => listedSummary(query)) };
}

/** Reads the records of a page of queries. */
export async function readPage(context: ServiceContext, parameters: RequestParameters<"listQueries">) {
  const { max = defaults.max, status, order = defaults.order, ...filters } = parameters;
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const found = await context.state.queries.list({
    ...given,
    ...(status ? { statuses: status } : {}),
    order,
    limit: max + 1,
  });
  const page = found.slice(0, max);
  const isTruncated = found.length > max;
  return {
    ...(isTruncated ? { nextMarker: page.at(-1)!.id } : {}),
    isTruncated,
    queries: page,
  };
}

/** Returns one query (specification §4.4). */
export async function getQuery(context: ServiceContext, id: number): Promise<QueryRecord> {
  return recordOf(await findQuery(context, id));
}

/** Returns what the API shows of a single query. */
export function recordOf(query: StoredQuery): QueryRecord {
  const common = summaryOf(query, query.type === "select" ? query.query : null);
  if (query.type === "select") {
    const outputResourcePath = formatLocation(asFolder(parseLocation(query.outputResourcePath)));
    return { ...common, outputFormat: query.outputFormat, outputResourcePath } as QueryRecord;
  }
  const { inputObjectKeys, inputFormat, outputDatabase, outputTable } = query;
  const schema = query.schema ?? formatColumns(query.columns ?? []);
  const jobId = query.jobId ?? `split-${query.id}`;
  return { ...common, jobId, schema, inputObjectKeys, inputFormat, outputDatabase, outputTable } as QueryRecord;
}

/** Cancels a running query. Returns when its job has ended and its objects are deleted (specification §4.5). */
export async function cancelQuery(context: ServiceContext, id: number): Promise<void> {
  const query = await findQuery(context, id);
  const cancelled = query.status === "running" && (await context.executions.cancel(id));
  if (cancelled) return;
  const { status } = await findQuery(context, id);
  const why =
    status === "running"
      ? "is complete, and its result is being published: it can no longer be cancelled"
      : `is ${status}: only a running query can be cancelled`;
  throw new errors.InvalidQueryState(`query ${id} ${why}`, { field: "queryId" });
}

/** Returns the log of a select (specification §4.6). */
export async function getQueryLog(context: ServiceContext, id: number): Promise<QueryLog> {
  const query = await findQuery(context, id);
  const field = "queryId";
  if (query.type !== "select") {
    throw new errors.InvalidQueryType(`query ${id} is a ${query.type}: only a select has a log`, { field });
  }
  if (query.clusterRebooted) {
    throw new errors.InvalidQueryState(
      `the log of query ${id} no longer exists: cluster "${query.clusterName}" was restarted after the query`,
      { field },
    );
  }
  if (!context.clusters.has(query.clusterName)) {
    throw new errors.InvalidClusterState(
      `the log of query ${id} is not available: its cluster "${query.clusterName}" is no longer configured`,
      {
        field,
      },
    );
  }
  return { log: await context.platform.logs.readQuery(query.clusterName, id) };
}

/** @throws QueryNotFound */
export async function findQuery({ state }: ServiceContext, id: number): Promise<StoredQuery> {
  const query = await state.queries.get(id);
  if (query) return query;
  throw new errors.QueryNotFound(`query ${id} does not exist`, { field: "queryId" });
}

/** The summaries of ended queries, by the frozen records that the state keeps. */
const summaries = new WeakMap<ListedQuery, QuerySummary>();

/** Returns what the API's list shows of a query. For an ended query whose record is kept, it is the same frozen object. */
export function listedSummary(query: ListedQuery): QuerySummary {
  const known = summaries.get(query);
  if (known !== undefined) return known;
  const summary = summaryOf(query, query.excerpt);
  if (Object.isFrozen(query)) summaries.set(query, Object.freeze(summary));
  return summary;
}

/** Returns what both a list and a single query show. @param statement of a select @default shortened as in a list */
export function summaryOf(
  query: ListedQuery | StoredQuery,
  statement: string | null = "query" in query ? excerptOf(query.query) : null,
): QuerySummary {
  const { id, type, status, clusterName, clusterRebooted, accessKeyId, label, progress, stage } = query;
  const common = {
    id,
    type,
    // The values that the specification observed; the actual engine is the cluster's type (design §2).
    processEngine: "mapreduce",
    dsl: type === "select" ? "hive" : "mapreduce",
    status,
    clusterName,
    clusterRebooted,
    accessKeyId,
    startTime: timestamp(query.startTime),
    progress: `${Math.floor(progress)}%`,
    label,
  };
  return (type === "select" ? { ...common, stage, query: statement } : common) as QuerySummary;
}

/** Formats a time as `YYYY-MM-DD HH:MM:SS`, UTC. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");
}
