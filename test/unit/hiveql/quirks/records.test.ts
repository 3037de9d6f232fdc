/** The records of quirks and rules, from which docs/hiveql.md is generated. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { quirks } from "../../../../hiveql/quirks";
import { rules } from "../../../../hiveql/rules";

/** Files without a record: the type, the list, and what several rules read from conditions. */
const others = new Set(["quirk", "index", "conditions"]);

describe.each([
  ["quirks", quirks],
  ["rules", rules],
])("records of %s", (folder, records) => {
  test("each file has one", () => {
    const files = readdirSync(`hiveql/${folder}`).map((name) => name.replace(/\.ts$/, ""));
    expect(records.map(({ id }) => id).toSorted()).toEqual(files.filter((name) => !others.has(name)).toSorted());
  });

  test.each(records.map((record) => [record.id, record] as const))(
    "%s: says what Hive does and what is done",
    (_id, record) => {
      for (const text of [record.why, record.example, "refuses" in record ? record.refuses : record.rewrites])
        expect(text).toMatch(/^[A-Z−`(].*\.$/);
    },
  );
});
