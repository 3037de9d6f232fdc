/**
 * Retries calls after transient failures. The retry quota is that of the AWS SDKs' standard mode: it prevents clients
 * from overloading a failing service with retries.
 */
import type { Clock } from "./clock";

/** Classification of a failed attempt: whether and when it may be retried. */
export interface FailureClassification {
  /**
   * `never`: the error is permanent. `throttled`: the service limits the request rate. `transient`: any other temporary
   * failure.
   */
  readonly kind: "never" | "transient" | "throttled";
  /** Delay that the service requested, in milliseconds. */
  readonly retryAfter?: number | undefined;
}

/** Retry options of one call. */
export interface RetryOptions {
  /** Classifies the error of a failed attempt. */
  classify(error: unknown): FailureClassification;
  /** Maximum number of retries after the first attempt. */
  readonly maxRetries: number;
  /** Aborts the wait for the next attempt; `run` then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time at which the call must have ended. A retry that would start later is not made. */
  readonly deadline?: number | undefined;
}

/** Delays between attempts. */
export const retryTiming = {
  /** Maximum delay before the first retry, in milliseconds; doubled for each further retry. */
  base: 50,
  /** The same for throttled requests. */
  throttledBase: 1_000,
  /** Maximum delay between two attempts in milliseconds, unless Retry-After is longer. */
  longest: 20_000,
  /** Upper limit for Retry-After, in milliseconds. */
  longestRetryAfter: 60_000,
} as const;

/** Token bucket that all calls of a client share: each retry takes tokens, each success returns some. */
const retryQuota = {
  tokens: 500,
  /** Cost of a retry after a transient failure. */
  transientCost: 14,
  /** Cost of a retry after a throttled request. */
  throttledCost: 5,
  /** Refund of a call that succeeds at its first attempt. Any other success refunds the cost of its last retry. */
  refund: 1,
} as const;

/** Retries calls with one shared quota. */
export class RetryPolicy {
  #tokens: number = retryQuota.tokens;

  constructor(private readonly clock: Clock) {}

  /**
   * Calls `attempt` until it succeeds.
   * @throws the last attempt's error when it is permanent, when the retries or the quota are used up, or when the next
   * attempt would start after the deadline; the signal's reason when the signal is aborted between two attempts.
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
        const failure = options.classify(error);
        if (failure.kind === "never" || retries >= maxRetries) throw error;
        const delay = retryDelay(retries, failure, this.clock.random());
        if (deadline !== undefined && this.clock.now() + delay >= deadline) throw error;
        const cost = failure.kind === "throttled" ? retryQuota.throttledCost : retryQuota.transientCost;
        if (this.#tokens < cost) throw error;
        this.#tokens -= cost;
        refund = cost;
        await this.clock.sleep(delay, signal);
      }
    }
  }
}

/**
 * Returns the delay before a retry in milliseconds: exponential backoff with full jitter, but at least Retry-After.
 * @param retries number of retries already made.
 * @param random number from 0 up to but not including 1.
 */
export function retryDelay(retries: number, { kind, retryAfter = 0 }: FailureClassification, random: number): number {
  const base = kind === "throttled" ? retryTiming.throttledBase : retryTiming.base;
  const jittered = random * Math.min(base * 2 ** retries, retryTiming.longest);
  return Math.round(Math.max(jittered, Math.min(retryAfter, retryTiming.longestRetryAfter)));
}

/** Parses a Retry-After header, in seconds or a date, into milliseconds. Returns undefined for any other value. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
