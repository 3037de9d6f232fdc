import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventRows, writeEventLog } from "../../../../tools/quickstart/event-log.mts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "event-log-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const row = /^2026-01-\d\d \d\d:\d\d:\d\d,\d+,[A-Z]{2},(view|search|add_to_cart|purchase),\d+(\.\d+)?,[a-z .]+$/;

describe("eventRows", () => {
  test("gives the same text each time", () => {
    expect([...eventRows(50_000)].join("")).toBe([...eventRows(50_000)].join(""));
  });

  test("has exactly the requested size and ends with a complete row", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 60_000 }), (bytes) => {
        const text = [...eventRows(bytes)].join("");
        expect(Buffer.byteLength(text)).toBe(bytes);
        expect(text.endsWith("\n")).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("is CSV with six columns, sorted by time", () => {
    const rows = [...eventRows(100_000)].join("").trimEnd().split("\n");
    for (const each of rows) expect(each).toMatch(row);
    const times = rows.map((each) => each.slice(0, 19));
    expect(times).toEqual(times.toSorted());
    expect(times.at(0)).toBe("2026-01-01 00:00:00");
    expect(times.at(-1)?.slice(0, 10)).toBe("2026-01-31");
  });
});

describe("writeEventLog", () => {
  test("writes a missing file and leaves an existing one", async () => {
    const file = join(folder, "events.csv");
    expect(await writeEventLog(file, 10_000)).toBe(true);
    const { mtimeMs } = statSync(file);
    expect(await writeEventLog(file, 10_000)).toBe(false);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  test("replaces a file of another size", async () => {
    const file = join(folder, "events.csv");
    writeFileSync(file, "half of");
    expect(await writeEventLog(file, 5_000)).toBe(true);
    expect(readFileSync(file, "utf8")).toBe([...eventRows(5_000)].join(""));
  });

  test("leaves no file under the final name when it is interrupted", async () => {
    const file = join(folder, "events.csv");
    await expect(writeEventLog(file, 5_000, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(existsSync(file)).toBe(false);
  });
});
