/** Measures what the machine itself can do: copies in memory, flushes to the disk, writes of large files. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare, type BenchResult } from "./support/results.mts";

const megabyte = 1_000_000;

/** Measures each limit in several rounds. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: { rounds: { type: "string", default: "5" }, directory: { type: "string", default: tmpdir() } },
  });
  const folder = mkdtempSync(join(values.directory, "bench-limits-"));
  const rounds = Array.from({ length: Number(values.rounds) });
  try {
    return {
      measurements: [
        compare({ title: "copy of 256 MB in memory", unit: "GB/s" }, { "this machine": rounds.map(copySpeed) }),
        compare(
          { title: "500 MB written to a file and flushed", unit: "GB/s" },
          { "this machine": rounds.map(() => writeSpeed(join(folder, "large"))) },
        ),
        compare(
          { title: "4 KB written to a file and flushed", unit: "ms" },
          { "this machine": Array.from({ length: 200 }, () => flushTime(join(folder, "small"))) },
        ),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copySpeed(): number {
  const [source, target] = [Buffer.alloc(256 * megabyte, 1), Buffer.alloc(256 * megabyte, 2)];
  const started = performance.now();
  source.copy(target);
  return source.length / (performance.now() - started) / megabyte;
}

function writeSpeed(path: string): number {
  const block = Buffer.alloc(megabyte, "x");
  const file = openSync(path, "w");
  const started = performance.now();
  for (let index = 0; index < 500; index += 1) writeSync(file, block);
  fdatasyncSync(file);
  const seconds = (performance.now() - started) / 1000;
  closeSync(file);
  rmSync(path);
  return (500 * megabyte) / seconds / 1e9;
}

function flushTime(path: string): number {
  const file = openSync(path, "a");
  const started = performance.now();
  writeSync(file, Buffer.alloc(4096, "x"));
  fdatasyncSync(file);
  const time = performance.now() - started;
  closeSync(file);
  return time;
}
