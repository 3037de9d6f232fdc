/**
 * `npm run bench [-- <name> [options] [--save] [--against FILE]]`: runs one benchmark of test/bench, or all of them,
 * against known alternatives, in turns in the same run, so that the ratios are valid on any machine. A run of all, or with
 * `--save`, stores the results of each in bench/results.json as it ends, of which `npm run generate` makes
 * docs/performance.md. `--against` fails when a ratio is worse by a fifth than in the results of an earlier run.
 * `--growth` without a name measures everything that grows. Needs the build (`npm run build`).
 */
import {
  benchNames,
  compareWithEarlier,
  readResultsOf,
  runAll,
  runBench,
  runGrowth,
} from "../test/bench/support/runner.mts";

const given = process.argv.slice(2);
const at = given.indexOf("--against");
const [, file] = at < 0 ? [] : given.splice(at, 2);
// Read now: a run of all replaces bench/results.json.
const earlier = file === undefined ? {} : readResultsOf(file);
const [name, ...options] = given;
const rest = options.filter((option) => option !== "--save");
let worse = 0;
if (at >= 0 && file === undefined) fail("--against needs the file of an earlier run, such as bench/results.json");
else if (name === undefined) worse = await runAll(earlier);
else if (name === "--growth") await runGrowth(options.includes("--save"));
else if (benchNames().includes(name)) {
  worse = compareWithEarlier(name, await runBench(name, rest, rest.length < options.length), earlier);
} else {
  const names = benchNames().join("|");
  fail(`usage: npm run bench [-- [<${names}> [options] [--save]|--growth [--save]] [--against FILE]]`);
}
if (worse > 0) process.exitCode = 1;

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
