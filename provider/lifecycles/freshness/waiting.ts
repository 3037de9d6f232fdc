/** Waits for what the program registers. */

/** How a wait sleeps, and what ends it. */
export interface Waiting {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  readonly signal: AbortSignal;
}
