/** Waits for a condition by polling with increasing intervals. */
import { longestTimer, systemClock, type Clock } from "./clock";
import { WaitError } from "./errors";

/** Intervals between polls. */
export interface PollTiming {
  /** Delay before the first poll, in milliseconds. @default 50 */
  readonly first?: number;
  /** Maximum interval between two polls, in milliseconds. @default 5000 */
  readonly longest?: number;
}

export const defaultPollTiming = { first: 50, longest: 5_000 } as const;

/** Options of a wait. */
export interface WaitOptions<Observation> extends PollTiming {
  /** Description of the awaited condition for the error message, such as `cluster "demo" to be norm`. */
  readonly what: string;
  /**
   * Polls once. An error ends the wait. The signal is aborted with the wait's own signal, and 5 seconds after the
   * timeout.
   */
  look(signal: AbortSignal): Promise<Observation>;
  /** Returns true when the condition is met. */
  until(observation: Observation): boolean;
  /** Called with the observation of every poll that did not end the wait. */
  observed?(observation: Observation): void;
  /** Formats an observation for the error message. @default JSON */
  describe?(observation: Observation): string;
  /** Milliseconds after which the wait ends with an error. @default no limit */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** Time after the timeout in which a running poll may finish, in milliseconds. */
const pollGrace = 5_000;

/**
 * Polls until the condition is met and resolves with the last observation.
 * @throws {WaitError} at the timeout or when the signal is aborted, with the last observation.
 */
export async function waitUntil<Observation>(options: WaitOptions<Observation>): Promise<Observation> {
  const { clock = systemClock, timeout = Number.POSITIVE_INFINITY, signal, look, until } = options;
  const start = clock.now();
  let last: Observation | undefined;
  using limit = timeLimit(clock, timeout + pollGrace);
  const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  try {
    for (let polls = 0; ; polls += 1) {
      const left = start + timeout - clock.now();
      if (left <= 0) throw waitError("WaitTimedOut", options, last);
      await clock.sleep(Math.min(pollDelay(polls, options, clock.random()), left), signal);
      last = await look(stop);
      if (until(last)) return last;
      options.observed?.(last);
    }
  } catch (error) {
    if (signal?.aborted) throw waitError("WaitAborted", options, last);
    throw limit.signal.aborted ? waitError("WaitTimedOut", options, last) : error;
  }
}

/**
 * Returns the delay before a poll in milliseconds: `first`, then 1.5 times longer each time, up to `longest`. Each
 * delay is shortened by up to a quarter so that many waits do not poll at the same time.
 * @param polls number of polls already made.
 * @param random number from 0 up to but not including 1.
 */
export function pollDelay(polls: number, timing: PollTiming, random: number): number {
  const { first = defaultPollTiming.first, longest = defaultPollTiming.longest } = timing;
  const grown = Math.min(first * 1.5 ** Math.min(polls, 64), Math.max(longest, 1));
  return polls === 0 ? grown : grown * (1 - random / 4);
}

/** Creates a signal that is aborted after a time, unless it is disposed of first. */
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

function waitError<Observation>(
  code: "WaitTimedOut" | "WaitAborted",
  { what, timeout = 0, signal, describe = JSON.stringify }: WaitOptions<Observation>,
  last: Observation | undefined,
): WaitError<Observation> {
  const end = code === "WaitTimedOut" ? `timed out after ${(timeout / 1_000).toFixed(1)} s` : "was aborted";
  const observed = last === undefined ? "nothing was observed" : `last observed: ${describe(last)}`;
  const cause: unknown = code === "WaitAborted" ? signal?.reason : undefined;
  return new WaitError(code, `the wait for ${what} ${end}; ${observed}`, last, { cause });
}
