import { expect, test } from "vitest";
import { withoutSecretParts, withTableNames } from "../../../../provider/plugin/differences";

test("withTableNames: names the tables, and says which may be of another resource", () => {
  const replaces = ['tables["shop.a"]', 'tables["shop.b"]'];
  const diff = {
    changes: true,
    replaces,
    deleteBeforeReplace: true,
    reasons: [],
    detailedDiff: { tables: { kind: "update", replace: true } },
    inputNames: new Set(["tables"]),
    rebuilt: ["shop.a", "shop.b"],
  } as const;
  const shown = withTableNames(diff, false, (table) => table === "shop.b");
  expect(shown.replaces).toEqual(replaces);
  expect(Object.keys(shown.detailedDiff)).toEqual([
    'tables["shop.a was rebuilt"]',
    'tables["shop.b was rebuilt, or is of another resource"]',
  ]);
  expect(Object.keys(withTableNames(diff, true, () => false).detailedDiff)).toEqual(["tables"]);
});

test("withoutSecretParts: names a secret property, and no key of it", () => {
  const change = { kind: "add", replace: true } as const;
  const diff = {
    changes: true,
    replaces: ["triggers"],
    deleteBeforeReplace: true,
    reasons: [],
    detailedDiff: { "triggers.hunter2": change, "triggers.other": change, "inputObjectKeys[1]": change },
    inputNames: new Set(["triggers", "inputObjectKeys"]),
  };
  expect(withoutSecretParts(diff, new Set(["triggers"])).detailedDiff).toEqual({
    triggers: { kind: "update", replace: true },
    "inputObjectKeys[1]": change,
  });
});
