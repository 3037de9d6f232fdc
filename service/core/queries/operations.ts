/** listQueries, getQuery, cancelQuery and getQueryLog (specification §4.3 to §4.6). */
import {
  asFolder,
  defaults,
  errors,
  formatLocation,
  parseLocation,
  type QueryLog,
  type QueryPage,
  type QueryRecord,
  type QuerySummary,
  type RequestParameters,
} from "../../../contract";
import type { StoredQuery } from "../ports/state";
import type { ServiceContext } from "../service-context";

/** A page of queries; filters and marker as they are at this moment (specification §4.3). */
export function listQueries(context: ServiceContext, parameters: RequestParameters<"listQueries">): QueryPage {
  const { max = defaults.max, status, order = defaults.order, ...filters } = parameters;
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const found = context.state.queries({ ...given, ...(status ? { statuses: status } : {}), order, limit: max + 1 });
  const page = found.slice(0, max);
  const isTruncated = found.length > max;
  return {
    ...(isTruncated ? { nextMarker: page.at(-1)!.id } : {}),
    isTruncated,
    queries: page.map((query) => summary(context, query)),
  };
}

/** One query (specification §4.4). */
export function getQuery(context: ServiceContext, id: number): QueryRecord {
  const query = findQuery(context, id);
  const common = summary(context, query);
  if (query.type === "select") {
    const outputResourcePath = formatLocation(asFolder(parseLocation(query.outputResourcePath)));
    return { ...common, outputFormat: query.outputFormat, outputResourcePath } as QueryRecord;
  }
  const { schema, inputObjectKeys, inputFormat, outputDatabase, outputTable } = query;
  const { jobId } = context.runs.advance(id) ?? query;
  return { ...common, jobId, schema, inputObjectKeys, inputFormat, outputDatabase, outputTable } as QueryRecord;
}

/** Ends a running query; returns when its work has ended and nothing of it is left (specification §4.5). */
export async function cancelQuery(context: ServiceContext, id: number): Promise<void> {
  const query = findQuery(context, id);
  const cancelled = query.status === "running" && (await context.runs.cancel(id));
  if (cancelled) return;
  const { status } = findQuery(context, id);
  throw new errors.InvalidQueryState(`query ${id} is ${status}: only a running query can be cancelled`, {
    field: "queryId",
  });
}

/** The log of a select (specification §4.6). */
export async function getQueryLog(context: ServiceContext, id: number): Promise<QueryLog> {
  const query = findQuery(context, id);
  const field = "queryId";
  if (query.type !== "select") {
    throw new errors.InvalidQueryType(`query ${id} is a ${query.type}: only a select has a log`, { field });
  }
  if (query.clusterRebooted) {
    throw new errors.InvalidQueryState(
      `query ${id} has no log any more: cluster "${query.clusterName}" was restarted since`,
      { field },
    );
  }
  if (!context.clusters.has(query.clusterName)) {
    throw new errors.InvalidClusterState(
      `cluster "${query.clusterName}" of query ${id} is no longer part of this service`,
      {
        field,
      },
    );
  }
  return { log: await context.platform.logs.readQuery(query.clusterName, id) };
}

function findQuery({ state }: ServiceContext, id: number): StoredQuery {
  const query = state.query(id);
  if (query) return query;
  throw new errors.QueryNotFound(`query ${id} does not exist`, { field: "queryId" });
}

function summary({ runs }: ServiceContext, query: StoredQuery): QuerySummary {
  const { progress, stage } = runs.advance(query.id) ?? query;
  const { id, type, status, clusterName, clusterRebooted, accessKeyId, label } = query;
  const common = {
    id,
    type,
    // Values that the specification observed; the engine that really runs is the cluster's type (design §2).
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
  return (type === "select" ? { ...common, stage, query: query.query } : common) as QuerySummary;
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ");
}
