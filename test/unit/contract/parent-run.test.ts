import fc from "fast-check";
import { expect, test } from "vitest";
import { formatParentRun, parseParentRun } from "../../../contract";

const part = fc.string({ minLength: 1, maxLength: 50, unit: "grapheme" });

test("parent run: each value is read as it was written, in printable characters", () => {
  fc.assert(
    fc.property(part, part, fc.uuid(), (namespace, name, runId) => {
      const text = formatParentRun({ namespace, name, runId });
      expect(text).toMatch(/^[!-~]+$/);
      expect(parseParentRun(text)).toEqual({ namespace, name, runId });
    }),
  );
});

test.each([
  "",
  "pulumi/p",
  "a/b/c",
  "a/b/c/01890a5d-ac96-774b-bcce-b302099a8057",
  "%/b/01890a5d-ac96-774b-bcce-b302099a8057",
])("parent run: %j is none", (text) => {
  expect(parseParentRun(text)).toBeUndefined();
});
