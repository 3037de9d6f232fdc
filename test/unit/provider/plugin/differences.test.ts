import { expect, test } from "vitest";
import { withTableNames } from "../../../../provider/plugin/differences";

test("withTableNames: names the tables, and says which may be of another resource", () => {
  const diff = {
    changes: true,
    replaces: [],
    deleteBeforeReplace: true,
    reasons: [],
    detailedDiff: { tables: { kind: "update", replace: true } },
    inputNames: new Set(["tables"]),
  } as const;
  const replaces = ['tables["shop.a"]', 'tables["shop.b"]'];
  const shown = withTableNames(diff, replaces, (table) => table === "shop.b");
  expect(shown.replaces).toEqual(replaces);
  expect(Object.keys(shown.detailedDiff)).toEqual([
    'tables["shop.a was rebuilt"]',
    'tables["shop.b was rebuilt, or is of another resource"]',
  ]);
});
