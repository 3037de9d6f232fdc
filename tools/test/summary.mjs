/** Counts the tests of a run, lists the failed ones and formats its last lines. */
import { relative } from "node:path";

/**
 * @typedef {{ passed: number, failed: number, skipped: number, failures?: string[] }} Counts `failures`: one line for each
 *   failed test
 */
/** @typedef {{ status: string, fullName?: string, failureMessages?: string[] }} TestReport */
/** @typedef {{ status: string, name?: string, message?: string, assertionResults: TestReport[] }} FileReport */
/** @typedef {{ testResults: FileReport[] }} Report the output of vitest's JSON reporter */

/**
 * Counts tests. A file that failed without a failed test (it could not be loaded, or its hooks failed) counts as one
 * failed test, and so does a run that failed without a failed test.
 *
 * @param {Report | undefined} report undefined when the run wrote none
 * @param {number} exitCode of the run
 * @returns {Counts}
 */
export function countTests(report, exitCode) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of report?.testResults ?? []) {
    for (const test of assertionResults) counts[kindOf(test.status)]++;
    if (status === "failed" && !assertionResults.some((test) => test.status === "failed")) counts.failed++;
  }
  if (counts.failed === 0 && (exitCode !== 0 || !report)) counts.failed = 1;
  return counts;
}

/**
 * Lists the failed tests of a run, so that the end of its output names them.
 *
 * @param {Report | undefined} report
 * @param {string} root file names are relative to it
 * @returns {string[]} one line each: its file, its name, the first line of its error
 */
export function failedTests(report, root) {
  return (report?.testResults ?? []).flatMap(({ name = "", status, message = "", assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed");
    const tests = failed.map((test) => [test.fullName ?? "", test.failureMessages?.[0] ?? ""]);
    if (status === "failed" && failed.length === 0) tests.push(["could not be run", message]);
    return tests.map(([test, error]) => `${relative(root, name)}: ${test}: ${firstLine(error)}`);
  });
}

/**
 * @param {Counts} counts
 * @returns {string} a line `failed: …` for each failed test, then one or two lines; the last is always like
 *   `12 passed, 0 failed`
 */
export function summary({ passed, failed, skipped, failures = [] }) {
  const lines = failures.map((each) => `failed: ${each}`);
  if (skipped > 0) lines.push(`${skipped} skipped, for the reasons printed above`);
  return [...lines, `${passed} passed, ${failed} failed`].join("\n");
}

/** @param {string | undefined} text */
const firstLine = (text = "") => text.split("\n", 1)[0] ?? "";

/**
 * @param {string} status
 * @returns {"passed" | "failed" | "skipped"}
 */
function kindOf(status) {
  return status === "passed" || status === "failed" ? status : "skipped";
}
