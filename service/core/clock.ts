/** The machine's time, and one that tests move on by hand. */
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

/** A clock that goes with the machine's time, plus what it was advanced by. */
export class AdvanceableClock implements Clock {
  #ahead = 0;
  readonly #sleepers = new Set<() => void>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Moves the time on; sleeps whose time has come end. */
  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
    for (const wakeIfDue of this.#sleepers) wakeIfDue();
  }

  /** Back to the machine's time. */
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
