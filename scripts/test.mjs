/**
 * `npm test [-- FILTER…]`: the build, then all tests (unit, contract, e2e), or those whose path holds a filter. Other
 * arguments go to vitest (`--project unit`). The last line is `N passed, N failed`, also when the run itself breaks,
 * and the exit code is 0 only when at least one test passed and none failed.
 */
import { runTests } from "../tools/test/run.mjs";
import { summary } from "../tools/test/summary.mjs";

const counts = await runTests(process.argv.slice(2));
console.log(`\n${summary(counts)}`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
