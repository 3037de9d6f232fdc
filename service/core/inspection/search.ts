/** What `GET /queries` finds besides the filters of listQueries: a text of the statement, dates, and the longest queries. */
import { errors, limits, type RequestParameters } from "../../../contract";
import type { ListedQuery } from "../ports/state";
import { readPage } from "../queries/query-operations";
import type { ServiceContext } from "../service-context";

export interface RunSearch {
  /** Only selects whose statement has this text, in any case. */
  readonly text?: string | undefined;
  /** Only queries that were submitted at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only queries that were submitted before this time. */
  readonly until?: number | undefined;
  /** `duration` for the longest first, those that run by their time so far. */
  readonly sort?: "duration" | undefined;
}

/** Queries that one request examines. */
const maxExamined = 10_000;
/** Statements longer than a list has them that one request reads. */
const maxWholeStatements = 1000;
/** Queries that are read at a time. */
const blockSize = 1000;

/** A page of queries. */
interface SearchPage {
  readonly queries: readonly ListedQuery[];
  /** Set when there may be more. */
  readonly nextMarker?: number;
}

/** Returns queries, the newest first or the longest first. A page may have few although there are more. */
export async function searchRuns(
  context: ServiceContext,
  { max = limits.listPage, marker, ...filters }: RequestParameters<"listQueries">,
  search: RunSearch,
): Promise<SearchPage> {
  if (search.sort === undefined) return matching(context, { ...filters, marker, max }, search);
  const { queries } = await matching(context, { ...filters, max: maxExamined }, search);
  const now = context.platform.clock.now();
  const durationOf = ({ startTime, endTime, status }: ListedQuery) =>
    status === "running" ? now - startTime : endTime === null ? -1 : endTime - startTime;
  const sorted = queries.toSorted((a, b) => durationOf(b) - durationOf(a) || b.id - a.id);
  const from = marker === undefined ? 0 : sorted.findIndex(({ id }) => id === marker) + 1;
  if (marker !== undefined && from === 0) {
    throw new errors.InvalidParameter(
      `marker ${marker} is not among the newest ${maxExamined.toLocaleString("en")} queries: begin again without marker`,
      { field: "marker" },
    );
  }
  const page = sorted.slice(from, from + max);
  return { queries: page, ...(from + max < sorted.length ? { nextMarker: page.at(-1)!.id } : {}) };
}

/** Reads blocks of queries from the marker on until the page is full or enough queries were examined. */
async function matching(
  context: ServiceContext,
  { max = limits.listPage, marker, ...filters }: RequestParameters<"listQueries">,
  { text, since = 0, until = Number.POSITIVE_INFINITY }: RunSearch,
): Promise<SearchPage> {
  const wanted = text?.toLowerCase();
  const queries: ListedQuery[] = [];
  let [examined, whole] = [0, 0];
  for (let next = marker; ;) {
    const block = await readPage(context, {
      ...filters,
      max: blockSize,
      ...(next === undefined ? {} : { marker: next }),
    });
    for (const query of block.queries) {
      const isFull = queries.length === max || examined === maxExamined || whole === maxWholeStatements;
      if (isFull) return { queries, nextMarker: next! };
      next = query.id;
      examined += 1;
      if (query.startTime < since || query.startTime >= until) continue;
      if (wanted === undefined) queries.push(query);
      else if (query.excerpt?.toLowerCase().includes(wanted)) queries.push(query);
      else if (query.excerpt !== null && query.excerpt.length >= limits.listedStatement) {
        whole += 1;
        const found = await context.state.queries.get(query.id);
        if (found?.type === "select" && found.query.toLowerCase().includes(wanted)) queries.push(query);
      }
    }
    if (block.nextMarker === undefined) return { queries };
  }
}
