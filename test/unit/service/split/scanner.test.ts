import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { InputFormat } from "../../../../contract";
import { CellState, nextCellState } from "../../../../service/split/cell-state";
import { QuoteScan } from "../../../../service/split/quote-scan";
import { recordScanner } from "../../../../service/split/scanner";
import { csvText, rowEnds } from "./oracle";

const formats: readonly InputFormat[] = ["csv", "tsv", "json"];

/** Cuts a buffer at random places. */
const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });

describe("lastRowEnd", () => {
  test("lastRowEnd: finds the last row end of every chunk for every cut of the bytes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...formats), csvText, pieces, (format, text, sizes) => {
        const bytes = Buffer.from(text);
        const ends = rowEnds(bytes, format);
        const scanner = recordScanner(format);
        let at = 0;
        for (let index = 0; at < bytes.length; index++) {
          const end = Math.min(bytes.length, at + sizes[index % sizes.length]!);
          const expected = ends.findLast((position) => position > at && position <= end) ?? -1;
          expect(scanner.lastRowEnd(bytes, at, end)).toBe(expected);
          at = end;
        }
      }),
      { numRuns: 600 },
    );
  });

  test("lastRowEnd: is the same for dense and for rare quotes, and for quotes in unquoted fields", () => {
    fc.assert(
      fc.property(
        csvText,
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom("x", "é", '"', "\n"),
        (text, offset, filler) => {
          // Long enough for many measurements of the density, at every alignment of the bytes.
          const whole = Buffer.from(
            `${" ".repeat(offset)}${(text + filler.repeat(7)).repeat(Math.ceil(400_000 / (text.length + 7)))}`,
          );
          const bytes = whole.subarray(offset);
          const ends = rowEnds(bytes, "csv");
          const scanner = recordScanner("csv");
          const middle = Math.floor(bytes.length / 2);
          expect(scanner.lastRowEnd(bytes, 0, middle)).toBe(ends.findLast((end) => end <= middle) ?? -1);
          expect(scanner.lastRowEnd(bytes, middle, bytes.length)).toBe(ends.findLast((end) => end > middle) ?? -1);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("quotes.wat", () => {
  test("quotes.wat: finds what a reader of one byte after another finds, in the chunk that it reads in place", () => {
    const quotes = new QuoteScan();
    const at = fc.integer({ min: 0, max: 200 });
    fc.assert(
      fc.property(csvText, csvText, at, at, at, (text, more, offset, first, second) => {
        const bytes = Buffer.from(text + more.repeat(3));
        const end = offset + quotes.chunk.write(bytes.toString("latin1"), offset, "latin1");
        const scanner = recordScanner("csv", quotes);
        let state = CellState.FieldStart;
        let done = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? offset + 3 : offset;
        let begin = offset;
        for (const stop of [first, first + second, Number.POSITIVE_INFINITY].map((each) =>
          Math.min(end, offset + each),
        )) {
          let last = -1;
          for (; done < stop; done++) {
            const byte = quotes.chunk[done]!;
            if (byte === 0x0a && state !== CellState.Quoted) last = done + 1;
            state = nextCellState(state, byte);
          }
          expect(scanner.lastRowEnd(quotes.chunk, begin, stop)).toBe(last);
          begin = stop;
        }
        expect(quotes.chunk.subarray(offset, end).equals(bytes)).toBe(true);
      }),
      { numRuns: 800 },
    );
  });
});

describe("firstRowEnd", () => {
  test("firstRowEnd: finds every row end in turn", () => {
    fc.assert(
      fc.property(fc.constantFrom(...formats), csvText, (format, text) => {
        const bytes = Buffer.from(text);
        const scanner = recordScanner(format);
        const found: number[] = [];
        for (let at = 0; ;) {
          const end = scanner.firstRowEnd(bytes, at, bytes.length);
          if (end < 0) break;
          found.push(end);
          at = end;
        }
        expect(found).toEqual(rowEnds(bytes, format));
      }),
      { numRuns: 600 },
    );
  });
});

test.each([
  ["a,b\nc\n", [4, 6]],
  ['a,"b\nc"\nd\n', [8, 10]],
  ['"a""\nb"\n', [8]],
  ['a "b\nc" d\n', [5, 10]],
  ['a, "b\nc"\n', [9]],
  ['a,  "b\nc"\n', [7, 10]],
  ['a\n "b\nc"\n', [2, 9]],
  ['a\n  "b\nc"\n', [2, 7, 10]],
  ['\u{feff}"a\nb"\n', [9]],
  ['"a"b"\nc"\n', [6, 9]],
  ["a\r\nb\r\n", [3, 6]],
  ['"a\n', []],
])("the rows of %j end at %j", (text, expected) => {
  const bytes = Buffer.from(text);
  expect(rowEnds(bytes, "csv")).toEqual(expected);
  expect(recordScanner("csv").lastRowEnd(bytes, 0, bytes.length)).toBe(expected.at(-1) ?? -1);
});
