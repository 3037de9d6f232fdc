import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conv } from "../../../../../hiveql/runtime/udf/conv";

describe("conv", () => {
  test.each<[string, number, number, string | null]>([
    ["ff", 16, 10, "255"],
    ["FfG", 16, -10, "255"],
    ["-10", 10, 16, "FFFFFFFFFFFFFFF6"],
    ["-10", 10, -16, "-A"],
    ["18446744073709551615", 11, -8, "-233720416073527703067"],
    ["-", 16, -2, "-0"],
    ["é1", 10, 10, "0"],
    ["", 10, 16, null],
    ["1", 1, 10, null],
    ["1", 10, -37, null],
  ])("%j of base %i in base %i is %j, as in Hive 4.0.1", (text, from, to, expected) => {
    expect(conv(text, from, to)).toBe(expected);
  });

  test.each<[string, number, number, string]>([
    ["-C780540924e51a92C7", 16, -10, "-1"],
    ["-jRx59b4bC6NDNc", 36, -8, "-1"],
    ["-I07GD084421h4c8", 19, -36, "-UQY7ZXWDM4ZS"],
    ["18446744073709551616", 10, 10, "18446744073709551615"],
  ])("%j of base %i, which is more than 64 bits, in base %i is %j", (text, from, to, expected) => {
    expect(conv(text, from, to)).toBe(expected);
  });

  test.each<[string, number, number, string]>([
    ["-3fbe49179a8Eda32", 16, 31, "HI77EPT310L9\0"],
    ["-15325344320", 10, 36, "3W5E10V4OH5G\0"],
  ])("%j of base %i in base %i is %j, which does not end with a digit, as in Hive", (text, from, to, expected) => {
    expect(conv(text, from, to)).toBe(expected);
  });

  test("more digits than Hive's buffer holds fail the query, as in Hive", () => {
    expect(() => conv("1".repeat(65), 10, 16)).toThrow("at most 64 digits");
    expect(() => conv("-9223372036854775808", 10, -2)).toThrow("cannot write a sign");
  });

  test("numbers of at most 63 bits round-trip through any base", () => {
    const base = fc.integer({ min: 2, max: 36 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), base, base, (value, from, to) => {
        const written = conv(value.toString(from), from, to);
        expect(written).toBe(value.toString(to).toUpperCase());
        expect(conv(written ?? "", to, -10)).toBe(String(value));
      }),
    );
  });
});
