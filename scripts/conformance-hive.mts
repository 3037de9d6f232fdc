/**
 * `npm run conformance:hive -- [options]`: compares the embedded engine with a running Hive on generated statements.
 * The exit code is 0 when the engines agree, 1 when they differ, and 2 when an error ends the run.
 */
import { compareWithHive } from "../test/conformance/hive/compare-with-hive.mts";
import { readCommandLine } from "../test/conformance/hive/command-line.mts";

try {
  const tally = await compareWithHive(readCommandLine());
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
  const counts = [...tally].map(([outcome, count]) => `${outcome} ${count}`);
  console.log(
    [
      `statements ${total}`,
      `compared ${total - (tally.get("refused") ?? 0) - (tally.get("left out") ?? 0)}`,
      ...counts,
    ].join(", "),
  );
  process.exitCode = (tally.get("different") ?? 0) + (tally.get("accepted only here") ?? 0) === 0 ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
