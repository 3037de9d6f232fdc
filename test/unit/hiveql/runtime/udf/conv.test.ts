import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conv } from "../../../../../hiveql/runtime/udf/conv";

describe("conv", () => {
  test.each<[string, number, number, string | null]>([
    ["ff", 16, 10, "255"],
    ["FfG", 16, -10, "255"],
    ["-10", 10, -16, "-A"],
    ["-", 16, -2, "-0"],
    ["é1", 10, 10, "0"],
    ["", 10, 16, null],
    ["1", 1, 10, null],
    ["1", 10, -37, null],
  ])("%j of base %i in base %i is %j, as in Hive 4.0.1", (text, from, to, expected) => {
    expect(conv(text, from, to)).toBe(expected);
  });

  test.each<[string, number, number]>([
    ["-10", 10, 16],
    ["18446744073709551615", 10, -8],
    ["9223372036854775808", 10, 16],
  ])("%j of base %i in base %i fails: it is not from 0 to 2^63 - 1", (text, from, to) => {
    expect(() => conv(text, from, to)).toThrow("HiveQL: conv of");
  });

  test("more digits than Hive's buffer holds fail the query, as in Hive", () => {
    expect(() => conv("1".repeat(65), 10, 16)).toThrow("at most 64 digits");
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
