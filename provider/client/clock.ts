/** Time as the pure parts of the client (retry, wait, poll) are given it, so that tests can give another. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 up to but not including 1. */
  random(): number;
}

/** The longest time that a timer can take, in milliseconds: a longer one would end at once. */
export const longestTimer = 2_147_483_647;

/** This machine's time. */
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
