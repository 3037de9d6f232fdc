/**
 * Compares the split engine with `split -C` of coreutils, which also splits at line ends but ignores quotes, and with
 * `cp`. `split engine, durable` flushes the objects to disk, as a query does before it finishes; the others leave them in
 * the page cache. `--growth` measures 1 to 10 GB.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeEvents, type Quoting } from "./support/events.mts";
import { median, secondsOf, speedsOf } from "./support/pairs.mts";
import { compare, type BenchResult, type Growth, type Measurement } from "./support/results.mts";

const require = createRequire(import.meta.url);
const built = new URL("../../service/dist/service/engines/duckdb/split/", import.meta.url).pathname;
const { runSplit } = require(`${built}run.js`) as typeof import("../../service/engines/duckdb/split/run.ts");
const { splitInThread } = require(`${built}thread.js`) as typeof import("../../service/engines/duckdb/split/thread.ts");

const objectBytes = 100_000_000;
const coreutils = "split -C";

/** The inputs, with the least ratio to coreutils. */
const quotings: readonly { readonly quoting: Quoting; readonly text: string; readonly atLeast: number }[] = [
  { quoting: "none", text: "no quoted field", atLeast: 1.2 },
  { quoting: "some", text: "a quoted field in 1 of 10 rows", atLeast: 1.2 },
  { quoting: "all", text: "every field quoted", atLeast: 0.9 },
];

/** Compares the speeds for inputs without, with some, and with only quoted fields, and for several inputs. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      megabytes: { type: "string", default: "500" },
      rounds: { type: "string", default: "5" },
      directory: { type: "string", default: tmpdir() },
      growth: { type: "boolean", default: false },
    },
  });
  const bytes = Number(values.megabytes) * 1_000_000;
  const rounds = Number(values.rounds);
  const root = mkdtempSync(join(values.directory, "bench-split-"));
  try {
    const measurements: Measurement[] = [];
    for (const { quoting, text, atLeast } of quotings) {
      const title = `split of ${values.megabytes} MB, ${text}`;
      measurements.push(await compareOne(root, { quoting, bytes, rounds, title, atLeast }));
    }
    // Larger, because the start of a thread takes 30 ms.
    measurements.push(await compareSeveral(root, 4 * bytes, rounds));
    return { measurements, ...(values.growth ? { growths: [await growth(root)] } : {}) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

interface Comparison {
  readonly title: string;
  readonly quoting: Quoting;
  readonly bytes: number;
  readonly rounds: number;
  readonly atLeast: number;
}

async function compareOne(root: string, { title, quoting, bytes, rounds, atLeast }: Comparison): Promise<Measurement> {
  const input = join(root, `${quoting}.csv`);
  const output = join(root, "out");
  const written = writeEvents(input, bytes, quoting);
  const contestants = [
    { name: "split engine", run: () => split(input, output, false) },
    { name: "split engine, durable", run: () => split(input, output, true) },
    { name: coreutils, run: () => splitC(input, `${output}/`) },
    { name: "cp", run: () => void execFileSync("cp", [input, join(output, "copy")]) },
  ];
  const seconds = await secondsOf({ prepare: () => emptyFolder(output), contestants, rounds });
  rmSync(input);
  return compare({ title, unit: "GB/s", bars: [{ reference: coreutils, atLeast }] }, speedsOf(seconds, written));
}

/** Compares the threads for several inputs with one thread, and with as many processes of coreutils as there are cores. */
async function compareSeveral(root: string, bytes: number, rounds: number): Promise<Measurement> {
  const output = join(root, "out");
  const count = 8;
  const inputs = Array.from({ length: count }, (_, index) => join(root, `in${index}.csv`));
  const written = inputs.reduce((sum, path) => sum + writeEvents(path, bytes / count, "all"), 0);
  const run = { ...splitRun(inputs, output), durable: false };
  const signal = new AbortController().signal;
  const script = `seq 0 ${count - 1} | xargs -P ${availableParallelism()} -I {} split -C ${objectBytes} ${root}/in{}.csv ${output}/{}-`;
  const contestants = [
    { name: "split engine", run: async () => void (await splitInThread(run, { signal, progress: () => undefined })) },
    { name: "split engine, one thread", run: async () => void (await runSplit(run, control)) },
    { name: `${coreutils}, one process a core`, run: () => void execFileSync("sh", ["-c", script]) },
  ];
  const seconds = await secondsOf({ prepare: () => emptyFolder(output), contestants, rounds });
  for (const path of inputs) rmSync(path);
  const title = `split of ${count} inputs, together ${bytes / 1e6} MB, every field quoted`;
  return compare({ title, unit: "GB/s" }, speedsOf(seconds, written));
}

/** Measures inputs of 1 to 10 GB, with all objects on the disk. */
async function growth(root: string): Promise<Growth> {
  const quantities = [1, 2, 5, 10];
  const input = join(root, "large.csv");
  const output = join(root, "out");
  const ours: number[] = [];
  const reference: number[] = [];
  for (const gigabytes of quantities) {
    writeEvents(input, gigabytes * 1e9, "some");
    const contestants = [
      { name: "ours", run: () => split(input, output, true) },
      {
        name: "reference",
        run: () => void execFileSync("sh", ["-c", `split -C ${objectBytes} ${input} ${output}/ && sync`]),
      },
    ];
    const seconds = await secondsOf({ prepare: () => emptyFolder(output), contestants, rounds: 3 });
    ours.push(median(seconds["ours"]!));
    reference.push(median(seconds["reference"]!));
    emptyFolder(output);
    rmSync(input);
  }
  const series = [
    { name: "split engine, durable", values: ours },
    { name: "split -C, then sync", values: reference },
  ];
  return { name: "split", title: "Split of a CSV file", quantity: "GB of input", unit: "s", quantities, series };
}

const control = { cancelled: () => false, progress: () => undefined };

function splitRun(inputs: readonly string[], output: string) {
  return { inputs: inputs.map((path) => ({ path, location: path })), format: "csv", output, objectBytes } as const;
}

async function split(path: string, output: string, durable: boolean): Promise<void> {
  await runSplit({ ...splitRun([path], output), durable }, control);
}

function splitC(path: string, prefix: string): void {
  execFileSync("split", ["-C", String(objectBytes), path, prefix]);
}

function emptyFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  // Otherwise a run also waits for the pending writes of the previous one.
  execFileSync("sync");
}
