/** The port to the server that takes OpenLineage events. */

export interface LineageReceiver {
  /**
   * Sends one event.
   * @returns `refused` when the server does not take this event, whatever happens later
   * @throws {Error} saying why, without a secret, when it may take it later
   */
  send(event: object, signal: AbortSignal): Promise<"received" | "refused">;
}
