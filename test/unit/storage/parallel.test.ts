import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { forEachParallel } from "../../../storage/parallel";

test("forEachParallel: runs the work for every item, a bounded number at a time", async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await forEachParallel([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    most = Math.max(most, (running += 1));
    await sleep(5);
    running -= 1;
    done.push(item);
  });
  expect(most).toBe(3);
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("forEachParallel: after an error begins nothing, and throws it when all work has ended", async () => {
  const begun: number[] = [];
  let running = 0;
  const failing = forEachParallel([1, 2, 3, 4, 5, 6], 3, async (item) => {
    begun.push(item);
    running += 1;
    await sleep(item * 5);
    running -= 1;
    if (item === 1) throw new Error("one");
  });
  await expect(failing).rejects.toThrow("one");
  expect(running).toBe(0);
  expect(begun).toEqual([1, 2, 3]);
});
