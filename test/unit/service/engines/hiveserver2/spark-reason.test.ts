import { expect, test } from "vitest";
import { sparkReason, withoutSparkPosition } from "../../../../../service/engines/hiveserver2/dialects/spark-reason";

test.each([
  [
    "Error running query: [UNRESOLVED_COLUMN.WITH_SUGGESTION] org.apache.spark.sql.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `x` cannot be resolved. SQLSTATE: 42703; line 1 pos 22;\n'Project ['x]\n+- SubqueryAlias dag_t0\n",
    { reason: "A column with name `x` cannot be resolved.", line: 1, column: 22 },
  ],
  [
    "Error running query: [PARSE_SYNTAX_ERROR] org.apache.spark.sql.catalyst.parser.ParseException: \n[PARSE_SYNTAX_ERROR] Syntax error at or near 'y'. SQLSTATE: 42601 (line 2, pos 35)\n\n== SQL ==\nSELECT x(\n FROM y\n-----^^^\n",
    { reason: "Syntax error at or near 'y'.", line: 2, column: 35 },
  ],
  [
    "Error running query: [SCALAR_SUBQUERY_TOO_MANY_ROWS] org.apache.spark.SparkException: [SCALAR_SUBQUERY_TOO_MANY_ROWS] More than one row. SQLSTATE: 21000\n== SQL (line 1, position 8) ==\nSELECT (SELECT v FROM t)\n",
    { reason: "More than one row." },
  ],
  [
    "Error running query: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure: Lost task 0.0 in stage 1.0 (TID 1) (host executor driver): org.apache.spark.SparkRuntimeException: [USER_RAISED_EXCEPTION] boom SQLSTATE: P0001\n\tat org.apache.spark.X.y(X.scala:1)\n\nDriver stacktrace:",
    { reason: "boom" },
  ],
  [
    "Error running query: java.util.IllegalFormatConversionException: f != x\n\tat java.base/java.util.Formatter.f(Formatter.java:1)",
    { reason: "f != x" },
  ],
  ["", { reason: "the server gave no reason" }],
  [undefined, { reason: "the server gave no reason" }],
])("sparkReason: of %j", (message, expected) => {
  expect(withoutSparkPosition(sparkReason(message))).toEqual(expected);
});

test("sparkReason: a long reason is cut", () => {
  expect(sparkReason("x".repeat(5000))).toHaveLength(2001);
});
