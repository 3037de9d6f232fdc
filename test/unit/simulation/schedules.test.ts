import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "../../simulation/mutants.mts";
import { simulate } from "../../simulation/simulate.mts";

/** Milliseconds for a test while others use the processors; alone it takes ten seconds. */
const timeout = 120_000;

test("schedules of a fresh seed: no guarantee is violated", { timeout }, async () => {
  const seed = Date.now() % 1_000_000_000;
  const schedules = 100;
  console.log(`npm run simulate -- --schedules ${schedules} --seed ${seed}`);
  const { violation } = await simulate({ schedules, seed });
  expect(violation?.story.join("\n")).toBeUndefined();
});

test("a seed: the same happens again", { timeout }, async () => {
  const [first, second] = [await simulate({ schedules: 10, seed: 7 }), await simulate({ schedules: 10, seed: 7 })];
  expect(second.steps).toBe(first.steps);
  expect(second.coverage).toEqual(first.coverage);
});

test.each(mutants)("mutant $name: the line that it changes is in the code, once", ({ file, from }) => {
  const source = readFileSync(join(__dirname, "../../..", file), "utf8");
  expect(source.split(from)).toHaveLength(2);
});

test("a mutant: a schedule finds it, and tells it again by its seed", { timeout }, async () => {
  const mutant = {
    name: "takeOver: publishes its own attempt",
    file: "service/core/queries/publication.ts",
    from: "const writtenBy = isRetry ? query.publishedEpoch : publishedBy;",
    to: "const writtenBy = publishedBy;",
  };
  const { violation: found } = await simulate({ schedules: 100, seed: 1, mutant });
  expect(found).toBeDefined();
  const { violation: again } = await simulate({ schedules: 1, seed: found!.seed, mutant });
  expect(again?.story).toEqual(found!.story);
});
