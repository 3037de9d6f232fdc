/** Quotes anywhere in csv: a table has the cells of the language's rule, or its object is refused. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { EngineError } from "../../../service/engines/duckdb/engine-errors";
import { byteFacts } from "../../../service/engines/duckdb/tables/blank-lines";
import { textScan } from "../../../service/engines/duckdb/tables/text-scan";

const folder = mkdtempSync(join(tmpdir(), "quotes-"));
const path = join(folder, "rows");
afterAll(() => rmSync(folder, { recursive: true }));

const text = fc
  .array(fc.constantFrom('"', '""', '"a"', '"b""c"', ' "e"  ', '"a" ', ",", ",", "\n", "\n", "d", '5"'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

/** Returns the cells of rows; quotes count at the start of a cell only, or after a space. Blank lines are left out. */
function rowsOf(csv: string): string[][] {
  const rows: string[][] = [];
  const cell = /( ?"(?:[^"]|"")*" *|[^,\n]*)([,\n]|$)/y;
  for (let row: string[] = []; cell.lastIndex < csv.length;) {
    const [, written = "", end] = cell.exec(csv)!;
    const quoted = /^ ?"(.*)" *$/s.exec(written)?.[1];
    row.push(quoted?.replaceAll('""', '"') ?? written);
    if (end === "," && cell.lastIndex < csv.length) continue;
    if (end === ",") row.push("");
    if (row.length > 1 || written !== "") rows.push(row);
    row = [];
  }
  return rows;
}

test("csv: each cell is read as it was written, whatever cells are dropped before it, or the object is refused", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 4 }), async (csv, columns) => {
      writeFileSync(path, csv);
      const types = Array.from({ length: columns }, () => "VARCHAR");
      const plain = { path, gzip: false, header: false, partition: 0 };
      const facts = await byteFacts(plain, { format: "csv", underscores: false }).catch((error: unknown) => {
        const isExpected = /text after the closing quote|ends within a quoted cell/.test(String(error));
        if (!(error instanceof EngineError && isExpected)) throw error;
      });
      if (!facts) return;
      const file = { ...plain, ...facts, blankLines: 0 };
      const scan = textScan({ format: "csv", files: [file], types, parallel: false });
      const read = (await connection.runAndReadAll(scan)).getRowsJson();
      const cells = (row: readonly unknown[]) => types.map((_, index) => row[index] ?? null);
      expect(read.map(cells)).toEqual(rowsOf(csv).map(cells));
      compared += 1;
    }),
    {
      numRuns: 1000,
      examples: [
        ['1,2,3,"e""f"\n5",b,c\n', 3],
        ['1,"e""f"\n5"\n', 1],
        ['1,2,3,"x" \na"b,5,6\n', 3],
        ['12" ruler,3,"in stock" \n12" ruler,4,"in stock" \n12" ruler,5,"none" \n', 2],
      ],
    },
  );
  expect(compared).toBeGreaterThan(300);
});
