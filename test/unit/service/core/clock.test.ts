/** The clocks of a service. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AdvanceableClock, systemClock } from "../../../../service/core/clock";

const day = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ["system", systemClock],
  ["advanceable", new AdvanceableClock()],
] as const)("sleep: of 60 days ends after 60 days, though a timer has at most 25 (%s clock)", async (_, clock) => {
  let isOver = false;
  void clock.sleep(60 * day).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(60 * day - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

test("sleep: of 60 days ends when it is aborted", async () => {
  const stop = new AbortController();
  const sleep = systemClock.sleep(60 * day, stop.signal);
  await vi.advanceTimersByTimeAsync(30 * day);
  stop.abort();
  await sleep;
  expect(vi.getTimerCount()).toBe(0);
});
