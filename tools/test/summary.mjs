/** Counts the tests of a run and formats its last lines. */

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ status: string, assertionResults: { status: string }[] }} FileReport */
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
 * @param {Counts} counts
 * @returns {string} one or two lines; the last is always like `12 passed, 0 failed`
 */
export function summary({ passed, failed, skipped }) {
  const lines = skipped > 0 ? [`${skipped} skipped, for the reasons printed above`] : [];
  return [...lines, `${passed} passed, ${failed} failed`].join("\n");
}

/**
 * @param {string} status
 * @returns {keyof Counts}
 */
function kindOf(status) {
  return status === "passed" || status === "failed" ? status : "skipped";
}
