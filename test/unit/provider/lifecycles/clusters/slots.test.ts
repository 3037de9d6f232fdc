import { expect, test } from "vitest";
import { Deadline } from "../../../../../provider/lifecycles/deadline";
import { NoSlotError, SlotQueue, type SlotOptions } from "../../../../../provider/lifecycles/clusters/slots";
import { testContext, until } from "../context";

class Full extends Error {}

function options(told: number[] = [], overrides: Partial<SlotOptions> = {}): SlotOptions {
  const clock = testContext();
  return {
    isFull: (error) => error instanceof Full,
    onWaiting: (ahead) => told.push(ahead),
    failureMessage: "nothing was submitted, because no slot became free",
    signal: new AbortController().signal,
    deadline: new Deadline(clock, 60_000),
    clock,
    ...overrides,
  };
}

test("run: runs at once when a slot is free, without reporting a wait", async () => {
  const told: number[] = [];
  expect(await new SlotQueue().run(() => Promise.resolve("in"), options(told))).toBe("in");
  expect(told).toEqual([]);
});

test("run: runs all attempts in order, and reports how many are ahead", async () => {
  const queue = new SlotQueue();
  const [order, third]: [number[], number[]] = [[], []];
  let free = 1;
  const enter = (n: number, told: number[] = []) =>
    queue.run(async () => {
      await Promise.resolve();
      if (free === 0) throw new Full();
      free -= 1;
      order.push(n);
    }, options(told));
  const all = [enter(0), enter(1), enter(2, third), enter(3)];
  for (let n = 1; n < 4; n += 1) {
    await until(() => order.length === n);
    free += 1;
    queue.release();
  }
  await Promise.all(all);
  expect(order).toEqual([0, 1, 2, 3]);
  expect(third).toEqual([2, 1, 0]);
});

test("run: after a rejection, only one attempt runs for each slot that may be free", async () => {
  const queue = new SlotQueue();
  let [attempts, free] = [0, 3];
  const slow = {
    now: () => 0,
    sleep: (_time: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("woken")))),
  };
  const enter = () =>
    queue.run(
      async () => {
        await Promise.resolve();
        attempts += 1;
        if (free === 0) throw new Full();
        free -= 1;
      },
      options([], { clock: slow }),
    );
  const all = Array.from({ length: 20 }, enter);
  await until(() => attempts === 4);
  for (let n = 0; n < 17; n += 1) {
    free += 1;
    queue.release();
    await until(() => free === 0);
  }
  await Promise.all(all);
  expect(attempts).toBe(21);
});

test("run: retries by itself when no slot is reported as free", async () => {
  let attempts = 0;
  const attempt = () => (++attempts < 4 ? Promise.reject(new Full()) : Promise.resolve(attempts));
  expect(await new SlotQueue().run(attempt, options())).toBe(4);
});

test("run: an attempt with another error leaves the queue, and the next one runs", async () => {
  const queue = new SlotQueue();
  const broken = queue.run(() => Promise.reject(new Error("broken")), options());
  const next = queue.run(() => Promise.resolve("next"), options());
  await expect(broken).rejects.toThrow("broken");
  expect(await next).toBe("next");
});

test("run: fails at the deadline, and reports that nothing was submitted", async () => {
  const clock = testContext();
  const full = new SlotQueue().run(
    () => Promise.reject(new Full()),
    options([], { deadline: new Deadline(clock, 30) }),
  );
  await expect(full).rejects.toThrow(NoSlotError);
  await expect(full).rejects.toThrow("nothing was submitted, because no slot became free within 30 ms (0 ahead)");
});

test("run: ends when the signal is aborted, reports that nothing was submitted, and the queue moves up", async () => {
  const queue = new SlotQueue();
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>();
  const first = queue.run(() => blocked, options());
  const stop = new AbortController();
  const second = queue.run(() => Promise.resolve(), options([], { signal: stop.signal }));
  const told: number[] = [];
  const third = queue.run(() => Promise.resolve("third"), options(told));
  await until(() => told.length === 1);
  stop.abort(new Error("Ctrl-C"));
  await expect(second).rejects.toThrow(NoSlotError);
  await expect(second).rejects.toThrow(
    "nothing was submitted, because no slot became free before the operation was interrupted",
  );
  await until(() => told.length === 2);
  unblock();
  await first;
  expect(await third).toBe("third");
  expect(told).toEqual([2, 1]);
});
