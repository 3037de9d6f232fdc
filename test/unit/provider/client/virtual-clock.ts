/** A virtual clock that advances only when all work waits for it. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../../provider/client";

interface Sleeper {
  readonly at: number;
  wake(): void;
}

export class VirtualClock implements Clock {
  /** All started sleeps, in milliseconds. */
  readonly sleeps: number[] = [];
  #now = Date.UTC(2026, 10, 20);
  readonly #sleepers = new Set<Sleeper>();

  constructor(private readonly randomValue: () => number = () => 0.5) {}

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.randomValue();
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(milliseconds);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { at: this.#now + milliseconds, wake: () => (stop(), resolve()) };
      const abort = () => (stop(), reject(signal!.reason));
      const stop = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort);
      this.#sleepers.add(sleeper);
    });
  }

  /** Number of pending sleeps. */
  get pending(): number {
    return this.#sleepers.size;
  }

  /** Advances the time until the work has settled; returns its outcome. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    const state = { settled: false };
    const watched = Promise.allSettled([work]).then(() => (state.settled = true));
    await idle();
    while (!state.settled) {
      this.#wakeNext();
      await idle();
    }
    await watched;
    return work;
  }

  /** Advances the time by a duration. */
  async pass(milliseconds: number): Promise<void> {
    await this.run(this.sleep(milliseconds));
  }

  #wakeNext(): void {
    const next = [...this.#sleepers].toSorted((a, b) => a.at - b.at)[0];
    if (!next) return;
    this.#now = Math.max(this.#now, next.at);
    next.wake();
  }
}

async function idle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}
