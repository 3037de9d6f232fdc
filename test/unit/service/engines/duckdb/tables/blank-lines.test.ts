import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { byteFacts } from "../../../../../../service/engines/duckdb/tables/blank-lines";
import { csvText } from "../../../split/oracle";

const folder = mkdtempSync(join(tmpdir(), "blank-lines-"));
const path = join(folder, "rows");
afterAll(() => rmSync(folder, { recursive: true }));

type Format = Parameters<typeof byteFacts>[1]["format"];

function facts(content: string, format: Format, gzip = false) {
  writeFileSync(path, gzip ? gzipSync(content) : content);
  return byteFacts({ path, gzip }, { format, underscores: true });
}

async function count(...file: Parameters<typeof facts>): Promise<number> {
  return (await facts(...file)).blankLines;
}

describe("underscores", () => {
  test.each<[string, string, boolean]>([
    ["are found anywhere in a file", `${"1,2\n".repeat(2_000_000)}1_0\n`, true],
    ["are found behind blank lines", "\n\n1_0\n", true],
    ["are not in a file with a blank line", "\n\n1\n", false],
    ["are not in a file without", "1,2\n-3.5e2,x\n", false],
  ])("%s", async (_, content, expected) => {
    expect((await facts(content, "csv")).underscores).toBe(expected);
  });

  test("are found in decompressed data", async () => {
    expect((await facts("1_0\n", "csv", true)).underscores).toBe(true);
  });
});

describe("quotes of csv", () => {
  test.each<[string, string]>([
    ['id,t\n1,a\n2,"cde', "ends within a quoted cell, which begins in row 3"],
    ['id,t\n1,a\n2,"cde\n', "ends within a quoted cell, which begins in row 3"],
    ['id\n\n"a\n', "ends within a quoted cell, which begins in row 3"],
    ['"a\n'.repeat(400_001) + "b", "has text after the closing quote of a cell in row 1"],
    ['\u{feff}"a"b\n', "has text after the closing quote of a cell in row 1"],
    ['"a\r\n"\r\n"b"\t,c\r\n', "has text after the closing quote of a cell in row 2"],
    ['"a" "b"\n', "has text after the closing quote of a cell in row 1"],
    [`a,"${"x".repeat(4 * 1024 * 1024 - 4)}"b\n`, "has text after the closing quote of a cell in row 1"],
    [`a,"${"x".repeat(4 * 1024 * 1024 - 4)}" b\n`, "has text after the closing quote of a cell in row 1"],
  ])("byteFacts: a file that has cells neither in quotes nor without is refused (%#)", async (content, reason) => {
    await expect(facts(content, "csv")).rejects.toThrow(`rows ${reason}`);
    expect(await count(content, "tsv")).toBe(content.includes("\n\n") ? 1 : 0);
  });

  test.each<[string, string]>([
    ["with a doubled quote", '1,2,3,"e""f"\n5",b,c\n'],
    ["before a blank line", '1,2,3,"e""f"\r\n\r\n5",b,c\r\n'],
    ["with spaces after its closing quote", '1,2,3,"x" \na"b,5,6\n'],
    ["before a further cell, in the last row but one", 'a\n1,2,"3,\n4,5,6","x"  \r  "b"'],
  ])("byteFacts: the widest row is known where a dropped cell may cost a quote: %s", async (_, content) => {
    expect(await facts(content, "csv")).toMatchObject({ widestRow: 4 });
    expect(await facts(content, "csv", true)).toMatchObject({ widestRow: 4 });
  });

  test.each<[string, string]>([
    ["without an ordinary quote", '1,2,3,"e""f"\n"5""",b,c,"d" \n'],
    ["without doubled quotes and spaces", '1,2,3,"x"\na"b,5,6\n'],
  ])("byteFacts: the widest row of a small file is not counted %s", async (_, content) => {
    expect(await facts(content, "csv")).toMatchObject({ widestRow: 0 });
  });

  test("byteFacts: the widest row of a file that is larger than a buffer is counted where a cell has a doubled quote", async () => {
    const rows = "1,2,3\n".repeat(3_000_000);
    expect(await facts(`${rows}1,"a""b",3,4\n`, "csv")).toMatchObject({ widestRow: 4 });
    expect(await facts(`${rows}1,"ab",3,4\n`, "csv")).toMatchObject({ widestRow: 0 });
  });

  test("byteFacts: refuses what a regular expression of csv does not match, however it is cut", async () => {
    const quoted = '(?: ?"(?:[^"]|"")*" *)';
    const whole = new RegExp(`^(?:(?:${quoted}|(?! ?")[^,\r\n]*)(?:[,\r\n]|$))*$`);
    await fc.assert(
      fc.asyncProperty(csvText, fc.nat({ max: 3 }), async (text, repeats) => {
        // Longer than 64 bytes, at which the search looks at a time.
        const content = `${"x".repeat(repeats * 20)},${text.replaceAll("\u{feff}", "")}`;
        const isRefused = await facts(content, "csv").then(
          () => false,
          () => true,
        );
        expect(isRefused).toBe(!whole.test(content));
      }),
      { numRuns: 1000 },
    );
  });
});

