/**
 * `npm run test:scale [-- FILTER…]`: runs the tests of clusters on other servers, on Apache Hive, Spark, an S3 server and
 * PostgreSQL. It fetches and starts them, or uses those that the environment names (docs/scale/measured.md). Tests whose servers
 * this machine cannot have are skipped, with the reason printed.
 */
import { componentsFor, skippedTests, testGroups } from "../tools/scale/test-groups.mts";
import { fetchComponents } from "../tools/scale/components.mts";
import { runTests } from "../tools/test/run-tests.mjs";
import { summary } from "../tools/test/summary.mjs";

const filters = process.argv.slice(2);
const needed = componentsFor(filters);
const missing = await fetchComponents(needed);
const skipped = skippedTests(missing);
process.env["DAG_TEST_SCALE"] = needed.filter((name) => !missing.has(name)).join();
// Statements are small, and the servers live for minutes: Java's second compiler takes half of their CPU time.
process.env["JAVA_TOOL_OPTIONS"] ??= "-XX:TieredStopAtLevel=1";
for (const [name, reason] of missing) console.log(`skipped: the tests that need ${name}: ${reason}`);
const exclude = skipped.flatMap((folder) => ["--exclude", `test/scale/${folder}/**`]);
const options = skipped.length > 0 ? [...exclude, "--passWithNoTests"] : [];
const nothing = { passed: 0, failed: 0, skipped: 0 };
const isAnyLeft = skipped.length < testGroups.length;
const counts = isAnyLeft
  ? await runTests(["--project", "scale", "--project", "scale-alone", ...options, ...filters])
  : nothing;
console.log(`\n${summary(counts)}`);
process.exitCode = counts.failed === 0 && (counts.passed > 0 || skipped.length > 0) ? 0 : 1;
