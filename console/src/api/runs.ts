/** Queries with how they ran; from a service without these paths, as the API returns them. */
import { ApiError } from "../../../contract/errors";
import { inspectedPage, inspectedQuery, type QueryRead, type QueryRun } from "../../../contract/extension";
import type { QueryRecord, QuerySummary } from "../../../contract/records";
import { call, ConnectionLost, read } from "./client";
import { isRemote } from "./session";

interface Run {
  /** Absent when the service does not tell it. */
  readonly run?: QueryRun;
  /** Why the result is stale. */
  readonly stale?: string | undefined;
}

/** A query in a list. */
export type ListedRun = QuerySummary & Run;
/** One query. */
export type SingleRun = QueryRecord & Run & { readonly reads?: readonly QueryRead[] | undefined };

/** A page of queries. */
export interface RunPage {
  readonly queries: readonly ListedRun[];
  readonly nextMarker?: number | null | undefined;
}

/** False once the service has answered that it does not have these paths. */
let isKnown = true;

/** Lists queries. @param parameters those of listQueries, or `stale` for those whose results are stale */
export function listRuns(parameters: Readonly<Record<string, string | number>>, signal: AbortSignal): Promise<RunPage> {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
  return known(
    () => read(inspectedPage, `/queries?${query}`, { signal }),
    async () => (parameters["stale"] ? { queries: [] } : call("listQueries", { parameters, signal })),
  );
}

/** Returns one query. */
export function getRun(id: number, signal: AbortSignal): Promise<SingleRun> {
  return known<SingleRun>(
    () => read(inspectedQuery, `/queries/${id}`, { signal }),
    () => call("getQuery", { path: { queryId: id }, signal }),
  );
}

async function known<Answer>(inspect: () => Promise<Answer>, ask: () => Promise<Answer>): Promise<Answer> {
  if (!isKnown) return ask();
  try {
    return await inspect();
  } catch (error) {
    // Browsers do not tell a service that does not allow the path to pages of other services from one that is gone.
    const isRefused = error instanceof ConnectionLost && isRemote;
    const isUnknown = error instanceof ApiError && error.status === 404 && error.code !== "QueryNotFound";
    if (!isRefused && !isUnknown) throw error;
    const answer = await ask();
    isKnown = false;
    return answer;
  }
}
