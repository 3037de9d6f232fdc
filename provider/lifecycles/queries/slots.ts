/**
 * A cluster takes so many submissions at a time and refuses the rest (TooManyQueries). Those who submit stand in line:
 * the first tries, the others wait their turn, and after a refusal nobody tries again before a place may be free.
 */
import { pollDelay } from "../../client/waiter";
import { formatDuration, type Clock, type Deadline } from "../deadline";

/** How somebody stands in line. */
export interface TurnOptions {
  /** Whether an attempt was refused because every place is taken. */
  isFull(error: unknown): boolean;
  /** Told how many are before, whenever that changes; not told at all where there is no waiting. */
  waiting(ahead: number): void;
  /** What did not happen where no turn comes in time, such as `the query was not submitted: no slot became free`. */
  readonly otherwise: string;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  readonly clock: Clock;
}

/** The time was over, or the user interrupted, before a turn came; nothing was begun. */
export class NoSlotError extends Error {
  override readonly name = "NoSlotError";
  readonly code = "NoSlot";
}

/** The longest time between two attempts while every place is taken, in milliseconds. */
const longestPause = 5_000;
const firstPause = 200;

/** Those who wait for a place, in the order in which they came. */
export class SlotQueue {
  readonly #line: symbol[] = [];
  /** How many may try before somebody is refused again. */
  #attempts = Number.POSITIVE_INFINITY;
  #refusals = 0;
  /** How many of ours have a place: the end of one is told, so there is little reason to try before. */
  #inside = 0;
  #changed = Promise.withResolvers<void>();

  /**
   * Runs an attempt when its turn has come, again after each refusal.
   * @throws {NoSlotError} at the deadline and at the signal; what the attempt throws besides refusals.
   */
  async take<Result>(attempt: () => Promise<Result>, options: TurnOptions): Promise<Result> {
    const ticket = Symbol("ticket");
    this.#line.push(ticket);
    try {
      for (;;) {
        const probing = await this.#turn(ticket, options);
        this.#attempts -= 1;
        try {
          const result = await attempt();
          this.#refusals = 0;
          this.#inside += 1;
          // A place that was free without our knowing is seldom the only one.
          if (probing) this.#attempts += 1;
          return result;
        } catch (error) {
          if (!options.isFull(error)) {
            this.#attempts += 1;
            throw error;
          }
          this.#attempts = 0;
          this.#refusals += 1;
        }
      }
    } finally {
      this.#line.splice(this.#line.indexOf(ticket), 1);
      this.#notify();
    }
  }

  /** A place may have become free. */
  released(): void {
    this.#inside = Math.max(0, this.#inside - 1);
    this.#attempts += 1;
    this.#notify();
  }

  /** Resolves when it is the ticket's turn to try; true where nothing says that a place is free. */
  async #turn(ticket: symbol, { waiting, otherwise, signal, deadline, clock }: TurnOptions): Promise<boolean> {
    let told: number | undefined;
    for (;;) {
      if (signal.aborted) {
        throw new NoSlotError(`${otherwise} before the interruption: run "pulumi up" again`, { cause: signal.reason });
      }
      const ahead = this.#line.indexOf(ticket);
      if (ahead === 0 && this.#attempts > 0) return false;
      if (ahead !== told) waiting(ahead);
      told = ahead;
      const left = deadline.left();
      if (left <= 0) {
        const time = formatDuration(deadline.timeout);
        throw new NoSlotError(`${otherwise} within ${time} (${ahead} ahead): raise customTimeouts, or try again later`);
      }
      const pause = ahead === 0 ? this.#pause() : Number.POSITIVE_INFINITY;
      const changed = await this.#change(Math.min(left, pause), signal, clock);
      if (!changed && ahead === 0 && deadline.left() > 0) return true;
    }
  }

  /** How long the first in the line waits before it tries without knowing of a free place, in milliseconds. */
  #pause(): number {
    const first = this.#inside > 0 ? longestPause : firstPause;
    return pollDelay(this.#refusals, { first, longest: longestPause }, Math.random());
  }

  /** Waits for the line to move or for the time to pass; says whether it moved. */
  async #change(milliseconds: number, signal: AbortSignal, clock: Clock): Promise<boolean> {
    const moved = new AbortController();
    const sleep = clock.sleep(milliseconds, AbortSignal.any([signal, moved.signal])).then(
      () => false,
      () => true,
    );
    try {
      return await Promise.race([this.#changed.promise.then(() => true), sleep]);
    } finally {
      moved.abort();
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
