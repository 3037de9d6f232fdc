/** Iterates over all pages of a list. */
import { MalformedAnswerError } from "./errors";

/** A page of a list response. */
export interface Page<Marker> {
  readonly isTruncated: boolean;
  readonly nextMarker?: Marker | null | undefined;
}

/**
 * Yields every record of a list. Fetches a page only when its records are needed.
 * @param operation name of the operation, for the error message.
 * @param fetchPage fetches the page at a marker, or the first page without a marker.
 * @param records returns the records of a page.
 * @throws {MalformedAnswerError} when the marker of a truncated page is missing or repeats an earlier one.
 */
export async function* paginate<Marker, Result extends Page<Marker>, Entry>(
  operation: string,
  fetchPage: (marker: Marker | undefined) => Promise<Result>,
  records: (page: Result) => readonly Entry[],
): AsyncGenerator<Entry, void, undefined> {
  const seen = new Set<Marker>();
  let marker: Marker | undefined;
  for (;;) {
    const page = await fetchPage(marker);
    yield* records(page);
    if (!page.isTruncated) return;
    if (page.nextMarker === null || page.nextMarker === undefined || seen.has(page.nextMarker)) {
      const message = `${operation}: isTruncated is true, but nextMarker ${JSON.stringify(page.nextMarker)} is missing or was returned before, so the next page cannot be fetched`;
      throw new MalformedAnswerError(message, { operation, sent: true });
    }
    marker = page.nextMarker;
    seen.add(marker);
  }
}
