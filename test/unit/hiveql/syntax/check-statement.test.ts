import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkStatement } from "../../../../hiveql/syntax";

describe("checkStatement: text that is not HiveQL", () => {
  test.each([
    ["select", 1, 7, "end of statement"],
    ["selec 1", 1, 1, '"selec"'],
    ["select *\nfrom t\nlimit x", 3, 7, '"x"'],
    ["select a b c from t", 1, 12, '"c"'],
    ["select * from t where", 1, 22, "end of statement"],
    ["", 1, 1, "statement"],
  ])("%j is a syntax error at %i:%i", (text, line, column, construct) => {
    const { error, warning } = checkStatement(text);
    expect(warning).toBeUndefined();
    expect(error).toMatchObject({ problem: "syntax", line, column, construct });
    expect(error?.message.startsWith(`${line}:${column} `)).toBe(true);
  });

  test.each([
    ["select 'a", "1:8 quote: is not closed"],
    ['select 1,\n "a from t', "2:2 quote: is not closed"],
    ["select `a from t", "1:8 quote: is not closed"],
    ["select 1 /* a from t", "/*: is a comment without an end: write */ behind it"],
  ])("%j says what is not closed", (text, message) => {
    expect(checkStatement(text).error).toMatchObject({ problem: "syntax", message: expect.stringContaining(message) });
  });

  test.each([
    "select 1;",
    "select 1;;",
    "select 1 ; -- a\n ;\n",
    ";select 1",
    "set hive.exec.parallel=true;;\nselect 1;",
  ])("%j is one statement: empty ones count as in Hive's clients", (text) => {
    const { query, ...rest } = checkStatement(text);
    expect(rest).toEqual({ tables: [] });
    expect(query?.body.rest).toEqual([]);
  });

  test.each([";", " ; ;"])("%j is empty", (text) => {
    expect(checkStatement(text).error).toMatchObject({ construct: "statement", reason: "is empty" });
  });

  test("two statements are refused at the second one, whatever stands between them", () => {
    expect(checkStatement("select 1;; select 2").error).toMatchObject({
      column: 12,
      construct: "second statement",
      reason: expect.stringMatching(/^is not allowed: /),
    });
  });

  test("never throws", () => {
    const words = fc.constantFrom(
      "select",
      "from",
      "t",
      "(",
      ")",
      ",",
      "'x'",
      "1",
      "case",
      "when",
      "end",
      "not",
      "`a`",
      "*",
      ";",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const { error, warning } = checkStatement(parts.join(" "));
        const places = [error, warning].filter((found) => found !== undefined).map((found) => found.line);
        expect(places.every((line) => line > 0)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe("checkStatement: HiveQL that is not one SELECT", () => {
  test.each([
    ["insert overwrite table t select 1", "INSERT"],
    ["drop table t", "DROP"],
    ["select 1; select 2", "second statement"],
    ["from t insert overwrite directory '/x' select a", "INSERT"],
  ])("%j is refused", (text, construct) => {
    expect(checkStatement(text).error).toMatchObject({ construct, problem: expect.stringMatching(/semantic/) });
  });

  test("accepts a semicolon at the end", () => {
    expect(checkStatement("select 1;")).toMatchObject({ tables: [] });
  });
});

describe("checkStatement: HiveQL that the embedded engine does not support", () => {
  test.each([
    ["select transform(a) using 'cat' as (b) from t", "TRANSFORM"],
    [`select ${"(".repeat(61)}1${")".repeat(61)}`, "nesting"],
    [`select ${"- ".repeat(61)}1`, "nesting"],
    [`select ${Array.from({ length: 402 }, () => "1").join(" + ")}`, "expression"],
  ])("%.40s… is a warning that names the embedded engine", (text, construct) => {
    const { error, warning } = checkStatement(text);
    expect(error).toBeUndefined();
    expect(warning).toMatchObject({ problem: "unsupported", construct });
    expect(warning?.message).toContain("the embedded engine");
  });

  test("accepts long chains of AND and OR", () => {
    const chain = Array.from({ length: 3000 }, (_unused, index) => `a = ${index}`).join(" or ");
    expect(checkStatement(`select a from t where ${chain}`).warning).toBeUndefined();
  });
});
