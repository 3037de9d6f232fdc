/** Waits for a condition by looking again and again, ever less often. */
import { systemClock, type Clock } from "./clock";
import { WaitError } from "./errors";

/** How often is looked. */
export interface PollTiming {
  /** Milliseconds before the first look. @default 50 */
  readonly first?: number;
  /** The longest time between two looks in milliseconds. @default 5000 */
  readonly longest?: number;
}

export const defaultPollTiming = { first: 50, longest: 5_000 } as const;

/** What is waited for, and how long. */
export interface WaitOptions<Observation> extends PollTiming {
  /** What is waited for, for the message of the error, such as `cluster "demo" to be norm`. */
  readonly what: string;
  /** Looks once. What it throws ends the wait. */
  look(signal: AbortSignal | undefined): Promise<Observation>;
  /** Whether the wait is over. */
  until(observation: Observation): boolean;
  /** Told of every look that did not end the wait. */
  observed?(observation: Observation): void;
  /** What was seen, in a few words, for the message of the error. */
  describe?(observation: Observation): string;
  /** Milliseconds after which the wait is given up. @default no limit */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @default this machine's time */
  readonly clock?: Clock;
}

/**
 * Looks until the condition is true; resolves with what was seen then.
 * @throws {WaitError} at the timeout and at the signal, with what was seen last.
 */
export async function waitUntil<Observation>(options: WaitOptions<Observation>): Promise<Observation> {
  const { clock = systemClock, timeout = Number.POSITIVE_INFINITY, signal, look, until } = options;
  const start = clock.now();
  let last: Observation | undefined;
  const giveUp = (code: "WaitTimedOut" | "WaitAborted", cause?: unknown) => {
    const seen =
      last === undefined ? "nothing was seen" : `last seen: ${options.describe?.(last) ?? JSON.stringify(last)}`;
    const why = code === "WaitTimedOut" ? `after ${(timeout / 1_000).toFixed(1)} s` : "because it was interrupted";
    return new WaitError(code, `gave up waiting for ${options.what} ${why}; ${seen}`, last, {
      cause,
    });
  };
  for (let looks = 0; ; looks += 1) {
    const left = start + timeout - clock.now();
    if (left <= 0) throw giveUp("WaitTimedOut");
    try {
      await clock.sleep(Math.min(pollDelay(looks, options, clock.random()), left), signal);
      last = await look(signal);
    } catch (error) {
      throw signal?.aborted ? giveUp("WaitAborted", signal.reason) : error;
    }
    if (until(last)) return last;
    options.observed?.(last);
  }
}

/**
 * Milliseconds before a look: `first`, then half as long again each time up to `longest`, each shortened by up to a
 * quarter so that many who wait do not look at once.
 * @param looks how often was looked before.
 * @param random from 0 up to but not including 1.
 */
export function pollDelay(looks: number, timing: PollTiming, random: number): number {
  const { first = defaultPollTiming.first, longest = defaultPollTiming.longest } = timing;
  const grown = Math.min(first * 1.5 ** Math.min(looks, 64), Math.max(longest, 1));
  return looks === 0 ? grown : grown * (1 - random / 4);
}
