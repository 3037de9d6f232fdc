/**
 * `npm run test:scale [-- FILTER…]`: runs the tests of clusters on other servers. It starts an Apache Hive, which needs
 * Java 17 and `mvn`, and a Spark, which needs Java 17 and `python3` with pip, or uses those that DAG_TEST_HIVE and
 * DAG_TEST_SPARK name (`hive2://HOST:PORT`). With filters such as `spark`, only the servers that they name are started.
 */
import { runTests } from "../tools/test/run-tests.mjs";
import { summary } from "../tools/test/summary.mjs";

const filters = process.argv.slice(2);
const dialects = ["hive", "spark"];
const named = dialects.filter((dialect) => filters.some((filter) => filter.includes(dialect)));
process.env["DAG_TEST_SCALE"] = (named.length > 0 ? named : dialects).join();
const counts = await runTests(["--project", "scale", ...filters]);
console.log(`\n${summary(counts)}`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
