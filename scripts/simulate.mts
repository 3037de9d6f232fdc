/**
 * `npm run simulate -- [--schedules N] [--seed S] [--mutants [NAME]]`: runs the real code of the service and of the
 * provider in a simulation of clock, disk, network, engines and processes, and checks the guarantees of
 * docs/guarantees.md at every step. The same seed makes the same happen. Exit code 0 means that no schedule violates one.
 * With `--mutants`, it changes a line of the code at a time, and exit code 0 means that schedules find each change, or
 * those whose names contain NAME.
 */
import { parseArgs } from "node:util";
import { mutants } from "../test/simulation/mutants.mts";
import { printSummary, simulate } from "../test/simulation/simulate.mts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    schedules: { type: "string" },
    seed: { type: "string" },
    mutants: { type: "boolean", default: false },
  },
});
const schedules = Number(values.schedules ?? (values.mutants ? 20_000 : 2000));
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const isValid = Number.isSafeInteger(schedules) && schedules > 0 && Number.isSafeInteger(seed);
if (!isValid || (positionals.length > 0 && !values.mutants)) {
  console.error("usage: npm run simulate -- [--schedules N] [--seed S] [--mutants [NAME]]");
  process.exitCode = 2;
} else {
  console.log(`seed ${seed}`);
  process.exitCode = (await (values.mutants ? findMutants(positionals[0] ?? "") : findNothing())) ? 0 : 1;
}

/** Returns true when no schedule violates a guarantee. */
async function findNothing(): Promise<boolean> {
  const summary = await simulate({ schedules, seed });
  printSummary(summary);
  return summary.violation === undefined;
}

/** Returns true when schedules find every mutant. */
async function findMutants(part: string): Promise<boolean> {
  const chosen = mutants.filter(({ name }) => name.includes(part));
  let found = 0;
  for (const mutant of chosen) {
    const { violation, schedules: run } = await simulate({ schedules, seed, mutant });
    if (violation) found += 1;
    console.log(
      `${violation ? "found    " : "not found"} ${mutant.name}: ${run} schedules${violation ? `, "${violation.invariant}"` : ""}`,
    );
  }
  console.log(`${found} of ${chosen.length} mutants are found`);
  return found === chosen.length;
}
