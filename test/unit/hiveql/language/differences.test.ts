/** The records of quirks and differences, from which docs/hiveql.md is generated. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { quirks } from "../../../../hiveql/quirks";
import { differences } from "../../../../hiveql/differences";

/** Files without a record: the type and the list. */
const others = new Set(["quirk", "index"]);

test("each file of quirks has a record", () => {
  const files = readdirSync("hiveql/quirks").map((name) => name.replace(/\.ts$/, ""));
  expect(quirks.map(({ id }) => id).toSorted()).toEqual(files.filter((name) => !others.has(name)).toSorted());
});

describe("quirks", () => {
  test.each(quirks.map((record) => [record.id, record] as const))(
    "%s: says what Hive does and what is done",
    (_id, record) => {
      for (const text of [record.why, record.example, "refuses" in record ? record.refuses : record.rewrites])
        expect(text).toMatch(/^[A-Z−`(].*\.$/);
    },
  );
});

test.each(differences.map((each) => [each.title, each] as const))("difference: %s has two answers", (_title, each) => {
  expect(each.example).toMatch(/^`/);
  expect(each.here).not.toBe(each.hive);
});
