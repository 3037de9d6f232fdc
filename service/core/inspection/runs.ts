/** How queries ran, for the console: `GET /queries` and `GET /queries/<queryId>`. */
import type { InspectedPage, InspectedQuery, QueryRun, RequestParameters } from "../../../contract";
import type { ListedQuery, StoredQuery } from "../ports/state";
import { findQuery, listedSummary, readPage, recordOf } from "../queries/query-operations";
import type { ServiceContext } from "../service-context";

/** Returns the page that listQueries returns, with how each query ran. */
export async function listRuns(
  context: ServiceContext,
  parameters: RequestParameters<"listQueries">,
): Promise<InspectedPage> {
  const { queries, ...page } = await readPage(context, parameters);
  return { ...page, queries: queries.map((query) => ({ ...listedSummary(query), run: runOf(context, query) })) };
}

/** Returns what getQuery returns, with how the query ran. @throws QueryNotFound */
export async function describeRun(context: ServiceContext, id: number): Promise<InspectedQuery> {
  const query = await findQuery(context, id);
  return { ...recordOf(query), run: runOf(context, query) };
}

/** A clock that was set back makes no negative time. */
const between = (from: number, to: number) => Math.max(0, to - from);

function runOf({ platform }: ServiceContext, query: ListedQuery | StoredQuery): QueryRun {
  const { status, startTime, endTime, movedTime, rows } = query;
  const counted = rows === null ? {} : { rows };
  if (status !== "running") {
    return endTime === null ? counted : { milliseconds: between(startTime, endTime), ...counted };
  }
  const now = platform.clock.now();
  return { milliseconds: between(startTime, now), unmoved: between(movedTime ?? startTime, now) };
}
