import { expect, test } from "vitest";
import {
  checkBytes,
  findProcessToEnd,
  lateCheckEnd,
  memoryShare,
  unresponsiveReason,
  type Use,
} from "../../../../../../service/engines/duckdb/process/limits";

const MiB = 1024 * 1024;
const using = (mebibytes: number, keptBytes = 0) => ({
  usedBytes: mebibytes * MiB,
  keptBytes,
  silentMilliseconds: 0,
  blockedMilliseconds: 0,
});
const busy = (...uses: readonly (readonly [number, Use])[]) =>
  new Map(uses.map(([mebibytes, use]) => [using(mebibytes), use] as const));

test("findProcessToEnd: ends nothing while all queries together are within the cluster's limit", () => {
  expect(findProcessToEnd(busy([500, "query"], [400, "query"], [200, "check"]), 900 * MiB)).toBeUndefined();
  expect(findProcessToEnd(busy(), 1)).toBeUndefined();
});

test("findProcessToEnd: ends the query that uses most, and says what it and all others use", () => {
  const excess = findProcessToEnd(busy([300, "query"], [800, "query"], [100, "check"]), 900 * MiB);
  expect(excess?.process.usedBytes).toBe(800 * MiB);
  expect(excess?.reason).toBe(
    "the query ran out of memory (the cluster's limit is 943.7 MB): it used 755.0 MB, all queries of the cluster 985.7 MB",
  );
  expect(findProcessToEnd(busy([800, "query"]), 100 * MiB)?.reason).toMatch(/it used 755\.0 MB$/);
});

test("findProcessToEnd: a check has a limit of its own, and no query ends because of it", () => {
  const excess = findProcessToEnd(busy([900, "query"], [257, "check"]), 1000 * MiB);
  expect(excess?.process.usedBytes).toBe(257 * MiB);
  expect(findProcessToEnd(busy([checkBytes / MiB, "check"]), 1 * MiB)).toBeUndefined();
});

test("findProcessToEnd: what its process kept of an earlier request is not the check's", () => {
  const check = (keptBytes: number) => new Map([[using(500, keptBytes), "check"] as const]);
  expect(findProcessToEnd(check(300 * MiB), 1000 * MiB)).toBeUndefined();
  expect(findProcessToEnd(check(200 * MiB), 1000 * MiB)?.reason).toMatch(/^the check of the statement needs/);
});

test("memoryShare: divides the cluster's memory between the queries, with a part for JavaScript", () => {
  expect(memoryShare(1000 * MiB, 1)).toBe(800 * MiB);
  expect(memoryShare(1000 * MiB, 4)).toBe(200 * MiB);
  expect(memoryShare(1000 * MiB, 1000)).toBe(32 * MiB);
  expect(memoryShare(1000 * MiB, 0)).toBe(800 * MiB);
});

test.each([
  ["check", 5001, 0, /did not respond for 5 s/],
  ["query", 60_001, 0, /did not respond for 60 s/],
  ["query", 0, 60_001, /regular expression/],
  ["idle", 15_001, 0, /did not respond/],
] as const)("unresponsiveReason: %s, silent for %i ms, blocked for %i ms", (use, silent, blocked, reason) => {
  const process = { usedBytes: 0, keptBytes: 0, silentMilliseconds: silent, blockedMilliseconds: blocked };
  expect(unresponsiveReason(process, use)).toMatch(reason);
});

test.each([
  ["check", 4999, 70_000],
  ["query", 59_000, 59_000],
  ["idle", 14_000, 70_000],
] as const)("unresponsiveReason: none for %s, silent for %i ms, blocked for %i ms", (use, silent, blocked) => {
  const process = { usedBytes: 0, keptBytes: 0, silentMilliseconds: silent, blockedMilliseconds: blocked };
  expect(unresponsiveReason(process, use)).toBeUndefined();
});

test("lateCheckEnd: blames the statement only when the check had the processor", () => {
  expect(lateCheckEnd(9000)).toEqual({ cause: "time", reason: "the check of the statement takes longer than 10 s" });
  expect(lateCheckEnd(200)).toEqual({
    cause: "unresponsive",
    reason: "the machine had too little time for it within 10 s",
  });
});
