/** Functions of doubles; the answers are those of Hive 4.0.1, with and without vectorized execution. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pow } from "../../../../../hiveql/runtime/java/strict-math";
import { openAnswers } from "../../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("functions of doubles: the last digit is Java's", () => {
  test.each([
    ["exp(1)", "2.7182818284590455"],
    ["exp(-19.7551D)", "2.633110473603611E-9"],
    ["exp(3)", "20.085536923187668"],
    ["ln(47.5254D)", "3.861264304961903"],
    ["log2(64.3513D)", "6.007897388393307"],
    ["log2(8)", "3.0"],
    ["log10(22.1227D)", "1.344838130026088"],
    ["log(3, 25.3183D)", "2.941463050936136"],
    ["sin(40.0452D)", "0.7142168054055171"],
    ["cos(-45.1062D)", "0.43216618021100633"],
    ["tan(17.7393D)", "-2.015633220235721"],
    ["tan(1e15D)", "-1.672414782127583"],
    ["asin(0.313754D)", "0.3191441053703946"],
    ["acos(0.635705D)", "0.8818748570541259"],
    ["atan(4.07405D)", "1.3300989247296404"],
    ["sinh(1)", "1.1752011936438014"],
    ["cosh(1)", "1.543080634815244"],
    ["cosh(-1.5D)", "2.352409615243247"],
    ["tanh(0.3D)", "0.2913126124515909"],
    ["cbrt(1.5)", "1.1447142425533319"],
    ["cbrt(60.0821D)", "3.9166524419784174"],
    ["cbrt(-27.5)", "-3.018405368398843"],
    ["cbrt(5e-324D)", "1.7031839360032603E-108"],
    ["pow(49.0686D, 1.7D)", "748.8006867831905"],
    ["pow(38.2948D, 3)", "56159.006622755405"],
    ["pow(-38.2948D, 3)", "-56159.006622755405"],
    ["pow(6.178519086153606D, 4)", "1457.2617655930082"],
    ["pow(57.3859D, -2)", "3.036614109318196E-4"],
    ["pow(2, 0.5)", "1.4142135623730951"],
    ["pow(1.0000000044574024D, 4e9D)", "5.537339207240735E7"],
    ["pow(0.5, 1074) = 5e-324D", "true"],
    ["pow(0.5, 1075)", "0.0"],
    ["pow(2, 1024)", "Infinity"],
    ["pow(5e-324D, 0.3D)", "1.018908996936868E-97"],
    ["pow(-8, 1/3)", "NaN"],
    ["pow(1, cast('Infinity' as double))", "NaN"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });
});

describe("pow: equals V8's except for the last digits", () => {
  const small = fc.double({ min: -40, max: 40 });
  test.each([
    ["any two doubles", fc.double()],
    ["small ones", small],
  ])("%s", (_name, numbers) => {
    fc.assert(
      fc.property(numbers, numbers, (x, y) => {
        const [own, other] = [pow(x, y), Math.pow(x, y)];
        const isNear = Math.abs(own - other) <= Math.max(Math.abs(other) * 2 ** -50, 5e-324);
        expect(isNear || Object.is(own, other), `${own} for ${other}`).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });
});
