/** Spaces around the quotes of csv, wherever a buffer of DuckDB's reader ends. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { castFromText, register, setupSql } from "../../../../../../hiveql/index";
import { EngineError } from "../../../../../../service/engines/duckdb/engine-errors";
import { readStatement } from "../../../../../../service/engines/duckdb/process/translator";
import { Tables } from "../../../../../../service/engines/duckdb/tables";
import { BufferSize } from "../../../../../../service/engines/duckdb/tables/buffer-size";
import { ClosingQuotes, type SpacedCell } from "../../../../../../service/engines/duckdb/tables/closing-quotes";
import { textScan } from "../../../../../../service/engines/duckdb/tables/text-scan";

const MiB = 1024 * 1024;
const bufferBytes = 16 * MiB;

const folder = mkdtempSync(join(tmpdir(), "buffer-size-"));
let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  register(connection);
  for (const statement of setupSql) await connection.run(statement);
});
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true });
});

interface Csv {
  readonly begin?: string;
  readonly lineEnd?: string;
}

/** Returns csv with a cell, of which the first buffer has the first bytes, and the same cell in the next row. */
function csvWith(cell: string, bytesBefore: number, { begin = "", lineEnd = "\n" }: Csv = {}): Buffer {
  const row = `1,${"f".repeat(5000)},t${lineEnd}`;
  const length = bufferBytes - bytesBefore - "777,".length - Buffer.byteLength(begin);
  const rows = Math.floor(length / row.length);
  const first = row.replace("f", "f".repeat(length - rows * row.length + 1));
  const cells = [777, 778].map((id) => `${id},${cell},t${lineEnd}`).join("");
  return Buffer.from(`${begin}${first}${row.repeat(rows - 1)}${cells}${row.repeat(100)}`);
}

const columns = ["id", "b", "c"].map((name) => ({ name, type: name === "id" ? "int" : "string" }));

/** Returns the cells of the second column in the rows 777 and 778. */
async function cellsOf(content: readonly Buffer[], isDeclared = true): Promise<unknown[]> {
  const files = content.map((bytes, index) => {
    const path = join(folder, `rows${index}`);
    writeFileSync(path, bytes);
    return { path, location: path, size: statSync(path).size };
  });
  const table = { database: "default", table: "t", format: "csv" as const, checked: false, files };
  const declared = isDeclared ? { ...table, columns } : table;
  const options = { scanMode: "always", signal: new AbortController().signal } as const;
  const tables = new Tables({ cast: castFromText });
  return tables.withRelations(connection, [declared], readStatement("select * from t"), options, async (job) => {
    const [relation] = job.relations;
    const rows = await connection.runAndReadAll(`${job.withClause} SELECT * FROM "${relation}"`);
    return rows.getRowsJson().flatMap(([id, text]) => (Number(id) > 776 ? [text] : []));
  });
}

describe("read: spaces around quotes are no part of a cell that two buffers share", () => {
  test.each<[string, readonly number[], string]>([
    [' "sp""q" ', [0, 9], 'sp"q'],
    ['"sp""q"  ', [8], 'sp"q'],
    ['"sp""q" ', [7], 'sp"q'],
    [' "sp" ', [6], "sp"],
    ['"sp"  ', [5], "sp"],
    ['"sp" ', [5], "sp"],
    [' "a,b\n "   ', [8], "a,b\n "],
  ])("%j", async (cell, offsets, expected) => {
    for (const bytesBefore of offsets)
      expect(await cellsOf([csvWith(cell, bytesBefore)])).toEqual([expected, expected]);
  });

  const [cell, bytesBefore, expected] = [' "sp""q" ', 5, ['sp"q', 'sp"q']] as const;

  test("of an undeclared table with a header", async () => {
    expect(await cellsOf([csvWith(cell, bytesBefore, { begin: "id,b,c\n" })], false)).toEqual(expected);
  });

  test("behind a byte order mark, with CR LF", async () => {
    const content = csvWith(cell, bytesBefore, { begin: "\u{feff}", lineEnd: "\r\n" });
    expect(await cellsOf([content])).toEqual(expected);
  });

  test("of gzip data, beside an object without such cells", async () => {
    const gzip = gzipSync(csvWith(cell, bytesBefore), { level: 1 });
    expect(await cellsOf([Buffer.from("1,a,b\n"), gzip, csvWith("x", 0)])).toEqual([...expected, "x", "x"]);
  });

  test("of each object, also when every row has one", async () => {
    const row = `777,"sp""q"  ,${"t".repeat(113)}\n`;
    const count = (40 * MiB) / row.length;
    const cells = await cellsOf([Buffer.from(row.repeat(count))]);
    expect(cells).toHaveLength(count);
    expect(new Set(cells)).toEqual(new Set(['sp"q']));
  });
});

