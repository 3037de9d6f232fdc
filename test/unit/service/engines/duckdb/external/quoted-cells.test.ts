import fc from "fast-check";
import { expect, test } from "vitest";
import { QuotedCells } from "../../../../../../service/engines/duckdb/external/quoted-cells";

/** Reads a text in pieces, and returns the first problem. */
function problemOf(text: string, columnCount = 2, size = 1000): { problem: string | undefined; rowEnd: unknown } {
  const cells = new QuotedCells(columnCount);
  const bytes = Buffer.from(text);
  let problem: string | undefined;
  for (let at = 0; at < bytes.length && problem === undefined; at += size) {
    problem = cells.push(bytes.subarray(at, at + size));
  }
  return { problem: problem ?? cells.end(), rowEnd: cells.rowEnd };
}

test.each([
  ['1,"a"\n2,b\n', "LF"],
  ['1,"a\nb"\r\n2,"x\r\ny"\r\n', "CRLF"],
  ['1,"a""b"\n2,""', "LF"],
  ['\uFEFF"1","a"\n', "LF"],
  ["\\N,\\N\n,\n", "LF"],
  ['"a","b"', undefined],
])("QuotedCells: %j has one meaning", (text, rowEnd) => {
  for (const size of [1, 3, 1000]) expect(problemOf(text, 2, size)).toEqual({ problem: undefined, rowEnd });
});

test.each([
  ['1,"a"\n2\n', /another number of cells/],
  ['1,"a",x\n', /another number of cells/],
  ['1,"a"\n\n2,b\n', /blank rows/],
  ['1,a"b\n', /quote inside a cell/],
  ['1, "b"\n', /quote inside a cell/],
  ['1,"a"b\n', /after a closing quote/],
  ['1,"\\N"\n', /"\\N" in quotes/],
  ['1,"a"\r2,b\n', /carriage return/],
  ['1,"a"\r', /carriage return/],
  ['1,"a"\r\n2,b\n', /at LF and at CR LF/],
  ['1,"a\0"\n', undefined],
  ["1,\0\n", /NUL/],
  ['1,"a\n', /not closed/],
])("QuotedCells: %j", (text, expected) => {
  const { problem } = problemOf(text);
  expect(problem).toMatch(expected ?? /NUL/);
});

test("QuotedCells: what our own writer writes has one meaning, in pieces of any size", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "\\", "N", "é") });
  const isTaken = (text: string) => text !== "\\N";
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (rows, size) => {
      const written = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")).join("\n");
      const { problem } = problemOf(`${written}\n`, 2, size);
      expect(problem === undefined).toBe(rows.flat().every(isTaken));
    }),
  );
});

test.each([
  ['1,"a\nb"\n', "newlines in quotes"],
  ['1,"a\rb"\n', "newlines in quotes"],
  ["1,\u0001\n", "the character U+0001"],
  ['1,"a"\r\n2,"b,""c"\r\n', undefined],
])("QuotedCells by line: %j", (text, problem) => {
  const cells = new QuotedCells(2, true);
  expect(cells.push(Buffer.from(text)) ?? cells.end()).toBe(problem);
});
