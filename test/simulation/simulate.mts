/** Runs schedules in a process of their own, and prints what they found. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundleSimulation } from "./build.mts";
import type { Mutant } from "./mutants/mutant.mts";
import type { Summary } from "./summary.ts";

export interface SimulationOptions {
  readonly schedules: number;
  /** The seed of the first schedule; each further one has the next number. */
  readonly seed: number;
  /** A change of the real code. @default none */
  readonly mutant?: Mutant;
  /** Every so many seeds one schedule is run: the kind of a schedule follows from its seed. @default 1 */
  readonly step?: number;
  /** They share the schedules. @default 1 */
  readonly processes?: number;
}

/** Runs schedules, each process until one of its own violates a guarantee. */
export async function simulate({
  schedules,
  seed,
  mutant,
  step = 1,
  processes = 1,
}: SimulationOptions): Promise<Summary> {
  const folder = join(import.meta.dirname, "../../.test-output/simulation");
  mkdirSync(folder, { recursive: true });
  const name = mutant ? mutant.name.replaceAll(/\W+/g, "-") : "unchanged";
  const bundle = join(folder, `${name}-${process.pid}.mjs`);
  await bundleSimulation(bundle, mutant);
  const share = Math.ceil(schedules / processes);
  const summaries: Promise<Summary>[] = [];
  for (let done = 0; done < schedules; done += share) {
    summaries.push(run(bundle, [Math.min(share, schedules - done), seed + done * step, step, mutant ? 0 : 1]));
  }
  return (await Promise.all(summaries)).reduce(both);
}

async function run(bundle: string, numbers: readonly number[]): Promise<Summary> {
  const given = ["--enable-source-maps", "--disable-warning=ExperimentalWarning", bundle, ...numbers.map(String)];
  const child = spawn(process.execPath, given, { stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(child.stdout);
  if (output === "") throw new Error("the process of the simulation ended without a summary");
  return JSON.parse(output) as Summary;
}

function both(one: Summary, other: Summary): Summary {
  const coverage = { ...one.coverage };
  for (const [kind, count] of Object.entries(other.coverage)) coverage[kind] = (coverage[kind] ?? 0) + count;
  const violation = one.violation ?? other.violation;
  return {
    schedules: one.schedules + other.schedules,
    steps: one.steps + other.steps,
    milliseconds: Math.max(one.milliseconds, other.milliseconds),
    processorMilliseconds: one.processorMilliseconds + other.processorMilliseconds,
    coverage,
    ...(violation && { violation }),
  };
}

/** Prints a summary, with the story of a violation. */
export function printSummary({ schedules, steps, coverage, violation, ...time }: Summary): void {
  const seconds = time.milliseconds / 1000;
  const perSecond = Math.round(schedules / (time.processorMilliseconds / 1000));
  for (const [kind, count] of Object.entries(coverage).sort()) console.log(`${String(count).padStart(10)}  ${kind}`);
  for (const line of violation?.story ?? []) console.log(line);
  console.log(
    `${schedules} schedules of ${Math.round(steps / schedules)} steps in ${seconds.toFixed(1)} s (${perSecond} in a second of a processor): ` +
      (violation ? `schedule ${violation.seed} violates "${violation.invariant}"` : "no guarantee is violated"),
  );
}
