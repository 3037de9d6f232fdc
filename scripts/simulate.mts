/**
 * `npm run simulate -- [--schedules N] [--seed S]`: runs the real code of the service and of the provider in a simulation
 * of clock, disk, network, engines and processes, and checks the guarantees of docs/guarantees.md at every step. The same
 * seed makes the same happen. Exit code 0 means that no schedule violates one.
 */
import { parseArgs } from "node:util";
import { printSummary, simulate } from "../test/simulation/simulate.mts";

const { values } = parseArgs({ options: { schedules: { type: "string" }, seed: { type: "string" } } });
const schedules = Number(values.schedules ?? 2000);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(schedules) || schedules < 1 || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run simulate -- [--schedules N] [--seed S]");
  process.exitCode = 2;
} else {
  console.log(`seed ${seed}`);
  const summary = await simulate({ schedules, seed });
  printSummary(summary);
  process.exitCode = summary.violation ? 1 : 0;
}
