/** First rows that are read as data and may be meant as headers, and objects with another separator than the comma. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { partitionsOf } from "../../../../../../../service/engines/duckdb/tables/partitions/index";
import { resolveTable } from "../../../../../../../service/engines/duckdb/tables/resolve";

/** Returns the notes on a table of csv objects, in a folder of its own. */
async function notesOn(contents: readonly string[], declared?: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "dag-notes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = contents.map((content, index) => {
    const path = join(folder, `${index}.csv`);
    writeFileSync(path, content);
    return { path, location: `dag://data/t/${index}.csv`, size: content.length };
  });
  const columns = Array.from({ length: declared ?? 0 }, (_, index) => ({ name: `c${index}`, type: "string" }));
  const table = partitionsOf({
    database: "data",
    table: "t",
    format: "csv",
    checked: false,
    files,
    ...(declared && { columns }),
  });
  return (await resolveTable(table, "csv")).notes.map(({ severity, text }) => `${severity}: ${text}`);
}

test.each([
  ["names and years", "city,2023,2024\nberlin,1,2\nparis,3,4\n", "2023 is no name"],
  ["names and years, the last one first", "city,2024,2023\nberlin,1,2\n", "2024 is no name"],
  ["names and hours", "day,0,1,2,3\nmon,5,5,5,1\n", "0 is no name"],
  ["names and quarters", "city,2023 Q1,2023 Q2\nberlin,1,2\n", "2023 q1 is no name"],
  ["a repeated name", "id,id\n1,2\n3,4\n", "the name id is repeated"],
  ["an empty name", ",name,v\n0,al,3\n1,bo,4\n", "a name is empty"],
  ["an empty name above the numbers of rows", ",name,city\n0,al,berlin\n1,bo,paris\n", "a name is empty"],
  ["a repeated name above texts", "id,id,name\nann,paris,x\nbob,rome,y\n", "the name id is repeated"],
  ["an empty name above texts", ",name\nann,x\nbob,y\n", "a name is empty"],
  ["a sign above texts", "First Name,%\nann,x\nbob,y\n", "% is no name"],
  ["a name with a sign", "#id,day\n1,2026-01-02\n", "#id is no name"],
])("a first row of %s: named, with the reason and what to do", async (_, content, reason) => {
  const [note, ...others] = await notesOn([content, content]);
  const row = content.split("\n")[0]!.replaceAll(",", ", ");
  expect(note).toContain(`warning: the first row of dag://data/t/0.csv (${row}) is read as data`);
  expect(note!.toLowerCase()).toContain(`like a header: ${reason}. if it is one, rename the columns in it`);
  expect(others).toEqual([]);
});

test.each([
  ["texts", "1-a,x\n2-b,y\n"],
  ["texts that are repeated below, too", "x,x\nx,paris\n"],
  ["texts with digits", "bob,1st street,\neve,2nd street,\n"],
  ["numbers", "1,2,3\n4,5,6\n"],
  ["a text and numbers", "berlin,1,2\nparis,5,9\n"],
  ["a text and years in each row", "alice,1999,2000\nbob,2001,2002\n"],
  ["a missing value above numbers", "n/a,5\n1,6\n2,7\n"],
  ["a missing value and texts", ",al\n7,bo\n9,cy\n"],
  ["a truth value above numbers", "true,x\n1,y\n"],
  ["one row", "city,2023,2024\n"],
  ["one column of texts with a separator in some", "1 a;b\nc\n1;2\n"],
  ["one text with a separator", "1 a;b\n"],
  ["lists in cells", "1,a;b\n2,c;d\n"],
  ["quoted separators", '1,"a;b"\n2,"c;d"\n'],
])("%s: nothing to note", async (_, content) => {
  expect(await notesOn([content])).toEqual([]);
});

test.each([
  ["semicolons", "1;x;5\n2;y;6\n", "semicolons"],
  ["vertical bars", "1|x\n2|y\n", "vertical bars"],
  ["tabs", "1\tx\n2\ty\n", "tabs"],
  ["semicolons, with a comma in some cells", "1;x, y\n2;y\n", "semicolons"],
  ["semicolons between numbers with decimal commas", "1,5;2,5\n-1,5;3,5\n", "semicolons"],
  ["semicolons in a single row", "1;x;5\n", "semicolons"],
])("cells that are separated by %s: the object is named, and what to do", async (_, content, name) => {
  const note = `warning: the cells of dag://data/t/0.csv seem to be separated by ${name}, and csv is read with commas`;
  const width = content.split("\n")[0]!.split(/[;|\t]/).length;
  for (const declared of [undefined, width]) {
    const found = (await notesOn([content], declared)).filter((each) => each.startsWith(note));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/: (?:separate them by commas|give the object the extension \.tsv)/);
  }
  expect(await notesOn([content], width + 1)).toEqual([]);
});

test.each([
  ["full, so that the second continues its input: no note", 99_999_999, []],
  ["not full: named", 99_999_000, [expect.stringContaining("dag://data/t/000001_0 is like a header (k7, tttt, n2)")]],
])("a first row of texts in the second object of a split, after an object that is %s", async (_, bytes, notes) => {
  const folder = mkdtempSync(join(tmpdir(), "dag-notes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = ["key,text,n\n" + "k-1,tttt,n-1\n".repeat(6000), "k7,tttt,n2\nk-8,tttt,n-3\n"].map((content, index) => {
    const path = join(folder, `00000${index}_0`);
    writeFileSync(path, content);
    return { path, location: `dag://data/t/00000${index}_0`, size: content.length };
  });
  truncateSync(files[0]!.path, bytes);
  const table = { database: "data", table: "t", format: "csv", checked: false, files } as const;
  const found = await resolveTable(partitionsOf(table), "csv");
  expect(found.notes.filter(({ severity }) => severity === "warning").map(({ text }) => text)).toEqual(notes);
});
