/** The table of differences, from which docs/hiveql.md is generated. */
import { expect, test } from "vitest";
import { differences } from "../../../../tools/generate/hiveql/differences.mts";

test.each(differences.map((each) => [each.title, each] as const))("difference: %s has two answers", (_title, each) => {
  expect(each.example).toMatch(/^`/);
  expect(each.here).not.toBe(each.hive);
});
