import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvCuts, lineCuts, type Cut } from "../../../../service/split/cuts";
import { type ObjectWriter, RecordCutter } from "../../../../service/split/cutter";
import { recordScanner } from "../../../../service/split/scanner";

/** Cuts bytes as a split of files does. */
function cutsOfFiles(bytes: Buffer, format: "csv" | "tsv", objectBytes: number): number[] {
  const sizes: number[] = [];
  const open = (): ObjectWriter => {
    const index = sizes.push(0) - 1;
    return {
      write: (_, start, end) => void (sizes[index]! += end - start),
      moveTail: (offset, size, target) => {
        sizes[index] = offset;
        target.write(Buffer.alloc(0), 0, size - offset);
      },
      close: () => undefined,
    };
  };
  const cutter = new RecordCutter({ scanner: recordScanner(format), objectBytes, open });
  cutter.push(bytes, bytes.length);
  cutter.end();
  return sizes;
}

const sizesOf = async (cuts: AsyncIterable<Cut>) => {
  const sizes: number[] = [];
  let at = 0;
  for await (const { start, end } of cuts) {
    expect(start).toBe(at);
    at = end;
    sizes.push(end - start);
  }
  return sizes;
};

const text = fc.array(fc.constantFrom("a", "bc", ",", '"', '""', "\n", "\r\n", '"x\ny"', " "), { maxLength: 200 });

describe("cuts of objects on S3 are those of files", () => {
  test("lineCuts: on generated text", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 40 }), async (parts, objectBytes) => {
        const bytes = Buffer.from(parts.join(""));
        const read = async (start: number, end: number) => bytes.subarray(start, end);
        const cuts = await sizesOf(lineCuts(bytes.length, objectBytes, read));
        expect(cuts).toEqual(cutsOfFiles(bytes, "tsv", objectBytes));
      }),
      { numRuns: 500 },
    );
  });

  test("csvCuts: on generated text, in chunks of any size", async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        async (parts, objectBytes, chunkBytes) => {
          const bytes = Buffer.from(parts.join(""));
          const chunks = async function* () {
            for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
          };
          expect(await sizesOf(csvCuts(chunks(), objectBytes))).toEqual(cutsOfFiles(bytes, "csv", objectBytes));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("lineCuts: reads less than a mebibyte for each object of short rows", async () => {
    const size = 1_000_000_000;
    let read = 0;
    const rows = async (start: number, end: number) => {
      read += end - start;
      const bytes = Buffer.alloc(end - start, "x");
      for (let at = start - (start % 100) + 99; at < end; at += 100) if (at >= start) bytes[at - start] = 0x0a;
      return bytes;
    };
    const cuts = await sizesOf(lineCuts(size, 100_000_000, rows));
    expect(cuts).toEqual(Array.from({ length: 10 }, () => 100_000_000));
    expect(read).toBeLessThanOrEqual(10 * 65_536);
  });
});
