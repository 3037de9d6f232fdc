import { expect, test } from "vitest";
import { parseColumns } from "../../../../../../contract";
import { headerNote } from "../../../../../../service/engines/duckdb/split/header-note";

const columns = parseColumns("string code, bigint Amount");

test.each([
  ["csv", 'Code, "AMOUNT"\na,1\n'],
  ["tsv", "code\tamount\na\t1\n"],
] as const)("split: a first row of %s with the names of the schema is told", (format, text) => {
  expect(headerNote(Buffer.from(text), format, columns)).toMatch(/^warning: the first row has the names/);
});

test("split: rows of data, other columns and no schema are not told", () => {
  expect(headerNote(Buffer.from("code,1\n"), "csv", columns)).toBeUndefined();
  expect(headerNote(Buffer.from("code,amount,more\n"), "csv", columns)).toBeUndefined();
  expect(headerNote(Buffer.from(""), "csv", columns)).toBeUndefined();
  expect(headerNote(Buffer.from("code,amount\n"), "csv", null)).toBeUndefined();
});
