import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { seedsOf } from "../../simulation/kinds.mts";
import { mutants } from "../../simulation/mutants/index.mts";
import { whyStale } from "../../simulation/mutants/mutant.mts";
import { simulate, type SimulationOptions } from "../../simulation/simulate.mts";

/** Milliseconds for a test while others use the processors; alone it takes ten seconds. */
const timeout = 300_000;

test("schedules of a fresh seed: no guarantee is violated", { timeout }, async () => {
  const seed = Date.now() % 1_000_000_000;
  const schedules = 1000;
  console.log(`npm run simulate -- --schedules ${schedules} --seed ${seed}`);
  const { violation } = await simulate({ schedules, seed, processes: availableParallelism() });
  expect(violation?.story.join("\n")).toBeUndefined();
});

test("a seed: the same happens again", { timeout }, () => expectSame({ schedules: 50, seed: 7 }));

test("a seed of services that share a state: the same happens again", { timeout }, () =>
  expectSame({ schedules: 3, ...seedsOf("shared", 1) }),
);

test("a seed of services that share a state: the same happens after another schedule", { timeout }, async () => {
  const { seed, step } = seedsOf("shared", 1001);
  const both = await simulate({ schedules: 2, seed, step });
  const [first, second] = [await simulate({ schedules: 1, seed }), await simulate({ schedules: 1, seed: seed + step })];
  expect(first.steps + second.steps).toBe(both.steps);
});

// A deployment is killed while it deletes a table on S3: what it has sent arrives after the refresh of the next run.
test("seed 706757761: no guarantee is violated", { timeout }, async () => {
  const { violation } = await simulate({ schedules: 1, seed: 706_757_761 });
  expect(violation?.story.join("\n")).toBeUndefined();
});

// The disk is full when old queries are to be deleted: they are kept, and listed.
test("seed 5304805: no guarantee is violated", { timeout }, async () => {
  const { violation } = await simulate({ schedules: 1, seed: 5_304_805 });
  expect(violation?.story.join("\n")).toBeUndefined();
});

test("services that share a state: one takes over what a stopped one ran, and answers", { timeout }, async () => {
  const { coverage, violation } = await simulate({ schedules: 20, ...seedsOf("shared", 20_001) });
  expect(violation?.story.join("\n")).toBeUndefined();
  const faults = [
    "a service does nothing for a time",
    "a service does nothing while it confirms",
    "a lease ends while an attempt is confirmed",
    "the service is killed",
    "a conflict",
    "an answer of PostgreSQL is lost",
  ];
  expect(faults.filter((fault) => coverage[`fault: ${fault}`] === undefined)).toEqual([]);
});

test.each(mutants)("mutant $name: the line that it changes is in the code, once", (mutant) => {
  expect(whyStale(mutant)).toBeUndefined();
});

test("a mutant: a schedule finds it, and tells it again by its seed", { timeout }, async () => {
  const mutant = {
    name: "takeOver: publishes its own attempt",
    file: "service/core/queries/publication.ts",
    from: "const writtenBy = isRetry ? query.publishedEpoch : publishedBy;",
    to: "const writtenBy = publishedBy;",
  };
  const { violation: found } = await simulate({ schedules: 1000, seed: 1, mutant });
  expect(found).toBeDefined();
  const { violation: again } = await simulate({ schedules: 1, seed: found!.seed, mutant });
  expect(again?.story).toEqual(found!.story);
});

async function expectSame(options: SimulationOptions): Promise<void> {
  const [first, second] = [await simulate(options), await simulate(options)];
  expect(second.steps).toBe(first.steps);
  expect(second.coverage).toEqual(first.coverage);
}
