/**
 * Measures splits as a caller waits for them, from the POST until `finished`, in turns with `split -C` of coreutils, which
 * also cuts at line ends but ignores quotes, followed by a flush of its files: a finished split is on the disk. Then the
 * memory of the service's processes, and several splits at once. `--growth` measures 1 to 10 GB.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { finish, greatestMemory, openDoor, type Door } from "./support/door.mts";
import { writeEvents, type Quoting } from "./support/events.mts";
import { median, secondsOf, speedsOf } from "./support/pairs.mts";
import { compare, type BenchResult, type Growth, type Measurement } from "./support/results.mts";

const objectBytes = 100_000_000;
const reference = "split -C, then sync";

/** The inputs, with the least ratio to coreutils. */
const kinds: readonly { readonly quoting: Quoting; readonly text: string; readonly atLeast: number }[] = [
  { quoting: "none", text: "no quoted field", atLeast: 1.2 },
  { quoting: "newlines", text: "a quoted newline in 1 of 100 rows", atLeast: 1.1 },
  { quoting: "all", text: "every field quoted", atLeast: 0.9 },
];

/** Splits that run at the same time. */
const together = 4;

/** Compares the speeds for three kinds of input. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      megabytes: { type: "string", default: "1000" },
      // New memory of a virtual machine comes from its host, so that some rounds take twice as long.
      rounds: { type: "string", default: "9" },
      directory: { type: "string" },
      growth: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds);
  await using door = await openDoor(values.directory === undefined ? {} : { parent: values.directory });
  const measurements: Measurement[] = [];
  const memory: number[] = [];
  for (const { quoting, text, atLeast } of kinds) {
    const input = join(door.buckets, "data/in.csv");
    const written = writeEvents(input, Number(values.megabytes) * 1e6, quoting);
    const seconds = await compareOne(door, rounds);
    const title = `split of ${values.megabytes} MB, ${text}`;
    measurements.push(compare({ title, unit: "GB/s", bars: [{ reference, atLeast }] }, speedsOf(seconds, written)));
    empty(door);
    memory.push((await greatestMemory(door, split(door, "memory"))).pss);
  }
  const title = `greatest memory in a split of ${values.megabytes} MB, PSS`;
  measurements.push(compare({ title, unit: "MiB", bars: [{ atMost: 350 }] }, { "dag-service": memory }));
  measurements.push(await compareSeveral(door, Number(values.megabytes) / together, rounds));
  return { measurements, ...(values.growth ? { growths: [await growth(door)] } : {}) };
}

let splits = 0;

/** Splits `data/in.csv` into a new table. */
async function split(door: Door, name: string): Promise<void> {
  const outputTable = `${name}_${(splits += 1)}`;
  const input = { inputFormat: "csv", inputObjectKeys: ["dag://data/in.csv"] };
  await finish(door, "split", { ...input, outputDatabase: "out", outputTable, schema: "string a" });
}

async function compareOne(door: Door, rounds: number): Promise<Readonly<Record<string, readonly number[]>>> {
  const folder = join(door.buckets, "out/reference");
  const input = join(door.buckets, "data/in.csv");
  const script = `split -C ${objectBytes} '${input}' '${folder}/' && sync '${folder}'/* '${folder}'`;
  const contestants = [
    { name: "dag-service", run: () => split(door, "t") },
    { name: reference, run: () => void execFileSync("sh", ["-c", script]) },
  ];
  return secondsOf({ prepare: () => empty(door), contestants, rounds });
}

/** Compares splits at once with the same splits one after another. */
async function compareSeveral(door: Door, megabytes: number, rounds: number): Promise<Measurement> {
  writeEvents(join(door.buckets, "data/in.csv"), megabytes * 1e6, "newlines");
  const names = Array.from({ length: together }, (_, index) => `several${index}`);
  const contestants = [
    { name: "at once", run: async () => void (await Promise.all(names.map((name) => split(door, name)))) },
    {
      name: "one after another",
      run: async () => {
        for (const name of names) await split(door, name);
      },
    },
  ];
  const seconds = await secondsOf({ prepare: () => empty(door), contestants, rounds });
  const title = `${together} splits of ${megabytes} MB at once`;
  return compare({ title, unit: "s", bars: [{ reference: "one after another", atMost: 1.1 }] }, seconds);
}

/** Measures inputs of 1 to 10 GB. */
async function growth(door: Door): Promise<Growth> {
  const quantities = [1, 2, 5, 10];
  const ours: number[] = [];
  const others: number[] = [];
  for (const gigabytes of quantities) {
    writeEvents(join(door.buckets, "data/in.csv"), gigabytes * 1e9, "newlines");
    const seconds = await compareOne(door, 3);
    ours.push(median(seconds["dag-service"]!));
    others.push(median(seconds[reference]!));
  }
  empty(door);
  const series = [
    { name: "dag-service", values: ours },
    { name: reference, values: others },
  ];
  return { name: "split", title: "Split of a CSV file", quantity: "GB of input", unit: "s", quantities, series };
}

/** Deletes what was written, and waits for the disk: otherwise a run also waits for the writes of the one before. */
function empty(door: Door): void {
  rmSync(join(door.buckets, "out"), { recursive: true, force: true });
  mkdirSync(join(door.buckets, "out/reference"), { recursive: true });
  execFileSync("sync");
}
