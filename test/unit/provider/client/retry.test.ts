import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../provider/client";
import {
  parseRetryAfter,
  retryDelay,
  RetryPolicy,
  type FailureClassification,
} from "../../../../provider/client/retry";
import { VirtualClock } from "./virtual-clock";

const transient: FailureClassification = { kind: "transient" };
const throttled: FailureClassification = { kind: "throttled" };

/** Runs work that fails the given number of times before it succeeds. */
async function run(
  failures: number,
  verdict: FailureClassification,
  options: { maxRetries?: number; deadline?: number } = {},
) {
  const clock = new VirtualClock();
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    if (tries <= failures) throw new Error(`failure ${tries}`);
    return "done";
  };
  const { maxRetries = 8, deadline } = options;
  const work = new RetryPolicy(clock).run(attempt, {
    classify: () => verdict,
    maxRetries,
    deadline: deadline === undefined ? undefined : clock.now() + deadline,
  });
  const outcome = await clock.run(work.catch((error: Error) => error.message));
  return { outcome, tries, sleeps: clock.sleeps };
}

describe("RetryPolicy", () => {
  it("does not retry a success", async () => {
    expect(await run(0, transient)).toEqual({ outcome: "done", tries: 1, sleeps: [] });
  });

  it("retries with doubled delays from 50 ms, half of each at a random number of 0.5", async () => {
    expect(await run(6, transient)).toEqual({ outcome: "done", tries: 7, sleeps: [25, 50, 100, 200, 400, 800] });
  });

  it("retries throttled requests with doubled delays from 1 s, up to 20 s", async () => {
    expect((await run(6, throttled)).sleeps).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000]);
  });

  it("waits for Retry-After if it is longer, but at most one minute", async () => {
    expect((await run(2, { kind: "throttled", retryAfter: 3_000 })).sleeps).toEqual([3_000, 3_000]);
    expect((await run(1, { kind: "transient", retryAfter: 3_600_000 })).sleeps).toEqual([60_000]);
    expect((await run(1, { kind: "throttled", retryAfter: 10 })).sleeps).toEqual([500]);
  });

  it("throws the last error when the retries are used up", async () => {
    expect(await run(9, transient, { maxRetries: 2 })).toEqual({ outcome: "failure 3", tries: 3, sleeps: [25, 50] });
    expect(await run(9, transient, { maxRetries: 0 })).toEqual({ outcome: "failure 1", tries: 1, sleeps: [] });
  });

  it("throws a permanent error at once", async () => {
    expect(await run(9, { kind: "never" })).toEqual({ outcome: "failure 1", tries: 1, sleeps: [] });
  });

  it("does not wait for an attempt that would start after the deadline", async () => {
    expect(await run(9, transient, { deadline: 80 })).toEqual({ outcome: "failure 3", tries: 3, sleeps: [25, 50] });
  });

  it("ends with the signal's reason when it is aborted between two attempts", async () => {
    const stop = new AbortController();
    const reason = new Error("stop");
    let tries = 0;
    const sleep = async (milliseconds: number, signal?: AbortSignal) => {
      if (tries === 1) return;
      setTimeout(() => stop.abort(reason), 5);
      await systemClock.sleep(milliseconds, signal);
    };
    const policy = new RetryPolicy({ now: () => 0, random: () => 0.9, sleep });
    const attempt = async () => {
      tries += 1;
      throw new Error("failure");
    };
    const work = policy.run(attempt, { classify: () => throttled, maxRetries: 8, signal: stop.signal });
    await expect(work).rejects.toBe(reason);
    expect(tries).toBe(2);
  });

  it("stops retrying when the shared quota is used up, and continues after successes have refilled it", async () => {
    const clock = new VirtualClock();
    const policy = new RetryPolicy(clock);
    let tries = 0;
    const call = (failures: number) => {
      let left = failures;
      const attempt = async () => {
        tries += 1;
        if (left-- > 0) throw new Error("down");
      };
      return clock.run(policy.run(attempt, { classify: () => transient, maxRetries: 100 })).catch(() => "failed");
    };
    const triesOf = async (failures: number) => {
      tries = 0;
      await call(failures);
      return tries;
    };
    // 500 tokens, 14 for each retry.
    expect(await triesOf(1_000)).toBe(1 + 35);
    expect(await triesOf(1_000)).toBe(1);
    // 10 tokens are left, and each success returns one.
    for (let successes = 0; successes < 4; successes += 1) await call(0);
    expect(await triesOf(1_000)).toBe(2);
    expect(await triesOf(1_000)).toBe(1);
    for (let successes = 0; successes < 14; successes += 1) await call(0);
    // A successful retry refunds its cost.
    for (let round = 0; round < 5; round += 1) expect(await triesOf(1)).toBe(2);
  });
});

describe("retryDelay", () => {
  it("is between Retry-After and the doubled base, whichever is greater, for any number of retries", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const retryAfter = fc.option(fc.nat(10_000_000), { nil: undefined });
    fc.assert(
      fc.property(
        fc.nat(5_000),
        random,
        fc.constantFrom("transient", "throttled"),
        retryAfter,
        (retries, dice, kind, asked) => {
          const delay = retryDelay(retries, { kind, retryAfter: asked }, dice);
          const least = Math.min(asked ?? 0, 60_000);
          expect(delay).toBeGreaterThanOrEqual(least);
          expect(delay).toBeLessThanOrEqual(
            Math.max(least, Math.min((kind === "throttled" ? 1_000 : 50) * 2 ** retries, 20_000)),
          );
          expect(Number.isInteger(delay)).toBe(true);
        },
      ),
    );
  });
});

describe("parseRetryAfter", () => {
  const now = Date.parse("Fri, 20 Nov 2026 13:46:11 GMT");
  it.each([
    [undefined, undefined],
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5_000],
    ["Fri, 20 Nov 2026 13:46:21 GMT", 10_000],
    ["Fri, 20 Nov 2026 13:46:01 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    ["-5 seconds", undefined],
  ])("%j is %s", (header, expected) => expect(parseRetryAfter(header, now)).toBe(expected));
});