test.each(['1,"cde"', '1,"c""e"', "1,a", '1,a"b'])("csv without a last line end is read: %s", async (content) => {
  expect(await count(content, "csv")).toBe(0);
});

describe("blank lines", () => {
  test.each<[string, string, Format, number]>([
    ["none in an empty file", "", "csv", 0],
    ["none in rows, whether the last one ends or not", "a\nb\r\nc\rd", "tsv", 0],
    ["one at the beginning", "\na\n", "csv", 1],
    ["one behind a byte order mark", "\u{feff}\r\na\n", "csv", 1],
    ["each line end beyond that of the row before, CR LF being one", "a\n\n\r\n\r\rb\r\n\r\n", "tsv", 5],
    ["a file of one line end", "\r\n", "tsv", 1],
    ["a line of spaces or of separators is none", " \n,\n", "csv", 0],
    ["csv: none in quotes", '"a\n\n\r\rb"\n', "csv", 0],
    ["csv: those behind a quoted cell, and none behind its quote", '"a\n\n"\n\n"b"\n', "csv", 1],
    ["csv: a quote within a plain cell opens nothing", 'a"\n\nb"\n', "csv", 1],
    ["tsv: quotes are characters", '"a\n\nb"\n', "tsv", 1],
  ])("count: %s", async (_, content, format, expected) => {
    expect(await count(content, format)).toBe(expected);
    expect(await count(content, format, true)).toBe(expected);
  });

  test("count: counts blank lines in any order of line ends and texts", async () => {
    const pieces = fc.array(fc.constantFrom("a", "b\t", " ", "\n", "\r", "\r\n", ","), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.constantFrom<Format>("csv", "tsv"), async (parts, format) => {
        const content = parts.join("");
        const lines = content.split(/\r\n|\n|\r/);
        // Text after the last line end is a line only when it is not empty, so it is never a blank line.
        expect(await count(content, format)).toBe(lines.slice(0, -1).filter((line) => line === "").length);
      }),
    );
  });

  test("count: counts blank rows of csv outside quotes", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ") });
    const quoted = cell.map((text) => `"${text.replaceAll('"', '""')}"`);
    const row = fc.oneof(
      fc.constant(""),
      fc.array(quoted, { minLength: 1, maxLength: 3 }).map((cells) => cells.join(",")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row), fc.constantFrom("\n", "\r\n", "\r"), async (rows, end) => {
        const content = rows.map((text) => text + end).join("");
        expect(await count(content, "csv")).toBe(rows.filter((text) => text === "").length);
      }),
    );
  });

  test("count: counts across the chunks of a large file", async () => {
    const piece = 4 * 1024 * 1024;
    const full = `${"x".repeat(piece - 1)}\n`;
    expect(await count(`${full}\n${full}`, "csv")).toBe(1);
    expect(await count(`${"x".repeat(piece - 1)}\r\n${full}`, "csv")).toBe(0);
    expect(await count(`"${"x".repeat(piece - 2)}\n\n"\n`, "csv")).toBe(0);
  });

  test("count: stops when it is cancelled", async () => {
    writeFileSync(path, "a\n\n");
    const reason = new Error("cancelled");
    const counting = byteFacts({ path, gzip: false }, { format: "csv", underscores: false }, AbortSignal.abort(reason));
    await expect(counting).rejects.toBe(reason);
  });
});
