import { expect, test } from "vitest";
import { staleText } from "../../../../provider/pulumi-engine/stale-text";

test.each([
  ["error", 'query 30 has status "error", so it has no result, and a lookup only reads it: use the ID of a query'],
  ["canceled", 'query 30 has status "canceled", so it has no result'],
  ["running", "query 30 still runs, so it has no result yet: run the program again when the query has finished"],
])("a lookup of a query with status %s: names both, and no pulumi up, which changes nothing", (status, text) => {
  const said = staleText({ id: "30", state: { status } }, true);
  expect(said).toContain(text);
  expect(said).not.toContain("pulumi up");
});

test("a refresh of a query that failed: up replaces it", () => {
  expect(staleText({ id: "30", state: { status: "error" } }, false)).toContain('run "pulumi up"');
});
