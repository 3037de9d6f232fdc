/** The process that runs schedules: `main.mjs SCHEDULES SEED STEP SHRINK`: every STEPth seed. Prints one line of JSON, a {@link Summary}. */
// The first import: modules keep what they find when they are loaded, such as `Date.now`.
import { real } from "./world/globals";
import { startPostgres } from "./actors/postgres";
import { kindOf } from "./kinds.mts";
import { runSchedule, type ScheduleResult } from "./schedule";
import { shrunk } from "./shrink";
import { storyOf } from "./story";
import type { Summary } from "./summary";

const [schedules = 1, seed = 1, step = 1, isShrunk = 1] = process.argv.slice(2).map(Number);

/** An error that nobody handles, which ends a process of Node.js. */
let unhandled: unknown;
process.on("unhandledRejection", (error) => (unhandled ??= error));

const began = real.now();
const processor = process.cpuUsage();
const coverage = new Map<string, number>();
let steps = 0;
let done = 0;

/** Runs a schedule in each turn of the event loop: only there its microtasks can be run, and lost errors are reported. */
async function next(): Promise<void> {
  const number = seed + done * step;
  if (kindOf(number) === "shared") await startPostgres();
  real.setImmediate(() => run(number));
}

function run(number: number): void {
  const result = runSchedule(number);
  done += 1;
  steps += result.steps;
  for (const [kind, count] of result.coverage) coverage.set(kind, (coverage.get(kind) ?? 0) + count);
  real.setImmediate(() => {
    if (result.violation && unhandled === undefined) finish(result);
    else if (unhandled !== undefined) finish(result, `nobody handles an error: ${(unhandled as Error).stack}`);
    else if (done === schedules) finish();
    else void next();
  });
}

function finish(failed?: ScheduleResult, error?: string): void {
  const milliseconds = real.now() - began;
  const { user, system } = process.cpuUsage(processor);
  const told =
    failed && (error === undefined && isShrunk ? shrunk(failed) : runSchedule(failed.seed, { isTold: true }));
  const summary: Summary = {
    schedules: done,
    steps,
    milliseconds,
    processorMilliseconds: (user + system) / 1000,
    coverage: Object.fromEntries([...coverage].sort()),
    ...(failed && {
      violation: {
        seed: failed.seed,
        invariant: error ?? failed.violation!.invariant,
        story: [...storyOf(told!), ...(error === undefined ? [] : [error])],
      },
    }),
  };
  console.log(JSON.stringify(summary));
}

void next();
