import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waitUntil, WaitError } from "../../../../provider/client";
import { pollDelay } from "../../../../provider/client/wait-until";
import { VirtualClock } from "./virtual-clock";

const counting = () => {
  let looks = 0;
  return async () => (looks += 1);
};

describe("waitUntil", () => {
  it("polls first after 50 ms, then with growing intervals up to 5 s", async () => {
    const clock = new VirtualClock(() => 0);
    const seen = await clock.run(waitUntil({ what: "15", look: counting(), until: (looks) => looks === 15, clock }));
    expect(seen).toBe(15);
    expect(clock.sleeps.map(Math.round)).toEqual([
      50, 75, 113, 169, 253, 380, 570, 854, 1281, 1922, 2883, 4325, 5000, 5000, 5000,
    ]);
  });

  it("reports every observation but the last", async () => {
    const clock = new VirtualClock();
    const observed: number[] = [];
    await clock.run(
      waitUntil({
        what: "4",
        look: counting(),
        until: (looks) => looks === 4,
        observed: (looks) => observed.push(looks),
        clock,
      }),
    );
    expect(observed).toEqual([1, 2, 3]);
  });

  it("ends at the timeout, with the last observation", async () => {
    const clock = new VirtualClock();
    const begin = clock.now();
    const wait = waitUntil({
      what: 'cluster "c1" to be norm',
      look: async () => ({ status: "restarting" }),
      until: () => false,
      describe: ({ status }) => status,
      timeout: 10_000,
      clock,
    });
    const error = await clock.run(wait.catch((reason: unknown) => reason));
    expect(error).toBeInstanceOf(WaitError);
    expect(error).toMatchObject({ code: "WaitTimedOut", lastObserved: { status: "restarting" } });
    expect((error as Error).message).toBe(
      'the wait for cluster "c1" to be norm timed out after 10.0 s; last observed: restarting',
    );
    expect(clock.now() - begin).toBe(10_000);
  });

  it("polls once more when the timeout comes before the next poll", async () => {
    const clock = new VirtualClock();
    const wait = waitUntil({ what: "2", look: counting(), until: (looks) => looks === 2, timeout: 60, clock });
    expect(await clock.run(wait)).toBe(2);
  });

  it("ends a hanging poll soon after the timeout", async () => {
    const clock = new VirtualClock();
    const begin = clock.now();
    let looks = 0;
    const look = async (signal: AbortSignal) => {
      looks += 1;
      if (looks === 2) await clock.sleep(3_600_000, signal);
      return looks;
    };
    const wait = waitUntil({ what: "it", look, until: () => false, timeout: 1_000, clock });
    const error = await clock.run(wait.catch((reason: unknown) => reason));
    expect(error).toMatchObject({ code: "WaitTimedOut", lastObserved: 1 });
    expect(clock.now() - begin).toBe(6_000);
  });

  it("leaves no timer behind", async () => {
    const clock = new VirtualClock();
    await clock.run(waitUntil({ what: "it", look: counting(), until: () => true, timeout: 60_000, clock }));
    expect(clock.pending).toBe(0);
  });

  it("ends when the signal is aborted, also during a poll, with the last observation", async () => {
    for (const during of ["sleep", "look"]) {
      const clock = new VirtualClock();
      const stop = new AbortController();
      let looks = 0;
      const look = async (signal: AbortSignal | undefined) => {
        looks += 1;
        if (looks === 3 && during === "look") {
          stop.abort(new Error("Ctrl-C"));
          signal!.throwIfAborted();
        }
        return looks;
      };
      const observed = (count: number) => void (count === 2 && during === "sleep" && stop.abort(new Error("Ctrl-C")));
      const wait = waitUntil({ what: "it", look, until: () => false, observed, signal: stop.signal, clock });
      const error = await clock.run(wait.catch((reason: unknown) => reason));
      expect(error).toMatchObject({ code: "WaitAborted", lastObserved: 2, cause: { message: "Ctrl-C" } });
    }
  });

  it("reports that nothing was observed when it is aborted before the first poll", async () => {
    const wait = waitUntil({ what: "it", look: counting(), until: () => true, signal: AbortSignal.abort() });
    await expect(wait).rejects.toMatchObject({
      code: "WaitAborted",
      lastObserved: undefined,
      message: expect.stringContaining("nothing was observed"),
    });
  });

  it("ends with the error of a poll", async () => {
    const failure = new Error("no such cluster");
    const wait = waitUntil({ what: "it", look: () => Promise.reject(failure), until: () => true });
    await expect(wait).rejects.toBe(failure);
  });
});

describe("pollDelay", () => {
  it("is at least three quarters of the grown interval and never longer than the maximum", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 60_000 }), random, (looks, longest, dice) => {
        const delay = pollDelay(looks, { longest }, dice);
        expect(delay).toBeLessThanOrEqual(longest);
        expect(delay).toBeGreaterThan(Math.min(50 * 1.5 ** looks, longest) * 0.75 - 1e-9);
      }),
    );
  });
});
