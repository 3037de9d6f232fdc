import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { guessFormat, readObjectHead, requireInputFormat } from "../../../storage/sniff-format";
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

test.each<[string, Buffer, "csv" | "tsv" | "json", string]>([
  ["bzip2", Buffer.from("BZh91AY&SY\0\u0001", "latin1"), "csv", "is compressed with bzip2: write it as plain text, or"],
  [
    "Zstandard",
    Buffer.from("\u0028\u00b5\u002f\u00fd\0a", "latin1"),
    "tsv",
    "is compressed with Zstandard: write it as",
  ],
  ["zip", Buffer.from("PK\u0003\u0004\u0014\0\b\0", "latin1"), "json", "is a ZIP archive: write it as plain text, or"],
  [
    "UTF-16",
    Buffer.from("\u{feff}id,\u4e00\n", "utf16le"),
    "csv",
    "is UTF-16, and its text must be UTF-8: write it again",
  ],
  ["UTF-16 of big endian", Buffer.from("\u{feff}id\n", "utf16le").swap16(), "tsv", "is UTF-16, and its text must be"],
  [
    "UTF-16 without a mark",
    Buffer.from('{"id":1}\n', "utf16le"),
    "json",
    "is UTF-16, and its text must be UTF-8: write",
  ],
  ["a NUL byte", Buffer.from("a\0b\n"), "csv", "is not csv text: it has a NUL byte at offset 1"],
  ["json with a mark", Buffer.from('\u{feff}{"id":1}\n'), "json", "begins with a byte order mark, which json must not"],
])("requireInputFormat: %s is refused with what to do", async (_, content, format, message) => {
  writeFileSync(join(root, "raw/o"), content);
  const checked = requireInputFormat(storage, { bucket: "raw", key: "o" }, format);
  await expect(checked).rejects.toMatchObject({ code: "InvalidFormat", message: expect.stringContaining(message) });
});

test("requireInputFormat: csv with a byte order mark, and names in other letters, is text", async () => {
  writeFileSync(join(root, "raw/o"), "\u{feff}id,größe\n");
  await requireInputFormat(storage, { bucket: "raw", key: "o" }, "csv");
});
