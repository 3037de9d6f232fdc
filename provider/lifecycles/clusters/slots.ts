/**
 * Queues attempts for the limited slots of a cluster, which rejects further submissions (TooManyQueries). Only the
 * first attempt in the queue runs; after a rejection no attempt runs until a slot may be free.
 */
import { pollDelay } from "../../client/wait-until";
import { formatDuration, type DeadlineClock, type Deadline } from "../deadline";

/** Options of a queued attempt. */
export interface SlotOptions {
  /** Returns true when the error means that all slots are in use. */
  isFull(error: unknown): boolean;
  /** Called with the number of attempts ahead whenever it changes. Not called when the attempt need not wait. */
  onWaiting(ahead: number): void;
  /**
   * Start of the error message when no slot becomes free, such as `the query was not submitted: no slot became free`.
   */
  readonly failureMessage: string;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  readonly clock: DeadlineClock;
}

/** The deadline was reached, or the user interrupted, before a slot became free. Nothing was started. */
export class NoSlotError extends Error {
  override readonly name = "NoSlotError";
  readonly code = "NoSlot";
}

/** Maximum pause between two attempts while all slots are in use, in milliseconds. */
const maxPause = 5_000;
const firstPause = 200;

/** A first-in, first-out queue of attempts. */
export class SlotQueue {
  readonly #queue: symbol[] = [];
  /** Number of attempts that may run before the next rejection is expected. */
  #attempts = Number.POSITIVE_INFINITY;
  #rejections = 0;
  /** Number of slots that this process holds. {@link release} reports their end, so earlier attempts rarely succeed. */
  #heldSlots = 0;
  #changed = Promise.withResolvers<void>();

  /**
   * Runs an attempt when it is first in the queue, and again after each rejection.
   * @throws {NoSlotError} at the deadline or when the signal is aborted; any error of the attempt that is not a
   * rejection.
   */
  async run<Result>(attempt: () => Promise<Result>, options: SlotOptions): Promise<Result> {
    const ticket = Symbol("ticket");
    this.#queue.push(ticket);
    try {
      for (;;) {
        const probing = await this.#waitForTurn(ticket, options);
        this.#attempts -= 1;
        try {
          const result = await attempt();
          this.#rejections = 0;
          this.#heldSlots += 1;
          // If a slot became free without a release, others probably did too.
          if (probing) this.#attempts += 1;
          return result;
        } catch (error) {
          if (!options.isFull(error)) {
            this.#attempts += 1;
            throw error;
          }
          this.#attempts = 0;
          this.#rejections += 1;
        }
      }
    } finally {
      this.#queue.splice(this.#queue.indexOf(ticket), 1);
      this.#notify();
    }
  }

  /** Reports that a slot may have become free. */
  release(): void {
    this.#heldSlots = Math.max(0, this.#heldSlots - 1);
    this.#attempts += 1;
    this.#notify();
  }

  /** Resolves when the ticket may run its attempt; with true when it probes, that is, no free slot was reported. */
  async #waitForTurn(
    ticket: symbol,
    { onWaiting, failureMessage, signal, deadline, clock }: SlotOptions,
  ): Promise<boolean> {
    let reported: number | undefined;
    using timer = new DeadlineTimer(deadline, signal, clock);
    for (;;) {
      if (signal.aborted) {
        throw new NoSlotError(`${failureMessage} before the operation was interrupted: run "pulumi up" again`, {
          cause: signal.reason,
        });
      }
      const ahead = this.#queue.indexOf(ticket);
      if (ahead === 0 && this.#attempts > 0) return false;
      if (ahead !== reported) onWaiting(ahead);
      reported = ahead;
      const remaining = deadline.remaining();
      if (remaining <= 0) {
        const time = formatDuration(deadline.timeout);
        throw new NoSlotError(
          `${failureMessage} within ${time} (${ahead} ahead): increase customTimeouts, or try again later`,
        );
      }
      if (ahead > 0) {
        await Promise.race([this.#changed.promise, timer.wait()]);
      } else {
        const changed = await this.#waitForChange(Math.min(remaining, this.#probeDelay()), signal, clock);
        if (!changed && deadline.remaining() > 0) return true;
      }
    }
  }

  /** Returns the pause before the first ticket probes for a free slot, in milliseconds. */
  #probeDelay(): number {
    const first = this.#heldSlots > 0 ? maxPause : firstPause;
    return pollDelay(this.#rejections, { first, longest: maxPause }, Math.random());
  }

  /** Waits for a change of the queue or for the timeout. Resolves with true when the queue changed. */
  async #waitForChange(milliseconds: number, signal: AbortSignal, clock: DeadlineClock): Promise<boolean> {
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

/** One timer for a whole wait: every change of the queue wakes all who wait, and a new timer for each is slow. */
class DeadlineTimer implements Disposable {
  readonly #end = new AbortController();
  #sleep: Promise<void> | undefined;

  constructor(
    private readonly deadline: Deadline,
    private readonly signal: AbortSignal,
    private readonly clock: DeadlineClock,
  ) {}

  /** Resolves at the deadline, or earlier when the signal is aborted or a timer cannot run that long. */
  wait(): Promise<void> {
    const ended = () => {
      this.#sleep = undefined;
    };
    const wake = () => AbortSignal.any([this.signal, this.#end.signal]);
    this.#sleep ??= this.clock.sleep(this.deadline.remaining(), wake()).then(ended, ended);
    return this.#sleep;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }
}
