/** Runs the tests with vitest and counts the passed and failed ones. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { findGo } from "../setup/go.mjs";
import { root } from "../setup/layout.mjs";
import { countTests, failedTests } from "./summary.mjs";

/** Every Node process that a test starts loads the same large packages: compiled once, e2e tests take a fifth less time. */
const compileCache = join(root, "node_modules", ".cache", "compile");
const report = join(root, ".test-output", `report-${process.pid}.json`);

/**
 * Runs all tests, or the test files whose path contains a filter. A crashed run counts as one failed test.
 *
 * @param {string[]} filters path filters and vitest options
 * @returns {Promise<import("./summary.mjs").Counts>}
 */
export async function runTests(filters) {
  mkdirSync(join(root, ".test-output"), { recursive: true });
  try {
    const code = await vitest(filters);
    const written = readReport();
    const counts = { ...countTests(written, code), failures: failedTests(written, root) };
    // docs/api-support.md is generated from a run of all tests, so only a full run can be compared with it; also one
    // that failed, so that one failure does not hide the other.
    if (filters.length === 0 && written !== undefined && !apiSupportInSync()) {
      counts.failed++;
      counts.failures.push("docs/api-support.md differs from this run");
    }
    return counts;
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(report, { force: true });
  }
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} vitest's exit code; 1 when a signal ended it
 */
function vitest(args) {
  const program = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: pathWithGo(), NODE_COMPILE_CACHE: compileCache };
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

/** Returns PATH with Go's folder added: some tests build with Go, which may be installed outside PATH. */
function pathWithGo() {
  const go = findGo();
  return [process.env["PATH"], ...(go === undefined ? [] : [dirname(go)])].join(delimiter);
}

/** @returns {boolean} */
function apiSupportInSync() {
  const args = [join(root, "tools/generate/api-support.mts"), "--check", "--report", report];
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0;
}

/** @returns {import("./summary.mjs").Report | undefined} undefined when vitest crashed before it wrote its report */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return undefined;
  }
}
