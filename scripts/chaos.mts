/**
 * `npm run chaos -- [ROUNDS] [--seed N] [--several [--s3]]`: sends requests to the service, kills it or one of its engine processes
 * at random moments, stops processes, fills its disk where a small one can be mounted, starts it again on the same
 * folder, and counts the damage. Exit code 0 means that nothing was lost, duplicated or half-written, no query ended
 * through the fate of another (collateral), and no engine process outlived its service (orphans). The same seed sends
 * the same requests; their timing relative to the faults differs from run to run. With `--several`, three services share
 * a PostgreSQL database, which is killed too, and with `--s3` the buckets of an S3 server and no folder.
 */
import { parseArgs } from "node:util";
import { runChaos } from "../test/chaos/chaos.mts";
import { runSeveral } from "../test/chaos/several/several.mts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    several: { type: "boolean", default: false },
    s3: { type: "boolean", default: false },
  },
});
const rounds = Number(positionals[0] ?? 20);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const { several, s3: onS3 } = values;
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed) || (onS3 && !several)) {
  console.error("usage: npm run chaos -- [ROUNDS] [--seed N] [--several [--s3]]");
  process.exitCode = 2;
} else process.exitCode = (await (several ? runSeveral({ rounds, seed, onS3 }) : runChaos({ rounds, seed }))) ? 0 : 1;
