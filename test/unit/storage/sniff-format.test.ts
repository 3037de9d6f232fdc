import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { guessFormat, readObjectHead } from "../../../storage/sniff-format";
import { FileStorage } from "../../../storage/file";

const root = mkdtempSync(join(tmpdir(), "dag-formats-"));
mkdirSync(join(root, "raw"));
const storage = new FileStorage(root);
afterAll(() => rmSync(root, { recursive: true }));

async function guess(content: string) {
  writeFileSync(join(root, "raw/o"), content);
  const location = { bucket: "raw", key: "o" };
  return guessFormat(storage, location, await readObjectHead(storage, location));
}

test.each([
  ["a\tb\n1\t2\n", "tsv"],
  ["a,b\n1,2\n", "csv"],
  ["a\n1\n", "csv"],
  ['{"a": "x,\\ty"}\n', "json"],
  ["", "csv"],
])("guessFormat: %j is %s for certain", async (content, format) => {
  expect(await guess(content)).toEqual({ format });
});

test.each([
  ["1\tSmith, John\t5\n2\tDoe, Jane\t7\n", "tsv", "2 tabs"],
  ["1\tSmith, John\t5\n2\tCher\t7", "tsv", "2 tabs"],
  ["1\tSmith, John\t5", "tsv", "2 tabs"],
  ['1\t"5"" pipe, long"\t5\n2\tx\t7\n', "tsv", "2 tabs"],
  ["1,two\twords\n2,word\n", "csv", "same number"],
  ['1,"two\twords"\n2,"two\twords"\n', "csv", "same number"],
])("guessFormat: %j has tabs and commas, and is %s with a doubt", async (content, format, doubt) => {
  expect(await guess(content)).toEqual({ format, doubt: expect.stringContaining(doubt) });
});

test("guessFormat: a first line of 100,000 bytes before its first tab is read whole", async () => {
  expect(await guess(`${"x,".repeat(50_000)}\ty\n`)).toMatchObject({ format: "tsv" });
});

test("guessFormat: a line that is cut off at the end of the head does not count", async () => {
  expect(await guess("1\ta, b\n".repeat(20_000))).toMatchObject({ format: "tsv" });
});
