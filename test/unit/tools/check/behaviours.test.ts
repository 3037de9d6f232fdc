import { expect, it } from "vitest";
import { missingBehaviours } from "../../../../tools/check/behaviours.mjs";

const page = [
  "## submitSelect",
  "",
  "| Behaviour | Error | Supported |",
  "| --- | --- | --- |",
  "| refuses an unknown format | `InvalidOutputFormat` | yes |",
  "| a \\| b is text |  | yes |",
].join("\n");

it("npm run check: a title is found with its code, a case of a list and a bar", () => {
  const titles = ["submitSelect: refuses %s (%s)", "submitSelect: a | b is text", "a title without a subject"];
  expect(missingBehaviours(titles, page)).toEqual([]);
  expect(missingBehaviours(["submitSelect: refuses an unknown format (InvalidOutputFormat)"], page)).toEqual([]);
});

it("npm run check: a title that the page does not have is named with the command", () => {
  expect(missingBehaviours(["submitSplit: refuses %s (%s)"], page)).toEqual([
    '"submitSplit: refuses %s (%s)" is not in docs/api-support.md: run `node tools/generate/api-support.mts` (6 minutes)',
  ]);
});
