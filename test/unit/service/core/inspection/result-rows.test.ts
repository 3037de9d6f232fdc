import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRows } from "../../../../../service/core/inspection/result-rows";

const cell = fc.option(fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\t", "\\", "\\N", "") }), {
  nil: null,
});
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));

const csvCell = (text: string | null) => (text === null ? "\\N" : `"${text.replaceAll('"', '""')}"`);
const tsvCell = (text: string | null) =>
  text === null ? "\\N" : text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");

test.each([
  ["csv", csvCell, ","],
  ["tsv", tsvCell, "\t"],
] as const)("parseRows: returns the cells of %s, and goes on where it stopped", (format, written, separator) => {
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 3 }), (rows, limit) => {
      const bytes = Buffer.from(rows.map((row) => `${row.map(written).join(separator)}\n`).join(""));
      const found: (string | null)[][] = [];
      for (let at = 0; at < bytes.length;) {
        const part = parseRows(bytes.subarray(at), format, { limit, isLast: true });
        expect(part.rows.length).toBeLessThanOrEqual(limit);
        found.push(...part.rows);
        at += part.used;
      }
      expect(found).toEqual(rows);
    }),
  );
});

test.each(["csv", "tsv"] as const)("parseRows: leaves the incomplete last row of a part of %s", (format) => {
  const part = parseRows(Buffer.from("1\n2\n3"), format, { limit: 9, isLast: false });
  expect(part).toEqual({ rows: [["1"], ["2"]], used: 4 });
  expect(parseRows(Buffer.from("1\n2\n3"), format, { limit: 9, isLast: true }).rows).toHaveLength(3);
});

test("parseRows: a part may end within a quoted cell", () => {
  expect(parseRows(Buffer.from('1,"a\nb'), "csv", { limit: 9, isLast: false })).toEqual({ rows: [], used: 0 });
});
