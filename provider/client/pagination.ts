/** Iterates over all pages of a list. */
import { MalformedAnswerError } from "./errors";

/** A page of a list response. */
export interface Page<Marker> {
  readonly isTruncated: boolean;
  readonly nextMarker?: Marker | null | undefined;
}

/** Pages without a new record, one after another, after which a list ends with an error. A filter may make some. */
const maxEmptyPages = 100;
/** Pages after which a list ends with an error: a million queries at 100 a page. */
const maxPages = 10_000;

/**
 * Yields every record of a list, each once. Fetches a page only when its records are needed.
 * @param operation name of the operation, for the error message.
 * @param fetchPage fetches the page at a marker, or the first page without a marker.
 * @param records returns the records of a page.
 * @param keyOf returns what is unique to a record.
 * @throws {MalformedAnswerError} when the marker of a truncated page is missing or repeats an earlier one, and when the
 * list does not end.
 */
export async function* paginate<Marker, Result extends Page<Marker>, Entry>(
  operation: string,
  fetchPage: (marker: Marker | undefined) => Promise<Result>,
  records: (page: Result) => readonly Entry[],
  keyOf: (entry: Entry) => unknown,
): AsyncGenerator<Entry, void, undefined> {
  const malformed = (problem: string) =>
    new MalformedAnswerError(`${operation}: ${problem}; check that the endpoint is the service's own URL`, {
      operation,
      sent: true,
    });
  const markers = new Set<Marker>();
  const keys = new Set<unknown>();
  let empty = 0;
  let marker: Marker | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(marker);
    const before = keys.size;
    for (const entry of records(page)) {
      // A record may move to the next page when the list changes between two requests.
      if (keys.has(keyOf(entry))) continue;
      keys.add(keyOf(entry));
      yield entry;
    }
    if (!page.isTruncated) return;
    const { nextMarker } = page;
    if (nextMarker === null || nextMarker === undefined || markers.has(nextMarker)) {
      throw malformed(
        `isTruncated is true, but nextMarker ${JSON.stringify(nextMarker)} is missing or was returned before, so the next page cannot be fetched`,
      );
    }
    empty = keys.size === before ? empty + 1 : 0;
    if (empty >= maxEmptyPages) throw malformed(`the list has ${empty} pages without a new record, and does not end`);
    if (pages >= maxPages) throw malformed(`the list has more than ${maxPages} pages`);
    marker = nextMarker;
    markers.add(marker);
  }
}
