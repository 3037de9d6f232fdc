import { expect, test } from "vitest";
import { hiveReason } from "../../../../../service/engines/hiveserver2/dialects/hive-reason";

test.each([
  [
    "Error while compiling statement: FAILED: SemanticException [Error 10004]: Line 1:23 Invalid column 'x'",
    "[Error 10004]: Line 1:23 Invalid column 'x'",
  ],
  [
    "Error while processing statement: FAILED: Execution Error, return code 2. Vertex failed, diagnostics=[Task failed, TaskAttempt 0 failed, info=[java.lang.RuntimeException: a\n\tat x.Y.z(Y.java:1)\nCaused by: org.apache.hadoop.hive.ql.metadata.HiveException: the reason\n\tat x.Y.z(Y.java:1)\n, TaskAttempt 1 failed, Caused by: a.B: second",
    "the reason",
  ],
  ["", "the server gave no reason"],
  [null, "the server gave no reason"],
  ["java.lang.NullPointerException: null", "null"],
])("hiveReason: %j", (message, reason) => {
  expect(hiveReason(message)).toBe(reason);
});

test("hiveReason: a long reason is shortened", () => {
  expect(hiveReason("x".repeat(5000))).toHaveLength(2001);
});
