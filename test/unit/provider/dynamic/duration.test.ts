import { RunError } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { parseDuration, parseTimeouts } from "../../../../provider/dynamic/duration";

test.each([
  ["30m", 1_800_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  ["250ms", 250],
])("parseDuration: %s", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(["", "10", "ten minutes", "-5m", "0s", "1h 30m"])("parseDuration: %j is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test("parseTimeouts: what is set, in milliseconds", () => {
  expect(parseTimeouts("SelectQuery", "a", undefined)).toBeUndefined();
  expect(parseTimeouts("SelectQuery", "a", { create: "2h", delete: "1m" })).toEqual({
    create: 7_200_000,
    delete: 60_000,
  });
});

test("parseTimeouts: names the invalid timeout", () => {
  expect(() => parseTimeouts("SelectQuery", "a", { create: "soon" })).toThrow(RunError);
  expect(() => parseTimeouts("SelectQuery", "a", { create: "soon" })).toThrow(
    'SelectQuery "a": customTimeouts.create "soon" must be a duration such as "1h30m" or "90s"',
  );
});
