/** Doubles and floats as text; the answers are those of Hive 4.0.1 on Java 17, which prints as Java 8 does. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printDouble, printFloat } from "../../../../../hiveql/runtime/java/digits";
import { openAnswers } from "../../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("doubles: digits are those of Java", () => {
  test.each([
    ["5e-324D", "4.9E-324"],
    ["9e-323D", "8.9E-323"],
    ["pow(2, -44)", "5.6843418860808015E-14"],
    ["-1 * pow(2, -44)", "-5.6843418860808015E-14"],
    ["pow(2, 147)", "1.7840596158824499E44"],
    ["3.5e22D", "3.5000000000000002E22"],
    ["5.2108e21D", "5.210800000000001E21"],
    ["9.58097979400489e17D", "9.5809797940048896E17"],
    ["1e23D", "9.999999999999999E22"],
    ["12345678.9D", "1.23456789E7"],
    ["0.00012D", "1.2E-4"],
    ["pow(2, -9)", "0.001953125"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}, array(${expression})`)).toEqual([`${expected}|[${expected}]`]);
  });
});

describe("floats: digits are those of Java", () => {
  test.each([
    ["262.953125", "262.95312"],
    ["135970.125", "135970.12"],
    ["-135970.125", "-135970.12"],
    ["51379.8125", "51379.812"],
    ["0.000244140625", "2.4414062E-4"],
    ["1.1754943508222875E-38", "1.17549435E-38"],
    ["16777216", "1.6777216E7"],
    ["9.6018145E24", "9.6018144E24"],
    ["0.1", "0.1"],
  ])("%s is %s", async (number, expected) => {
    const [id, ...rest] = ["1", `cast('${number}' as float)`, `cast(cast('${number}' as float) as string)`];
    const statement = `select ${rest.join(", ")} from people where id = ${id}`;
    expect(await answers.answer(statement)).toEqual([`${expected}|${expected}`]);
  });

  test("a float converts to a decimal by its printed digits", async () => {
    const statement = "select cast(cast(pay * 0 + 135970.125 as float) as decimal(12,3)) from people where id = 1";
    expect(await answers.answer(statement)).toEqual(["135970.120"]);
  });
});

describe("printed numbers: parse to the same number", () => {
  test("doubles", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(Number(printDouble(value))).toBe(value);
      }),
      { numRuns: 20_000 },
    );
  });

  test("floats", () => {
    fc.assert(
      fc.property(fc.float(), (value) => {
        expect(Math.fround(Number(printFloat(value)))).toBe(value);
      }),
      { numRuns: 20_000 },
    );
  });
});
