/**
 * `npm run chaos -- [ROUNDS] [--seed N]`: sends requests to the service, kills it with SIGKILL at random moments,
 * restarts it on the same folder, and counts the damage. Exit code 0 means that nothing was lost, duplicated or
 * half-written. The same seed sends the same requests; their timing relative to the kill differs from run to run.
 */
import { parseArgs } from "node:util";
import { runChaos } from "../test/chaos/chaos.mts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const rounds = Number(positionals[0] ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run chaos -- [ROUNDS] [--seed N]");
  process.exitCode = 2;
} else process.exitCode = (await runChaos({ rounds, seed })) ? 0 : 1;
