import fc from "fast-check";
import { expect, test } from "vitest";
import { excerptOf } from "../../../contract";

test("excerptOf: returns a statement of up to 1,000 characters whole", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 1000 }), (text) => {
      expect(excerptOf(text)).toBe(text);
    }),
  );
});

test("excerptOf: returns the first 1,000 characters of a longer one and the mark", () => {
  expect(excerptOf("x".repeat(1001))).toBe(`${"x".repeat(1000)}…`);
});

test("excerptOf: cuts no character in half", () => {
  const text = `${"x".repeat(999)}\u{1F989}${"y".repeat(10)}`;
  expect(excerptOf(text)).toBe(`${"x".repeat(999)}…`);
  expect(excerptOf(text).isWellFormed()).toBe(true);
});
