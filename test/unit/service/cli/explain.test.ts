import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { errorCodes, errorTable } from "../../../../contract";
import { errorExplanations } from "../../../../contract/error-explanations";
import { explanation } from "../../../../service/cli/explain";

test("explain: says the meaning, the cause, the remedy and the operations of a code", () => {
  expect(explanation("TooManyQueries")).toBe(
    [
      "TooManyQueries (HTTP 400): the cluster already runs its maximum of (instances − 1) queries, or cannot take another submission now",
      "Cause: All slots of the cluster are taken: it runs one query fewer than it has instances. Or too many submissions are being checked.",
      "Remedy: Try again when a query has ended; the Pulumi provider waits by itself. If it happens often, give the cluster more instances; with one, it runs no query.",
      "Answered by: submitSelect, submitSplit",
      "",
    ].join("\n"),
  );
  expect(explanation("AccessDenied")).toContain("Answered by: any operation");
});

test("explain: names the page of the code on the site of DAG_DOCS", () => {
  vi.stubEnv("DAG_DOCS", "https://docs.example.com/dag/");
  expect(explanation("TooManyQueries")).toContain("\nPage: https://docs.example.com/dag/errors.html#toomanyqueries\n");
  vi.unstubAllEnvs();
});

test.each(errorCodes)("%s: has a cause and a remedy in whole sentences, and a heading in docs/errors.md", (code) => {
  const { cause, remedy } = errorExplanations[code];
  for (const text of [cause, remedy]) expect(text).toMatch(/^[A-Z].*\.$/s);
  expect(cause).not.toBe(errorTable[code].meaning);
  expect(readFileSync(resolve(__dirname, "../../../../docs/errors.md"), "utf8")).toContain(`\n## ${code}\n`);
});
