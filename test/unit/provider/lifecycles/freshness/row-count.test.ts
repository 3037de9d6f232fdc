/** The rows of objects as they are counted for `expect`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { countRows } from "../../../../../provider/lifecycles/freshness/row-count";
import { openStorage } from "../../../../../storage";

const directory = mkdtempSync(join(tmpdir(), "row-count-"));
afterAll(() => rmSync(directory, { recursive: true }));

test.each([
  ["csv", 'a,b\n1,"two\nlines"\n', 2],
  ["csv", '\u{feff}"two\nlines",b\n1,2\n', 2],
  ["csv", "\u{feff}", 0],
  ["csv", "1\r\n\r2\r", 3],
  ["tsv", '\u{feff}"a\nb"\n', 2],
  ["json", '\u{feff}{"a": 1}\n\n{"a": 2}', 2],
] as const)("countRows: of %s %j are %d", async (format, text, rows) => {
  const folder = join(directory, "data", `t${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "part-0"), text);
  const location = `dag://data/${folder.split("/").at(-1)!}/`;
  expect(await countRows(openStorage(`file:${directory}`), location, format, 100)).toBe(rows);
});
