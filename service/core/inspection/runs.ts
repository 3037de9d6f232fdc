/** How queries ran, for the console: `GET /queries` and `GET /queries/<queryId>`. */
import {
  formatLocation,
  limits,
  type InspectedPage,
  type InspectedQuery,
  type QueryRead,
  type QueryRun,
  type RequestParameters,
} from "../../../contract";
import type { ListedQuery, StoredQuery } from "../ports/state";
import { findQuery, listedSummary, readPage, recordOf, summaryOf } from "../queries/query-operations";
import type { ServiceContext } from "../service-context";
import { searchRuns, type RunSearch } from "./search";
import { nameOf, Staleness } from "./staleness";

/** Returns the page that listQueries returns, with how each query ran. */
export async function listRuns(
  context: ServiceContext,
  parameters: RequestParameters<"listQueries">,
): Promise<InspectedPage> {
  const { queries, ...page } = await readPage(context, parameters);
  return { ...page, queries: queries.map((query) => listed(context, query)) };
}

/** Returns a page of the queries that a search finds, with how each ran. A page may have few although there are more. */
export async function findRuns(
  context: ServiceContext,
  parameters: RequestParameters<"listQueries">,
  search: RunSearch,
): Promise<InspectedPage> {
  const { queries, ...page } = await searchRuns(context, parameters, search);
  return {
    ...page,
    isTruncated: page.nextMarker !== undefined,
    queries: queries.map((query) => listed(context, query)),
  };
}

const listed = (context: ServiceContext, query: ListedQuery) => ({
  ...listedSummary(query),
  run: runOf(context, query),
});

/** Publications that are examined for a page of stale results. */
const maxExamined = 200;

/** Returns queries whose results are stale and still there, the newest first. A page may have few although there are more. */
export async function listStale(
  context: ServiceContext,
  { max = limits.listPage, marker = Number.MAX_SAFE_INTEGER }: Pick<RequestParameters<"listQueries">, "max" | "marker">,
): Promise<InspectedPage> {
  const found = await context.state.reads.newest(marker, maxExamined);
  const staleness = new Staleness(context);
  await staleness.readAhead(found.map(({ queryId }) => queryId));
  const queries: InspectedPage["queries"] = [];
  let last = marker;
  for (const published of found) {
    if (queries.length === max) return { isTruncated: true, nextMarker: last, queries };
    last = published.queryId;
    const stale = await staleness.reasonOf(published);
    if (stale === undefined || (await staleness.deletedOf([published])).size > 0) continue;
    const query = await context.state.queries.get(published.queryId);
    if (query) queries.push({ ...summaryOf(query), run: runOf(context, query), stale });
  }
  const isTruncated = found.length === maxExamined;
  return { isTruncated, ...(isTruncated ? { nextMarker: last } : {}), queries };
}

/** Returns what getQuery returns, with how the query ran and what it read. @throws QueryNotFound */
export async function describeRun(context: ServiceContext, id: number): Promise<InspectedQuery> {
  const query = await findQuery(context, id);
  const record = { ...recordOf(query), run: runOf(context, query) };
  if (query.status !== "finished") return record;
  const staleness = new Staleness(context);
  const reads = await staleness.readsOf(id);
  if (reads.length === 0) return record;
  const stale = await staleness.reasonOf({ queryId: id });
  const described: QueryRead[] = [];
  for (const read of reads) {
    const { kind, folder, objects, bytes, fingerprint } = read;
    const known = { objects, bytes, fingerprint, change: (await staleness.changeOf(read)) ?? null };
    const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
    described.push({ kind, location: formatLocation(folder), name: nameOf(read), ...given });
  }
  return { ...record, reads: described, ...(stale === undefined ? {} : { stale }) };
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
