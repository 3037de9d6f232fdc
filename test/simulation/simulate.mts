/** Runs schedules in a process of their own, and prints what they found. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundleSimulation, type Mutant } from "./build.mts";
import type { Summary } from "./summary.ts";

export interface SimulationOptions {
  readonly schedules: number;
  /** The seed of the first schedule; each further one has the next number. */
  readonly seed: number;
  /** A change of the real code. @default none */
  readonly mutant?: Mutant;
}

/** Runs schedules until one violates a guarantee. */
export async function simulate({ schedules, seed, mutant }: SimulationOptions): Promise<Summary> {
  const folder = join(import.meta.dirname, "../../.test-output/simulation");
  mkdirSync(folder, { recursive: true });
  const name = mutant ? mutant.name.replaceAll(/\W+/g, "-") : "unchanged";
  const bundle = join(folder, `${name}-${process.pid}.mjs`);
  await bundleSimulation(bundle, mutant);
  const given = [
    "--enable-source-maps",
    "--disable-warning=ExperimentalWarning",
    bundle,
    String(schedules),
    String(seed),
    mutant ? "0" : "1",
  ];
  const child = spawn(process.execPath, given, { stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(child.stdout);
  if (output === "") throw new Error("the process of the simulation ended without a summary");
  return JSON.parse(output) as Summary;
}

/** Prints a summary, with the story of a violation. */
export function printSummary({ schedules, steps, milliseconds, coverage, violation }: Summary): void {
  const seconds = milliseconds / 1000;
  for (const [kind, count] of Object.entries(coverage)) console.log(`${String(count).padStart(10)}  ${kind}`);
  for (const line of violation?.story ?? []) console.log(line);
  console.log(
    `${schedules} schedules of ${Math.round(steps / schedules)} steps in ${seconds.toFixed(1)} s (${Math.round(schedules / seconds)} a second): ` +
      (violation ? `schedule ${violation.seed} violates "${violation.invariant}"` : "no guarantee is violated"),
  );
}
