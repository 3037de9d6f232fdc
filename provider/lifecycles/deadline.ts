/** Deadlines of operations. */
import type { LifecycleContext } from "./lifecycle";

export type DeadlineClock = Pick<LifecycleContext, "now" | "sleep">;

/** The deadline of a create, update or delete. */
export class Deadline {
  readonly #end: number;

  constructor(
    private readonly clock: DeadlineClock,
    /** Total time of the operation, in milliseconds. */
    readonly timeout: number,
  ) {
    this.#end = clock.now() + timeout;
  }

  /** Returns the remaining milliseconds; 0 after the deadline. */
  remaining(): number {
    return Math.max(0, this.#end - this.clock.now());
  }

  /** Returns the remaining milliseconds limited to the range of a timer: at least 1, at most 2³¹ − 1. */
  remainingForTimer(): number {
    return Math.max(1, Math.min(this.remaining(), 2_147_483_647));
  }
}

/** Starts the deadline of an operation now. */
export function startDeadline(context: DeadlineClock & Pick<LifecycleContext, "timeout">): Deadline {
  return new Deadline(context, context.timeout);
}

/** Returns the context's clock in the form that the client's waits use. */
export function clientClock(context: DeadlineClock) {
  return {
    now: () => context.now(),
    sleep: (milliseconds: number, signal?: AbortSignal) => context.sleep(milliseconds, signal),
    random: Math.random,
  };
}

/** Formats a duration, such as `1 h 30 min`, `45 s` or `250 ms`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1_000);
  const parts = [
    [Math.floor(seconds / 3_600), "h"],
    [Math.floor((seconds % 3_600) / 60), "min"],
    [seconds % 60, "s"],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}
