import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDecimals,
  divideDecimals,
  multiplyDecimals,
  plainDecimal,
  remainderDecimals,
} from "../../../../../hiveql/runtime/java/decimals";
import { exactDigits, roundDouble } from "../../../../../hiveql/runtime/java/exact-numbers";

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 10 }))
  .map(([digits, scale]) => plainDecimal(`${digits}e-${scale}`) ?? "");

describe("decimals", () => {
  test("a sum is exact when the scale is sufficient", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const negative = right.startsWith("-") ? right.slice(1) : `-${right}`;
        const sum = addDecimals(left, right, 10);
        expect(addDecimals(sum, negative, 10)).toBe(addDecimals(left, "0", 10));
      }),
    );
  });

  test("a quotient times its divisor is the dividend except for rounding", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const quotient = divideDecimals(left, right, 8);
        const back = quotient === null ? null : multiplyDecimals(quotient, right, 4);
        fc.pre(back !== null && Math.abs(Number(right)) < 1000);
        expect(Number(addDecimals(back ?? "", left.startsWith("-") ? left.slice(1) : `-${left}`, 4))).toBeCloseTo(0, 3);
      }),
    );
  });

  test.each([
    [divideDecimals("1", "3", 6), "0.333333"],
    [divideDecimals("-2", "3", 6), "-0.666667"],
    [divideDecimals("1", "0.00", 6), null],
    [remainderDecimals("-5.5", "2", 1), "-1.5"],
    [multiplyDecimals("0.05", "0.5", 2), "0.03"],
    [multiplyDecimals("1.2345678901234567891", "1.2345678901234567891", 6), null],
    [multiplyDecimals("1.5", "12345678901234567890.123456789012345678", 9), "18518518351851851835.185185184"],
    [plainDecimal("1.5e-3"), "0.0015"],
    [plainDecimal("12e2"), "1200."],
    [plainDecimal("1e000"), "1."],
    [plainDecimal("12e-002"), "0.12"],
    [plainDecimal("1e100"), null],
    [plainDecimal("x"), null],
  ])("%s is %s", (got, expected) => {
    expect(got).toBe(expected);
  });
});

describe("floating point numbers", () => {
  test("exact digits have the value of the number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }), (value) => {
        const { digits, scale } = exactDigits(value);
        expect(Number(`${digits}e-${scale}`)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  test.each([
    [1.005, 2, false, 1.01],
    [2.5, 0, false, 3],
    [-2.5, 0, false, -3],
    [2.5, 0, true, 2],
    [-3.5, 0, true, -4],
    [-2.5, 0, true, -2],
    [1234.5, -2, false, 1200],
  ])("%f to %i places (half to even: %s) is %f", (value, places, toEven, expected) => {
    expect(roundDouble(value, places, toEven)).toBe(expected);
  });
});
