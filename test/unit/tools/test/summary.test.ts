import { describe, expect, test } from "vitest";
import { countTests, summary } from "../../../../tools/test/summary.mjs";

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

describe("summary", () => {
  test("ends with the passed and failed tests, after the skipped ones when there are any", () => {
    expect(summary({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed");
    expect(summary({ passed: 3, failed: 1, skipped: 2 }).split("\n")).toEqual([
      expect.stringMatching(/^2 skipped/),
      "3 passed, 1 failed",
    ]);
  });
});
