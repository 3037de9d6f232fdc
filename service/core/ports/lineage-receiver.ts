/** The port to the server that takes OpenLineage events. */

/** What came of an event: `refused` when the server does not take it, whatever happens later, with its HTTP status. */
type SentEvent = { readonly outcome: "received" } | { readonly outcome: "refused"; readonly status: number };

export interface LineageReceiver {
  /**
   * Sends one event.
   * @throws {Error} saying why, without a secret, when it may take it later
   */
  send(event: object, signal: AbortSignal): Promise<SentEvent>;
}
