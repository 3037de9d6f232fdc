import { expect, test } from "vitest";
import { simulate } from "../../simulation/simulate.mts";

test("schedules of a fresh seed: no guarantee is violated", async () => {
  const seed = Date.now() % 1_000_000_000;
  console.log(`npm run simulate -- --schedules 1000 --seed ${seed}`);
  const { violation } = await simulate({ schedules: 1000, seed });
  expect(violation?.story.join("\n")).toBeUndefined();
});

test("a seed: the same happens again", async () => {
  const [first, second] = [await simulate({ schedules: 20, seed: 7 }), await simulate({ schedules: 20, seed: 7 })];
  expect(second.steps).toBe(first.steps);
  expect(second.coverage).toEqual(first.coverage);
});
