/**
 * `npm test [-- FILTER…]`: runs all tests (unit, contract, browser, e2e), or the files whose path contains a filter. Other
 * arguments go to vitest (`--project unit`). The last line is `N passed, N failed`, even when vitest crashes, and the
 * exit code is 0 only when at least one test passed and none failed.
 */
import { runTests } from "../tools/test/run-tests.mjs";
import { summary } from "../tools/test/summary.mjs";

const counts = await runTests(process.argv.slice(2));
console.log(`\n${summary(counts)}`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
