import { describe, expect, test } from "vitest";
import type { Answer } from "../../conformance/hive/engine.mts";
import { compareAnswers, sameValue } from "../../conformance/hive/compare-answers.mts";

const rows = (type: string, ...values: (string | null)[]): Answer => ({
  kind: "rows",
  rows: values.map((value) => [value]),
  types: [type],
});
const refused: Answer = { kind: "refused", message: "no" };
const failed: Answer = { kind: "failed", message: "broken" };

describe("sameValue", () => {
  test.each([
    ["1.5", "1.50", "decimal(3,2)", true],
    ["100", "1", "decimal(3,0)", false],
    ["1.5", "1.50", "string", false],
    ["3.4e+38", "3.4E38", "float", true],
    ["0.1", "0.1000000000001", "double", false],
    ["0.3", "0.30000000000000001", "double", true],
    [null, "NULL", "string", false],
    [null, null, "int", true],
    ["[1.0,null]", "[1,null]", "array<double>", true],
    ["Infinity", "-Infinity", "double", false],
  ])("sameValue: %j and %j as %s: %j", (hive, embedded, type, expected) => {
    expect(sameValue(hive, embedded, type)).toBe(expected);
  });
});

describe("compareAnswers", () => {
  test("compareAnswers: expressions are the same when values, order of rows and type are equal", () => {
    expect(compareAnswers(rows("int", "1", null), rows("int", "1", null), "column")).toBe("same");
    expect(compareAnswers(rows("int", "1", "2"), rows("int", "2", "1"), "column")).toBe("different");
    expect(compareAnswers(rows("int", "1"), rows("bigint", "1"), "column")).toBe("different");
    expect(compareAnswers(rows("int", "1"), rows("int", "1", "1"), "column")).toBe("different");
  });

  test("compareAnswers: compares the order of a query's rows when it is sorted or the rows have an order", () => {
    expect(compareAnswers(rows("int", "1", "2"), rows("int", "2", "1"), "rows")).toBe("same");
    const sorted: Answer = { ...rows("int", "2", "1"), sortedBy: [0] } as Answer;
    expect(compareAnswers(rows("int", "1", "2"), sorted, "rows")).toBe("different");
    expect(compareAnswers(rows("int", "1", "2"), rows("int", "2", "1"), "ordered rows")).toBe("different");
    expect(compareAnswers(rows("int", "1", "2"), rows("int", "1", "2"), "ordered rows")).toBe("same");
  });

  test("compareAnswers: distinguishes refusals and failures", () => {
    expect(compareAnswers(rows("int", "1"), refused, "column")).toBe("refused");
    expect(compareAnswers(refused, refused, "column")).toBe("refused by both");
    expect(compareAnswers(refused, failed, "column")).toBe("refused by both");
    expect(compareAnswers(refused, rows("int", "1"), "column")).toBe("accepted only here");
    expect(compareAnswers(rows("int", "1"), failed, "column")).toBe("different");
    const known: Answer = { kind: "refused", message: "Error evaluating array_min(ai)" };
    expect(compareAnswers(known, rows("int", "1"), "column")).toBe("refused by both");
  });
});
