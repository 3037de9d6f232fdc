/**
 * `npm run test:scale [-- FILTER…]`: runs the tests of clusters on other servers. It starts an Apache Hive, which needs
 * Java 17 and `mvn`, or uses the one that DAG_TEST_HIVE names (`hive2://HOST:PORT`).
 */
import { runTests } from "../tools/test/run-tests.mjs";
import { summary } from "../tools/test/summary.mjs";

process.env["DAG_TEST_SCALE"] = "1";
const counts = await runTests(["--project", "scale", ...process.argv.slice(2)]);
console.log(`\n${summary(counts)}`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