test("read: numbers and dates of an undeclared table are values also where spaces follow their quotes", async () => {
  const rows = Buffer.from('id,b,c\n777,"5"  ,"2026-01-02" \n778, "6" ,"2026-01-03"\n');
  expect(await cellsOf([rows], false)).toEqual(["5", "6"]);
});

test.each([
  ["b", 0, "b"],
  [' "b""c"  ', 8, 'b"c'],
  ['"b\nc\nd"', 3, "b\nc\nd"],
])(
  "read: a last row without a line end and with missing cells is kept where a buffer ends in it: %j",
  async (cell, bytesBefore, expected) => {
    const [rows = ""] = csvWith(cell, bytesBefore)
      .toString("latin1")
      .split(/,t\n778,/);
    expect(await cellsOf([Buffer.from(rows, "latin1")])).toEqual([expected]);
  },
);

test.each(['"dr""op"', '"drop"  ', ' "dr""op"  '])(
  "read: a cell beyond the columns that two buffers share leaves the next rows as they are: %j",
  async (cell) => {
    for (const bytesBefore of [2, cell.length - 1]) {
      const content = csvWith(`"b",t,${cell}`, '"b",t,'.length + bytesBefore);
      expect(await cellsOf([content])).toEqual(["b", "b"]);
    }
  },
);

test.each([
  ['a\n"b"  ', 2],
  ['a\r\n"b"  ', 2],
  ['a\n\n\n "b"  ', 2],
  ['a\r\nb, "c"  ', 5],
  ['"a\n",b\n"\nb"  ', 7],
])("ClosingQuotes: the first cell of a row begins after the first line end before it: %j", (csv, start) => {
  const found: number[] = [];
  const quotes = new ClosingQuotes("rows", { onSpacedCell: (cell) => found.push(cell.start) });
  quotes.push(Buffer.from(csv));
  quotes.end();
  expect(found).toEqual([start]);
});

test("textScan: a row of too many cells is refused where all of them must be read", () => {
  const file = { path: "d/rows.csv", gzip: false, header: false, partition: 0, widestRow: 10_003 };
  const scan = (length: number) =>
    textScan({ format: "csv", files: [file], types: Array.from({ length }, () => "VARCHAR"), parallel: true });
  expect(scan(3)).toContain("'t10002': 'VARCHAR'");
  expect(() => scan(2)).toThrow(/^d\/rows\.csv has quotes in its cells and a row of 10003 cells, .* declare columns/);
});

describe("BufferSize", () => {
  const cells = fc
    .array(fc.tuple(fc.nat({ max: MiB }), fc.nat({ max: MiB }), fc.integer({ min: 1, max: 20 }), fc.boolean()), {
      maxLength: 300,
    })
    .map((parts) => {
      let at = 0;
      return parts.map(([gap, length, spacesAfter, hasDoubledQuote]): SpacedCell => {
        const start = at + gap;
        const closingQuote = start + length + 1;
        const end = closingQuote + 1 + spacesAfter;
        at = end + 1;
        return { start, closingQuote, end, spaces: spacesAfter, hasDoubledQuote };
      });
    });

  test("add: a file is refused when a buffer of each size ends in one of its cells", () => {
    const size = new BufferSize("d/rows.csv");
    const cellFrom = (start: number, end: number): SpacedCell => {
      return { start, closingQuote: end - 3, end, spaces: 2, hasDoubledQuote: true };
    };
    size.add(cellFrom(0, bufferBytes - 1));
    expect(size.bytes).toBe(bufferBytes);
    size.add(cellFrom(bufferBytes, 2 * bufferBytes - 1));
    expect(size.bytes).toBeGreaterThanOrEqual(2 * bufferBytes);
    expect(() => size.add(cellFrom(2 * bufferBytes, 4 * bufferBytes))).toThrow(
      /^d\/rows\.csv has so many cells with spaces after their closing quotes that .* remove these spaces/,
    );
  });

  test("add: no buffer of the chosen size ends in a cell that would be read wrongly", () => {
    let refused = 0;
    fc.assert(
      fc.property(cells, (some) => {
        const size = new BufferSize("rows");
        try {
          for (const cell of some) size.add(cell);
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
          refused += 1;
          return;
        }
        const wrong = some.filter(({ spaces }) => spaces > 1);
        const endsWithin = (bytes: number) =>
          wrong.filter(({ start, closingQuote, end, hasDoubledQuote }) => {
            const from = hasDoubledQuote ? start : closingQuote + 1;
            const before = Math.floor((from - 1) / bytes);
            return from === 0 ? end >= bytes : Math.floor(end / bytes) > Math.max(0, before);
          });
        expect(size.bytes).toBeGreaterThanOrEqual(bufferBytes);
        expect(size.bytes).toBeLessThanOrEqual(4 * bufferBytes);
        expect(endsWithin(size.bytes)).toEqual([]);
        expect(size.bytes === bufferBytes).toBe(endsWithin(bufferBytes).length === 0);
      }),
    );
    expect(refused).toBeLessThan(50);
  });
});
