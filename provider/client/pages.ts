/** Goes through all pages of a list. */
import { MalformedAnswerError } from "./errors";

/** A page as the lists answer it. */
export interface Page<Marker> {
  readonly isTruncated: boolean;
  readonly nextMarker?: Marker | null | undefined;
}

/**
 * Every record of a list, asked for page by page as they are taken.
 * @param operation for the error's message.
 * @param fetchPage the page at a marker; the first page where there is none.
 * @param records what a page holds.
 * @throws {MalformedAnswerError} where the marker of a truncated page is missing or does not lead on.
 */
export async function* everyRecord<Marker, Result extends Page<Marker>, Entry>(
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
      const message = `${operation}: isTruncated is true, but nextMarker ${JSON.stringify(page.nextMarker)} does not lead to a next page`;
      throw new MalformedAnswerError(message, { operation, sent: true });
    }
    marker = page.nextMarker;
    seen.add(marker);
  }
}
