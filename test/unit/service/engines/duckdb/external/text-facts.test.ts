import { expect, test } from "vitest";
import { hiveTextFacts } from "../../../../../../service/engines/duckdb/external/text-facts";
import type { ResolvedFile, ResolvedTable } from "../../../../../../service/engines/duckdb/tables/resolve";

/** A table of tsv with an object for each text. */
function tableOf(...texts: readonly string[]) {
  const files = texts.map((text, index): Partial<ResolvedFile> => {
    const location = `dag://data/t/${index}.tsv`;
    return { path: location, location, gzip: false, header: false, size: text.length };
  });
  const table = { table: { database: "data", table: "t" }, format: "tsv", files } as unknown as ResolvedTable;
  async function* chunks(file: ResolvedFile) {
    yield Buffer.from(texts[files.indexOf(file)]!);
  }
  return { table, scan: { isScanned: true, columnCount: 1, chunks } };
}

test.each([
  ["one object", ["a\\tb\u0001\n"], "0.tsv"],
  ["two objects", ["a\\tb\n", "c\u0001d\n"], "1.tsv"],
  ["two objects, in the other order", ["c\u0001d\n", "a\\tb\n"], "0.tsv"],
])("hiveTextFacts: escapes and U+0001 in %s are refused, with the object", async (_, texts, object) => {
  const { table, scan } = tableOf(...texts);
  await expect(hiveTextFacts(table, scan)).rejects.toThrow(object);
});

test.each([
  ["escapes", ["a\\tb\n", "c\n"], true],
  ["U+0001", ["c\u0001d\n", "a\n"], false],
])("hiveTextFacts: %s alone are read", async (_, texts, escapes) => {
  const { table, scan } = tableOf(...texts);
  expect(await hiveTextFacts(table, scan)).toMatchObject({ escapes });
});
