import { expect, test } from "vitest";
import { compare, reaches, worseRatios } from "../../bench/support/results.mts";

const bars = [{ reference: "peer", atLeast: 1.2 }, { atMost: 15 }];
const values = { ours: [10, 12, 14], peer: [10, 8, 7], other: [1, 2, 3] };
const measurement = compare({ title: "t", unit: "ms", bars }, values);

test("compare: the ratios are those of the rounds, and not of the medians", () => {
  expect(measurement.ours).toEqual({ name: "ours", value: { median: 12, min: 10, max: 14 } });
  expect(measurement.references).toEqual([
    { name: "peer", value: { median: 8, min: 7, max: 10 }, ratio: { median: 1.5, min: 1, max: 2 } },
    { name: "other", value: { median: 2, min: 1, max: 3 }, ratio: { median: 6, min: 4.67, max: 10 } },
  ]);
});

test("reaches: a bar of a reference is of the ratio, any other of our value", () => {
  expect(reaches(measurement, { reference: "peer", atLeast: 1.5 })).toBe(true);
  expect(reaches(measurement, { reference: "peer", atLeast: 1.51 })).toBe(false);
  expect(reaches(measurement, { atMost: 12 })).toBe(true);
  expect(reaches(measurement, { atMost: 11.9 })).toBe(false);
});

test("worseRatios: names a ratio that is worse by more than the share, of speeds and of times", () => {
  const of = (unit: string, ours: number) => compare({ title: "t", unit }, { ours: [ours], peer: [10] });
  const worse = (unit: string, before: number, now: number) =>
    worseRatios([of(unit, before)], [of(unit, now)], 0.2).map((each) => [each.reference, each.before, each.now]);
  expect(worse("ms", 10, 11.9)).toEqual([]);
  expect(worse("ms", 10, 12.1)).toEqual([["peer", 1, 1.21]]);
  expect(worse("ms", 10, 5)).toEqual([]);
  expect(worse("GB/s", 10, 8.4)).toEqual([]);
  expect(worse("answers/s", 10, 8.3)).toEqual([["peer", 1, 0.83]]);
  expect(worse("answers/s", 10, 20)).toEqual([]);
  expect(worseRatios([], [of("ms", 99)], 0.2)).toEqual([]);
});
