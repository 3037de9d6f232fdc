/**
 * Repeats calls that failed for a passing reason. The quota is that of the AWS SDKs' standard mode, so that a service in
 * trouble does not get more requests from us than usual.
 */
import type { Clock } from "./clock";

/** What a failure means for repeating. */
export interface RetryVerdict {
  /** `never`: the error is final. `throttled`: the service asked for patience. `transient`: everything else that may pass. */
  readonly kind: "never" | "transient" | "throttled";
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter?: number | undefined;
}

/** How one call may be repeated. */
export interface RetryOptions {
  /** What a failed try means. */
  judge(error: unknown): RetryVerdict;
  /** How often the call may be repeated after the first try. */
  readonly maxRetries: number;
  /** Ends the wait for the next try; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** When the call must have ended, on the clock; a try that could only begin later is not waited for. */
  readonly deadline?: number | undefined;
}

export const retryTiming = {
  /** Milliseconds before the first repetition, at most; doubled for each further one. */
  base: 50,
  /** The same where the service asked for patience. */
  throttledBase: 1_000,
  /** The longest wait between two tries in milliseconds, unless Retry-After asks for more. */
  longest: 20_000,
  /** The longest Retry-After that is waited for in milliseconds; a longer one is taken as this. */
  longestRetryAfter: 60_000,
} as const;

/** Tokens that all calls of a client share: each repetition takes some, each success gives some back. */
export const retryQuota = {
  tokens: 500,
  /** For a repetition after a transient failure. */
  transientCost: 14,
  /** For a repetition after the service asked for patience. */
  throttledCost: 5,
  /** Given back by a call that succeeds at its first try; any other gives back what its last repetition took. */
  refund: 1,
} as const;

/** Repeats calls under one shared quota. */
export class RetryPolicy {
  #tokens: number = retryQuota.tokens;

  constructor(private readonly clock: Clock) {}

  /**
   * Calls `attempt` until it succeeds.
   * @throws the last try's error when it is final, when the retries or the quota are used up, or when the next try
   * would begin after the deadline; the signal's reason when it is aborted between two tries.
   */
  async run<Result>(attempt: () => Promise<Result>, options: RetryOptions): Promise<Result> {
    const { maxRetries, signal, deadline } = options;
    let refund: number = retryQuota.refund;
    for (let retries = 0; ; retries += 1) {
      try {
        const result = await attempt();
        this.#tokens = Math.min(retryQuota.tokens, this.#tokens + refund);
        return result;
      } catch (error) {
        const verdict = options.judge(error);
        if (verdict.kind === "never" || retries >= maxRetries) throw error;
        const delay = retryDelay(retries, verdict, this.clock.random());
        if (deadline !== undefined && this.clock.now() + delay >= deadline) throw error;
        const cost = verdict.kind === "throttled" ? retryQuota.throttledCost : retryQuota.transientCost;
        if (this.#tokens < cost) throw error;
        this.#tokens -= cost;
        refund = cost;
        await this.clock.sleep(delay, signal);
      }
    }
  }
}

/**
 * Milliseconds to wait before a repetition: exponential with full jitter, but no less than Retry-After.
 * @param retries how often the call was repeated before.
 * @param random from 0 up to but not including 1.
 */
export function retryDelay(retries: number, { kind, retryAfter = 0 }: RetryVerdict, random: number): number {
  const base = kind === "throttled" ? retryTiming.throttledBase : retryTiming.base;
  const jittered = random * Math.min(base * 2 ** retries, retryTiming.longest);
  return Math.round(Math.max(jittered, Math.min(retryAfter, retryTiming.longestRetryAfter)));
}

/** Milliseconds that a Retry-After header asks to wait: seconds, or a date. Undefined where it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
