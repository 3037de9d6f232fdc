/** Waits for a condition by looking again and again, ever less often. */
import { longestTimer, systemClock, type Clock } from "./clock";
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
  /** Looks once. What it throws ends the wait. The signal is aborted with the wait's own, and soon after the timeout. */
  look(signal: AbortSignal): Promise<Observation>;
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

/** How much longer than the timeout a look that has begun may take, in milliseconds. */
const lookGrace = 5_000;

/**
 * Looks until the condition is true; resolves with what was seen then.
 * @throws {WaitError} at the timeout and at the signal, with what was seen last.
 */
export async function waitUntil<Observation>(options: WaitOptions<Observation>): Promise<Observation> {
  const { clock = systemClock, timeout = Number.POSITIVE_INFINITY, signal, look, until } = options;
  const start = clock.now();
  let last: Observation | undefined;
  using limit = timeLimit(clock, timeout + lookGrace);
  const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  try {
    for (let looks = 0; ; looks += 1) {
      const left = start + timeout - clock.now();
      if (left <= 0) throw giveUp("WaitTimedOut", options, last);
      await clock.sleep(Math.min(pollDelay(looks, options, clock.random()), left), signal);
      last = await look(stop);
      if (until(last)) return last;
      options.observed?.(last);
    }
  } catch (error) {
    if (signal?.aborted) throw giveUp("WaitAborted", options, last);
    throw limit.signal.aborted ? giveUp("WaitTimedOut", options, last) : error;
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

/** A signal that is aborted when the time is over, unless it is disposed of before. */
function timeLimit(clock: Clock, time: number): Disposable & { readonly signal: AbortSignal } {
  const limit = new AbortController();
  const over = new AbortController();
  if (time <= longestTimer)
    clock.sleep(time, over.signal).then(
      () => limit.abort(),
      () => {},
    );
  return { signal: limit.signal, [Symbol.dispose]: () => over.abort() };
}

function giveUp<Observation>(
  code: "WaitTimedOut" | "WaitAborted",
  { what, timeout = 0, signal, describe = JSON.stringify }: WaitOptions<Observation>,
  last: Observation | undefined,
): WaitError<Observation> {
  const why = code === "WaitTimedOut" ? `after ${(timeout / 1_000).toFixed(1)} s` : "because it was interrupted";
  const seen = last === undefined ? "nothing was seen" : `last seen: ${describe(last)}`;
  const cause: unknown = code === "WaitAborted" ? signal?.reason : undefined;
  return new WaitError(code, `gave up waiting for ${what} ${why}; ${seen}`, last, { cause });
}
