/**
 * `npm test [-- FILTER…]`: the build, then all tests (unit, contract, e2e), or those whose path holds a filter. Other
 * arguments go to vitest (`--project unit`). The last line is `N passed, N failed`, also when the run itself breaks,
 * and the exit code is 0 only where at least one test passed and none failed.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { findGo } from "./setup/go.mjs";
import { root } from "./setup/layout.mjs";
import { countTests, summary } from "./test/summary.mjs";

const report = join(root, ".test-output", `report-${process.pid}.json`);
mkdirSync(join(root, ".test-output"), { recursive: true });

/** @type {import("./test/summary.mjs").Counts} */
let counts = { passed: 0, failed: 1, skipped: 0 };
try {
  const filters = process.argv.slice(2);
  const code = await vitest(filters);
  counts = countTests(readReport(), code);
  // What the page says of the API comes from a run of all tests, so this is where it can be compared.
  if (filters.length === 0 && code === 0 && !apiSupportInSync()) counts.failed++;
} catch (error) {
  console.error(error);
} finally {
  rmSync(report, { force: true });
}
console.log(`\n${summary(counts)}`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;

/**
 * @param {string[]} args
 * @returns {Promise<number>} its exit code; 1 where a signal ended it
 */
function vitest(args) {
  const program = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: pathWithGo() };
    const child = spawn(process.execPath, [program, "run", ...reporters, ...args], {
      cwd: root,
      env,
      stdio: "inherit",
    });
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
      process.on(signal, () => child.kill(signal));
    }
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** Some tests build what they need with Go, which may be installed where PATH does not point. */
function pathWithGo() {
  const go = findGo();
  return [process.env["PATH"], ...(go === undefined ? [] : [dirname(go)])].join(delimiter);
}

/** @returns {boolean} */
function apiSupportInSync() {
  const args = [join(root, "scripts/api-support.mts"), "--check", "--report", report];
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0;
}

/** @returns {import("./test/summary.mjs").Report | undefined} undefined where vitest broke before it wrote one */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return undefined;
  }
}
