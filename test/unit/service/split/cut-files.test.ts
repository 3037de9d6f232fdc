import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { InputFormat } from "../../../../contract";
import { nameObjects } from "../../../../service/split/objects";
import { cutInputs, cutFiles, SplitCancelled, type SplitControl } from "../../../../service/split/cut-files";
import { csvText, rowEnds } from "./oracle";

const root = mkdtempSync(join(tmpdir(), "split-"));
afterAll(() => rmSync(root, { recursive: true }));

let folder = "";
let count = 0;
beforeEach(() => newFolder());

function newFolder(): void {
  folder = join(root, String(count++));
  mkdirSync(join(folder, "out"), { recursive: true });
}

const running: SplitControl = { cancelled: () => false, progress: () => undefined };

/** Runs a split over inputs with these bytes and returns its objects in order. */
async function split(contents: readonly Buffer[], format: InputFormat, objectBytes: number, control = running) {
  const inputs = contents.map((content, index) => {
    const path = join(folder, `in${index}`);
    writeFileSync(path, content);
    return { path, location: `dag://bucket/in${index}` };
  });
  await cutFiles({ inputs, format, output: join(folder, "out"), objectBytes }, control);
  return readdirSync(join(folder, "out"))
    .toSorted()
    .map((name) => ({ name, bytes: readFileSync(join(folder, "out", name)) }));
}

/** The expected objects of one input: as many rows as fit, a longer row in its own object. */
function expectedObjects(content: Buffer, format: InputFormat, objectBytes: number): Buffer[] {
  const ends = rowEnds(content, format);
  if (ends.at(-1) !== content.length) ends.push(content.length);
  const objects: Buffer[] = [];
  let start = 0;
  let end = 0;
  for (const rowEnd of ends) {
    if (rowEnd - start > objectBytes && end > start) {
      objects.push(content.subarray(start, end));
      start = end;
    }
    end = rowEnd;
  }
  if (end > start) objects.push(content.subarray(start, end));
  return objects;
}

const input = fc.record({ text: csvText, gzip: fc.boolean() });

describe("split", () => {
  test("split: objects hold whole rows in order, every byte once, as many rows as fit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { minLength: 1, maxLength: 3 }),
        fc.constantFrom<InputFormat>("csv", "tsv", "json"),
        fc.integer({ min: 1, max: 60 }),
        async (inputs, format, objectBytes) => {
          newFolder();
          const plain = inputs.map(({ text }) => Buffer.from(text));
          const stored = plain.map((bytes, index) => (inputs[index]!.gzip ? gzipSync(bytes) : bytes));
          const objects = await split(stored, format, objectBytes);
          const expected = plain.flatMap((bytes) => expectedObjects(bytes, format, objectBytes));
          const wanted = expected.length === 0 ? [Buffer.alloc(0)] : expected;
          expect(objects.map(({ bytes }) => bytes.toString("hex"))).toEqual(
            wanted.map((bytes) => bytes.toString("hex")),
          );
          expect(objects.map(({ name }) => name)).toEqual(wanted.map((_, index) => `00000${index}_0`.slice(-8)));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("split: a row longer than an object gets one of its own", async () => {
    const long = `"${"x\n".repeat(100)}"\n`;
    const objects = await split([Buffer.from(`a\nb\n${long}c\nd\n`)], "csv", 10);
    expect(objects.map(({ bytes }) => bytes.toString())).toEqual(["a\nb\n", long, "c\nd\n"]);
  });

  test("split: rows longer than a chunk keep their bytes", async () => {
    const row = (letter: string) => `"${letter.repeat(5_000_000)}\n${letter}",1\n`;
    const text = `${row("a")}${row("b")}short\n${row("c")}`;
    const objects = await split([Buffer.from(text)], "csv", 6_000_000);
    expect(objects.map(({ bytes }) => bytes.length)).toEqual([row("a").length, row("b").length + 6, row("c").length]);
    expect(Buffer.concat(objects.map(({ bytes }) => bytes)).toString() === text).toBe(true);
  });

  test("split: a gzip input of several members is read to its end", async () => {
    const objects = await split([Buffer.concat([gzipSync("a,1\n"), gzipSync("b,2\n")])], "csv", 100);
    expect(objects.map(({ bytes }) => bytes.toString())).toEqual(["a,1\nb,2\n"]);
  });

  test("split: empty inputs produce no object, or one empty object when all inputs are empty", async () => {
    const some = await split([Buffer.alloc(0), Buffer.from("a\n"), Buffer.alloc(0)], "csv", 100);
    expect(some.map(({ bytes }) => bytes.toString())).toEqual(["a\n"]);
    newFolder();
    const none = await split([Buffer.alloc(0)], "csv", 100);
    expect(none.map(({ name, bytes }) => [name, bytes.length])).toEqual([["000000_0", 0]]);
  });

  test("split: a truncated gzip input fails, and the error names the input", async () => {
    const cut = gzipSync("a,1\n".repeat(1000)).subarray(0, 30);
    await expect(split([cut], "csv", 100)).rejects.toThrow(
      "cannot split dag://bucket/in0: its gzip data ends too early",
    );
  });

  test("split: stops between two chunks when it is cancelled", async () => {
    let asked = 0;
    const control = { ...running, cancelled: () => ++asked > 2 };
    await expect(split([Buffer.alloc(20_000_000, "a\n")], "csv", 1_000_000, control)).rejects.toThrow(SplitCancelled);
    expect(asked).toBe(3);
  });

  test("split: inputs that are cut apart, in any order, give the objects in the order of the inputs", async () => {
    const inputs = ["a\nb\n", "", "c\n", "d\ne\nf\n"].map((text, index) => {
      const path = join(folder, `in${index}`);
      writeFileSync(path, text);
      return { path, location: `dag://bucket/in${index}` };
    });
    const output = join(folder, "out");
    const run = { inputs, format: "csv", output, objectBytes: 2 } as const;
    const counts: number[] = [];
    for (const numbers of [
      [3, 0],
      [2, 1],
    ]) {
      for (const [number, objects] of await cutInputs(run, numbers, {
        cancelled: () => false,
        progress: () => undefined,
      }))
        counts[number] = objects;
    }
    expect(counts).toEqual([2, 0, 1, 3]);
    expect(await nameObjects(output, counts, true)).toBe(6);
    const names = readdirSync(output).toSorted();
    expect(names).toEqual(["000000_0", "000001_0", "000002_0", "000003_0", "000004_0", "000005_0"]);
    expect(names.map((name) => readFileSync(join(output, name), "utf8")).join("")).toBe("a\nb\nc\nd\ne\nf\n");
  });

  test("split: progress counts the inputs' bytes", async () => {
    const seen: [number, number][] = [];
    const control = { ...running, progress: (done: number, total: number) => void seen.push([done, total]) };
    await split([Buffer.alloc(5_000_000, "a\n"), Buffer.alloc(1_000_000, "b\n")], "csv", 1_000_000, control);
    const done = seen.map(([bytes]) => bytes);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(done).toContain(5_000_000);
    expect(seen.at(-1)).toEqual([6_000_000, 6_000_000]);
  });
});
