import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StatusLines } from "../../../../provider/pulumi-engine/status-lines";

let shown: string[];
let lines: StatusLines;

beforeEach(() => {
  vi.useFakeTimers();
  shown = [];
  lines = new StatusLines((urn, line) => shown.push(`${urn}: ${line}`));
});
afterEach(() => vi.useRealTimers());

test("set: a line is sent after a short delay, and only once", () => {
  lines.set("a", "running");
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(50);
  lines.set("a", "running");
  vi.advanceTimersByTime(1_000);
  expect(shown).toEqual(["a: running"]);
});

test("set: a line that is replaced at once is not sent", () => {
  lines.set("a", "submitting");
  lines.set("b", "submitting");
  lines.set("a", "running");
  vi.advanceTimersByTime(1_000);
  expect(shown.toSorted()).toEqual(["a: running", "b: submitting"]);
});

test("set: a line that lasts 50 ms is sent, also right after another", () => {
  lines.set("a", "one");
  vi.advanceTimersByTime(50);
  lines.set("a", "two");
  vi.advanceTimersByTime(50);
  expect(shown).toEqual(["a: one", "a: two"]);
});

test("set: hundreds of constantly changing rows send at most a thousand messages per second", () => {
  for (let time = 0; time < 10_000; time += 10) {
    for (let row = 0; row < 300; row++) lines.set(`row ${row}`, `at ${time}`);
    vi.advanceTimersByTime(10);
  }
  expect(shown.length).toBeLessThanOrEqual(10_000);
  expect(new Set(shown.map((text) => text.split(":")[0])).size).toBe(300);
});

test("progress: with an interval, a row shows its first line after it, the newest each time, and the last at the end", () => {
  lines.interval = 30_000;
  for (let second = 0; second < 100; second += 1) {
    lines.progress("a", `running ${second}%`);
    vi.advanceTimersByTime(1_000);
  }
  expect(shown).toEqual(["a: running 29% · 30 s", "a: running 59% · 1 min", "a: running 89% · 1 min 30 s"]);
  lines.progress("a", "finished");
  lines.settle("a");
  lines.progress("short", "submitting");
  lines.progress("short", "finished");
  lines.settle("short");
  vi.advanceTimersByTime(100);
  expect(shown.slice(3)).toEqual(["a: finished", "short: finished"]);
  vi.advanceTimersByTime(100_000);
  expect(shown).toHaveLength(5);
});

test("progress: with an interval, a line that stays the same is repeated with the elapsed time until the operation ends", () => {
  lines.interval = 30_000;
  lines.progress("a", "[2/3] running 0%");
  vi.advanceTimersByTime(95_000);
  const repeated = ["30 s", "1 min", "1 min 30 s"].map((time) => `a: [2/3] running 0% · ${time}`);
  expect(shown).toEqual(repeated);
  lines.settle("a");
  vi.advanceTimersByTime(95_000);
  expect(shown).toEqual(repeated);
});

test("progress: an interval delays no other line, and the end of a run sends no progress that waits", () => {
  lines.interval = 30_000;
  lines.progress("a", "deleting the objects");
  lines.set("b", "runs again");
  vi.advanceTimersByTime(100);
  expect(shown).toEqual(["b: runs again"]);
  lines.flush();
  expect(shown).toEqual(["b: runs again"]);
});
