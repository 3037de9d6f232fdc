/** The clock of the client's retries, waits and polls. Tests replace it. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Returns a random number from 0 up to but not including 1. */
  random(): number;
}

/** Maximum delay of a Node.js timer, in milliseconds. A longer delay would fire at once. */
export const longestTimer = 2_147_483_647;

/** The system clock. */
export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    try {
      await sleep(milliseconds, undefined, signal && { signal });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
