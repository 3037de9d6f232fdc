/**
 * `npm run simulate -- [--schedules N] [--seed S] [--kind long|shared] [--mutants [NAME]]`: runs the real code of the service and of the
 * provider in a simulation of clock, disk, network, engines and processes, and checks the guarantees of
 * docs/guarantees.md at every step. The same seed makes the same happen. Exit code 0 means that no schedule violates one.
 * With `--kind`, it runs the seeds of that kind only: `shared` is of several services that share a state in PostgreSQL.
 * With `--mutants`, it changes a line of the code at a time, and exit code 0 means that schedules find each change, or
 * those whose names contain NAME.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { seedsOf } from "../test/simulation/kinds.mts";
import { mutants } from "../test/simulation/mutants.mts";
import { printSummary, simulate } from "../test/simulation/simulate.mts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    schedules: { type: "string" },
    seed: { type: "string" },
    kind: { type: "string" },
    mutants: { type: "boolean", default: false },
  },
});
const schedules = Number(values.schedules ?? 20_000);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const { kind } = values;
const isKind = kind === undefined || kind === "long" || kind === "shared";
const isValid = Number.isSafeInteger(schedules) && schedules > 0 && Number.isSafeInteger(seed) && isKind;
if (!isValid || (positionals.length > 0 && !values.mutants)) {
  console.error("usage: npm run simulate -- [--schedules N] [--seed S] [--kind long|shared] [--mutants [NAME]]");
  process.exitCode = 2;
} else {
  console.log(`seed ${seed}`);
  process.exitCode = (await (values.mutants ? findMutants(positionals[0] ?? "") : findNothing())) ? 0 : 1;
}

function seeds(of: string | undefined) {
  return of === "long" || of === "shared" ? seedsOf(of, seed) : { seed, step: 1 };
}

/** Returns true when no schedule violates a guarantee. */
async function findNothing(): Promise<boolean> {
  const summary = await simulate({ schedules, ...seeds(kind), processes: availableParallelism() });
  printSummary(summary);
  return summary.violation === undefined;
}

/** Returns true when schedules find every mutant. */
async function findMutants(part: string): Promise<boolean> {
  const chosen = mutants.filter(({ name }) => name.includes(part));
  let found = 0;
  const left = chosen.values();
  const work = async () => {
    for (const mutant of left) {
      const { violation, schedules: run } = await simulate({ schedules, ...seeds(mutant.kind), mutant });
      if (violation) found += 1;
      console.log(
        `${violation ? "found    " : "not found"} ${mutant.name}: ${run} schedules${violation ? `, "${violation.invariant}"` : ""}`,
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`${found} of ${chosen.length} mutants are found`);
  return found === chosen.length;
}
