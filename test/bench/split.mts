/**
 * Compares the split engine with `split -C` of coreutils, which also splits at line ends but ignores quotes, and with
 * `cp`. `split engine, durable` flushes the objects to disk, as a query does before it finishes; the others leave them in
 * the page cache.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeEvents, type Quoting } from "./support/events.mts";
import { comparePairs, type Contestant } from "./support/pairs.mts";

const built = new URL("../../service/dist/service/engines/duckdb/split/", import.meta.url);
const objectBytes = 100_000_000;

/** Prints the ratios for inputs without, with some, and with only quoted fields. */
export async function bench(options: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      megabytes: { type: "string", default: "500" },
      rounds: { type: "string", default: "5" },
      directory: { type: "string", default: tmpdir() },
    },
  });
  const bytes = Number(values.megabytes) * 1_000_000;
  const root = mkdtempSync(join(values.directory, "bench-split-"));
  try {
    for (const quoting of ["none", "some", "all"] as const)
      await benchQuoting(root, quoting, bytes, Number(values.rounds));
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function benchQuoting(root: string, quoting: Quoting, bytes: number, rounds: number): Promise<void> {
  const input = join(root, `${quoting}.csv`);
  const output = join(root, "out");
  const written = writeEvents(input, bytes, quoting);
  const prepare = () => {
    rmSync(output, { recursive: true, force: true });
    mkdirSync(output);
    // Otherwise a run also waits for the pending writes of the previous one.
    execFileSync("sync");
  };
  const contestants: Contestant[] = [
    { name: "split engine", run: () => split(input, output, false) },
    { name: "split engine, durable", run: () => split(input, output, true) },
    { name: "split -C", run: () => void execFileSync("split", ["-C", String(objectBytes), input, `${output}/`]) },
    { name: "cp", run: () => void execFileSync("cp", [input, join(output, "copy")]) },
  ];
  const title = `${Math.round(written / 1e6)} MB, quoted fields: ${quoting}`;
  await comparePairs(title, { prepare, contestants, bytes: written, rounds });
  rmSync(input);
}

const require = createRequire(import.meta.url);

async function split(path: string, output: string, durable: boolean): Promise<void> {
  const { runSplit } = require(
    new URL("run.js", built).pathname,
  ) as typeof import("../../service/engines/duckdb/split/run.ts");
  const run = { inputs: [{ path, location: path }], format: "csv", output, objectBytes, durable } as const;
  await runSplit(run, { cancelled: () => false, progress: () => undefined });
}
