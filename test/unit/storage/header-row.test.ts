import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseColumns, parseLocation } from "../../../contract";
import { FileStorage, headerWarning } from "../../../storage";

const schema = "string name, int `the count`";

async function warningOf(format: "csv" | "tsv" | "json", ...contents: readonly (string | Buffer)[]) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "dag-header-"));
  mkdirSync(join(folder.path, "raw"));
  for (const [index, content] of contents.entries()) writeFileSync(join(folder.path, `raw/${index}`), content);
  const inputs = ["gone", ...contents.keys()].map((name) => parseLocation(`dag://raw/${name}`));
  return await headerWarning(new FileStorage(folder.path), { inputs, format, columns: parseColumns(schema) });
}

test.each([
  ["csv", "name,the count\nowl,1\n"],
  ["csv", '\uFEFF"Name", THE COUNT \r\nowl,1\n'],
  ["csv", "name,the count"],
  ["csv", gzipSync("name,the count\nowl,1\n")],
  ["tsv", "name\tthe count\nowl\t1\n"],
] as const)("headerWarning: names an input whose first row is the declared names: %s %j", async (format, content) => {
  expect(await warningOf(format, content)).toBe(
    "the first row of dag://raw/0 has the names of the columns in schema, and counts as data, because every row does " +
      "when there is a schema: remove that row, or omit schema",
  );
});

test("headerWarning: counts further inputs with a header, and leaves out those without one", async () => {
  const header = "name,the count\n";
  expect(await warningOf("csv", "owl,1\n", header, header)).toContain(
    "the first row of dag://raw/1 and of 1 more input ",
  );
});

test.each([
  ["csv", "name,other\n"],
  ["csv", "name,the count,more\n"],
  ["csv", "name\n"],
  ["csv", ""],
  ["tsv", "name,the count\n"],
  ["json", "name,the count\n"],
  ["csv", `${"x".repeat(70_000)}\n`],
] as const)("headerWarning: nothing for another first row: %s %j", async (format, content) => {
  expect(await warningOf(format, content)).toBeUndefined();
});
