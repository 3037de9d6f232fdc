/** How long an operation may still take. */
import type { LifecycleContext } from "./lifecycle";

export type Clock = Pick<LifecycleContext, "now" | "sleep">;

/** The end of the time that a create, update or delete has. */
export class Deadline {
  readonly #end: number;

  constructor(
    private readonly clock: Clock,
    /** The whole time in milliseconds. */
    readonly timeout: number,
  ) {
    this.#end = clock.now() + timeout;
  }

  /** Milliseconds left; 0 where it is over. */
  left(): number {
    return Math.max(0, this.#end - this.clock.now());
  }

  /** The same as a timer takes it: at least 1, and no more than 2³¹ − 1. */
  timer(): number {
    return Math.max(1, Math.min(this.left(), 2_147_483_647));
  }
}

/** The time that an operation has, from now on. */
export function deadlineOf(context: Clock & Pick<LifecycleContext, "timeout">): Deadline {
  return new Deadline(context, context.timeout);
}

/** The context's time for the client's waits. */
export function waitClock(context: Clock) {
  return {
    now: () => context.now(),
    sleep: (milliseconds: number, signal?: AbortSignal) => context.sleep(milliseconds, signal),
    random: Math.random,
  };
}

/** A time as people write it, such as `1 h 30 min`, `45 s` or `250 ms`. */
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
