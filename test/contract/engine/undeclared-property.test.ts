/** Tables without declared columns, of generated text, compared with csv-parse. */
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine } from "../../../service/core/ports/engine";
import { Machine, submission } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

/** Lengths around those that are read at first. */
const length = fc.constantFrom(1, 7, 65_530, 65_535, 65_536, 65_537, 70_000, 300_000);
const cell = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("1", "x", "007", "true", "2026-01-02", "a b", "é", "_u", "10") },
  { weight: 3, arbitrary: fc.constantFrom('q"q', "a,b", "l1\nl2", "l1\r\nl2", '"', "tab\tbed") },
  { weight: 1, arbitrary: length.map((count) => "y".repeat(count)) },
);

interface Content {
  readonly rows: readonly (readonly string[])[];
  readonly text: string;
}

/** A rectangular table as text: with or without a header, byte order mark, last line end. */
const content = (format: "csv" | "tsv"): fc.Arbitrary<Content> =>
  fc
    .record({
      width: fc.integer({ min: 1, max: 5 }),
      count: fc.integer({ min: 1, max: 6 }),
      end: fc.constantFrom("\n", "\r\n", "\r"),
      mark: fc.constantFrom("", "\u{feff}"),
      isEnded: fc.boolean(),
    })
    .chain(({ width, count, end, mark, isEnded }) =>
      fc
        .array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: count, maxLength: count })
        .map((cells) => {
          const rows = format === "csv" ? cells : cells.map((row) => row.map((one) => one.replaceAll(/[\t\r\n]/g, "")));
          const lines = rows.map((row) => row.map((one) => (format === "csv" ? written(one) : one)).join(sep(format)));
          return { rows, text: mark + lines.join(end) + (isEnded ? end : "") };
        }),
    );

const sep = (format: "csv" | "tsv") => (format === "csv" ? "," : "\t");
const written = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The header rule of docs/engine.md: each cell begins with a letter or `_`, none is a boolean, and all differ. */
const isHeader = (row: readonly string[]) => {
  const names = row.map((one) => one.trim().toLowerCase());
  return names.every((name) => /^[\p{L}_]/u.test(name) && name !== "true") && new Set(names).size === names.length;
};

test.each(["csv", "tsv"] as const)(
  "select: has the rows and columns of %s that csv-parse reads",
  { timeout: 300_000 },
  async (format) => {
    const property = fc.asyncProperty(
      content(format),
      fc.constantFrom("plain", "gzip", "members"),
      async (one, how) => {
        const quotes = format === "csv" ? {} : { quote: null };
        const read = parse(one.text, { delimiter: sep(format), bom: true, ...quotes }) as string[][];
        expect(read).toEqual(one.rows);
        const header = isHeader(read[0]!);
        // Refused, as test/contract/engine/undeclared-suite.ts has it.
        fc.pre(!(header && one.text.startsWith("\u{feff}") && read[0]!.some((name) => /[\r\n]/.test(name))));
        const rows = header ? read.slice(1) : read;
        const bytes = Buffer.from(one.text);
        const half = Math.floor(bytes.length / 2);
        const stored = {
          plain: bytes,
          gzip: gzipSync(bytes),
          members: Buffer.concat([gzipSync(""), gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))]),
        }[how];
        const table = machine.tableOf([stored], { format });
        const { columns } = await engine.sampleTable(table, 1, submission);
        const names = header
          ? read[0]!.map((name) => name.trim().toLowerCase())
          : read[0]!.map((_, index) => `_c${index}`);
        expect(columns.map(({ name }) => name)).toEqual(names);
        const texts = columns.map(({ name }) => `CAST(\`${name.replaceAll("`", "``")}\` AS string)`).join(", ");
        const found = await machine.run(engine, `SELECT ${texts} FROM t`, [table]);
        const cells = parse(found, { relax_column_count: true }) as string[][];
        // A CAST of a boolean writes capitals.
        const plain = (row: readonly string[]) => row.map((value) => value.replace("TRUE", "true"));
        const sorted = (all: readonly (readonly string[])[]) => all.map((row) => JSON.stringify(plain(row))).toSorted();
        expect(sorted(cells)).toEqual(sorted(rows));
      },
    );
    await fc.assert(property, { numRuns: 25 });
  },
);
