/**
 * `npm run bench [-- <name> [options] [--save]]`: runs one benchmark of test/bench, or all of them, against known
 * alternatives, in pairs in the same run, so that the ratios are valid on any machine. A run of all, or with `--save`,
 * stores the results in bench/results.json, of which `npm run generate` makes docs/performance.md. `--growth` without a
 * name measures everything that grows. Needs the build (`npm run build`).
 */
import { benchNames, runAll, runBench, runGrowth } from "../test/bench/support/runner.mts";

const [name, ...options] = process.argv.slice(2);
if (name === undefined) await runAll();
else if (name === "--growth") await runGrowth(options.includes("--save"));
else if (benchNames().includes(name)) {
  const rest = options.filter((option) => option !== "--save");
  await runBench(name, rest, rest.length < options.length);
} else {
  console.error(`usage: npm run bench [-- <${benchNames().join("|")}> [options] [--save]|--growth [--save]]`);
  process.exitCode = 2;
}
