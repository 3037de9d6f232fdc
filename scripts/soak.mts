/**
 * `npm run soak -- [SECONDS] [--seed N]`: sends every kind of request to a service with three clusters, and prints how
 * its memory, its open descriptors and its files grow, and how long a GET takes. Exit code 1 means that something grew
 * beyond its bound, or that a request failed.
 */
import { parseArgs } from "node:util";
import { runSoak } from "../test/soak/soak.mts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const seconds = Number(positionals[0] ?? 60);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(seconds) || seconds < 5 || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run soak -- [SECONDS, at least 5] [--seed N]");
  process.exitCode = 2;
} else process.exitCode = (await runSoak({ seconds, seed })) ? 0 : 1;
