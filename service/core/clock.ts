/** The system clock, and a clock that tests advance. */
import { errors } from "../../contract";
import type { Clock } from "./ports/platform";

/** Milliseconds of the longest timer: 24.8 days. Node.js ends a longer one at once. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      let timer = wait(milliseconds);
      function wait(rest: number): NodeJS.Timeout {
        if (rest <= longestTimer) return setTimeout(done, rest);
        return setTimeout(() => (timer = wait(rest - longestTimer)), longestTimer);
      }
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done);
    }),
};

/** Milliseconds by which a clock can be ahead: 100 years, so that its dates have four digits for the year. */
const maxAhead = 36_525 * 86_400_000;

/** The system time plus the time by which {@link advance} was called. */
export class AdvanceableClock implements Clock {
  #ahead = 0;
  readonly #sleepers = new Set<() => void>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  /**
   * Advances the time and ends the sleeps that are due.
   * @throws InvalidParameter for less than 0, or when the clock would be more than 100 years ahead in all
   */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0 && this.#ahead + milliseconds <= maxAhead)) {
      throw new errors.InvalidParameter(
        `advanceMs ${milliseconds} is not valid: it must be 0 or more, and the clock at most 100 years (${maxAhead} ms) ahead in all; a reset returns it to the system time`,
        { field: "advanceMs" },
      );
    }
    this.#ahead += milliseconds;
    for (const wakeIfDue of this.#sleepers) wakeIfDue();
  }

  /** Returns to the system time. */
  reset(): void {
    this.#ahead = 0;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const until = this.now() + milliseconds;
    const woken = new AbortController();
    const wakeIfDue = () => void (this.now() >= until && woken.abort());
    this.#sleepers.add(wakeIfDue);
    await systemClock.sleep(milliseconds, signal ? AbortSignal.any([signal, woken.signal]) : woken.signal);
    this.#sleepers.delete(wakeIfDue);
  }
}
