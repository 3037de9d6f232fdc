import { describe, expect, test } from "vitest";
import { countTests, failedTests, summary } from "../../../../tools/test/summary.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

describe("countTests", () => {
  test("counts tests by their status", () => {
    const report = { testResults: [file("passed", "passed", "pending"), file("failed", "failed", "passed", "todo")] };
    expect(countTests(report, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test("counts a file that could not be loaded as a failure", () => {
    expect(countTests({ testResults: [file("failed"), file("passed", "passed")] }, 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
    });
  });

  test("counts a run that failed without a failed test as a failure", () => {
    expect(countTests({ testResults: [file("passed", "passed")] }, 1).failed).toBe(1);
  });

  test("counts a run without a report as a failure, whatever its exit code", () => {
    expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("counts no failure when all tests pass", () => {
    expect(countTests({ testResults: [file("passed", "passed", "passed")] }, 0).failed).toBe(0);
  });
});

describe("failedTests", () => {
  test("names the file, the test and the first line of its error", () => {
    const failed = { status: "failed", fullName: "list: pages", failureMessages: ["Error: expected 3\n    at x.ts:1"] };
    const testResults = [{ status: "failed", name: "/repo/test/a.test.ts", assertionResults: [failed] }];
    expect(failedTests({ testResults }, "/repo")).toEqual(["test/a.test.ts: list: pages: Error: expected 3"]);
  });

  test("names a file that could not be loaded", () => {
    const testResults = [
      { status: "failed", name: "/repo/test/a.test.ts", message: "no such module", assertionResults: [] },
    ];
    expect(failedTests({ testResults }, "/repo")).toEqual(["test/a.test.ts: could not be run: no such module"]);
  });

  test("is empty when all tests pass, and without a report", () => {
    expect(failedTests({ testResults: [file("passed", "passed")] }, "/repo")).toEqual([]);
    expect(failedTests(undefined, "/repo")).toEqual([]);
  });
});

describe("summary", () => {
  test("begins with the failed tests", () => {
    const lines = summary({ passed: 3, failed: 1, skipped: 0, failures: ["a.test.ts: b: c"] }).split("\n");
    expect(lines).toEqual(["failed: a.test.ts: b: c", "3 passed, 1 failed"]);
  });

  test("ends with the passed and failed tests, after the skipped ones when there are any", () => {
    expect(summary({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed");
    expect(summary({ passed: 3, failed: 1, skipped: 2 }).split("\n")).toEqual([
      expect.stringMatching(/^2 skipped/),
      "3 passed, 1 failed",
    ]);
  });
});
