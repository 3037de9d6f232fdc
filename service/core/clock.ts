/** The system clock, and a clock that tests advance. */
import type { Clock } from "./ports/platform";

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(done, milliseconds);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done);
    }),
};

/** The system time plus the time by which {@link advance} was called. */
export class AdvanceableClock implements Clock {
  #ahead = 0;
  readonly #sleepers = new Set<() => void>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Advances the time and ends the sleeps that are due. */
  advance(milliseconds: number): void {
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
