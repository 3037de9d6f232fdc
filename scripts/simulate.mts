/**
 * `npm run simulate -- [--schedules N] [--seed S] [--kind long|shared] [--mutants [NAME]]`: runs the real code of the service and of the
 * provider in a simulation of clock, disk, network, engines and processes, and checks the guarantees of
 * docs/guarantees.md at every step. The same seed makes the same happen. Exit code 0 means that no schedule violates one.
 * With `--kind`, it runs the seeds of that kind only: `shared` is of several services that share a state in PostgreSQL.
 * With `--mutants`, it changes a line of the code at a time, and exit code 0 means that schedules find each change, or
 * those whose names contain NAME.
 */
import { availableParallelism } from "node:os";
import { readCommandLine, seedsFor, type Options } from "../test/simulation/command-line.mts";
import { whyStale } from "../test/simulation/mutants/mutant.mts";
import { mutants } from "../test/simulation/mutants/index.mts";
import { printSummary, simulate } from "../test/simulation/simulate.mts";

const options = readCommandLine(process.argv.slice(2), Date.now());
if ("text" in options) {
  (options.exitCode === 0 ? console.log : console.error)(options.text);
  process.exitCode = options.exitCode;
} else if (options.mutants === undefined) process.exitCode = await findNothing(options);
else process.exitCode = await findMutants(options, options.mutants);

/** @returns the exit code: 0 when no schedule violates a guarantee */
async function findNothing(given: Options): Promise<number> {
  console.log(`seed ${given.seed}`);
  const processes = availableParallelism();
  const summary = await simulate({ schedules: given.schedules, ...seedsFor(given), processes });
  printSummary(summary);
  return summary.violation === undefined ? 0 : 1;
}

/** @returns the exit code: 0 when schedules find every mutant whose name has a part */
async function findMutants(given: Options, part: string): Promise<number> {
  const chosen = mutants.filter(({ name }) => name.includes(part));
  const problems = chosen.map(whyStale).filter((problem) => problem !== undefined);
  if (chosen.length === 0) problems.push(`no mutant has "${part}" in its name: test/simulation/mutants/ has them`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 2;
  console.log(`seed ${given.seed}`);
  let found = 0;
  const left = chosen.values();
  const work = async () => {
    for (const mutant of left) {
      const { schedules } = given;
      const { violation, schedules: run } = await simulate({ schedules, ...seedsFor(given, mutant.kind), mutant });
      if (violation) found += 1;
      console.log(
        `${violation ? "found    " : "not found"} ${mutant.name}: ${run} schedules${violation ? `, "${violation.invariant}"` : ""}`,
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`${found} of ${chosen.length} mutants are found`);
  return found === chosen.length ? 0 : 1;
}
