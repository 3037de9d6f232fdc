import { expect, test } from "vitest";
import { unknown } from "../../../../../provider/lifecycles";
import { policyAtDelete, policyOfReplaced } from "../../../../../provider/lifecycles/freshness/replaced-policy";

test.each([
  ["purge", "purge", ["outputTable"], "purge"],
  ["purge", "keep", ["outputTable", "inputObjectKeys"], "keep"],
  ["purge", undefined, ["outputResourcePath"], "keep"],
  // The folder is made again: what is in it cannot stay.
  ["purge", "keep", ["inputObjectKeys"], "purge"],
  // What the program says is not known yet.
  ["purge", unknown, ["outputTable"], "purge"],
  ["keep", "purge", ["outputDatabase"], "keep"],
  ["keep", "purge", ["inputObjectKeys"], "keep"],
] as const)("policyOfReplaced: %s, and the program says %s while %j change: %s", (before, now, replaces, policy) => {
  expect(policyOfReplaced({ deletionPolicy: before }, { deletionPolicy: now }, replaces)).toBe(policy);
});

test("policyOfReplaced: a table with a generated name moves with each replacement", () => {
  const of = (now: "keep" | "purge", replaces: readonly string[]) =>
    policyOfReplaced({ deletionPolicy: "purge" }, { deletionPolicy: now }, replaces, true);
  expect(of("keep", ["inputObjectKeys"])).toBe("keep");
  expect(of("purge", ["inputObjectKeys"])).toBe("purge");
  expect(of("keep", [])).toBe("purge");
});

test("policyAtDelete: that of the replacement's comparison, or of the last up", () => {
  const programTables = { replaced: (id: number) => (id === 1 ? { deletionPolicy: "keep" as const } : undefined) };
  expect(policyAtDelete(1, { deletionPolicy: "purge" }, { programTables })).toBe("keep");
  expect(policyAtDelete(2, { deletionPolicy: "purge" }, { programTables })).toBe("purge");
  expect(policyAtDelete(1, { deletionPolicy: "purge" }, {})).toBe("purge");
});
