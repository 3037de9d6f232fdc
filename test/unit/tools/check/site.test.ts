import { expect, test } from "vitest";
import {
  anchorProblems,
  codeProblems,
  lengthProblems,
  menuProblems,
  siteProblems,
} from "../../../../tools/check/site.mjs";
import { blockProblems, staleBlockEntries } from "../../../../tools/check/blocks.mjs";
import { anchorsOf } from "../../../../tools/site/anchors.mjs";

test("anchors are those of the repository's pages", () => {
  const page = "# A `b`, c!\n## 4. TLS\n## Twice\n## Twice\n```sh\n# no heading\n```\n### [Link](x.md) of übung\n";
  expect([...anchorsOf(page)]).toEqual(["a-b-c", "4-tls", "twice", "twice-1", "link-of-übung"]);
});

test.each([
  ["a heading of the same page", "# One\n[x](#two)", ["docs/x.md links to #two, and docs/x.md has no such heading"]],
  [
    "a heading of another page",
    "[x](service.md#none)",
    [expect.stringContaining("docs/service.md has no such heading")],
  ],
  ["a heading that is there", "# One\n[x](#one) [y](service.md#config)", []],
])("links to %s are checked", (_, text, problems) => {
  expect(anchorProblems("docs/x.md", text)).toEqual(problems);
});

test("code of an example must be in it", () => {
  const block = (code: string) => `<!-- code of examples/pipeline/index.ts -->\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
  expect(codeProblems("docs/x.md", block('const bucket = config.require("bucket");'))).toEqual([]);
  expect(codeProblems("docs/x.md", block("const other = 1;"))).toEqual([expect.stringContaining("is not in it")]);
});

test.each([
  ["nothing before it", "Text.\n\n```sh\nls\n```\n", [expect.stringContaining("has a block of sh that no test runs")]],
  ["its file", "<!-- code of x.ts -->\n\n```ts\nx\n```\n", []],
  ["a reason, in a list", "  <!-- not run: needs root -->\n\n  ```sh\nls\n```\n", []],
])("a block of code with %s before it", (_, text, problems) => {
  expect(blockProblems("docs/x.md", text)).toEqual(problems);
});

test("the tables of blocks name tests and blocks that exist", () => {
  expect(staleBlockEntries()).toEqual([]);
});

test("pages are in the menu once, and not too long", () => {
  expect(menuProblems(["a.md", "_index.md"], ["b.md", "b.md"])).toHaveLength(4);
  expect(lengthProblems("docs/x.md", "word ".repeat(1500))).toEqual([]);
  expect(lengthProblems("docs/x.md", "word ".repeat(1501))).toHaveLength(1);
  expect(lengthProblems("docs/x.md", `| ${"word ".repeat(2000)} |\n`)).toEqual([]);
});

test("the documents of the repository have no problem", () => {
  expect(siteProblems()).toEqual([]);
});
