/** Runs benchmarks, prints what they measured, and stores it in bench/results.json. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { printGrowth, printMeasurement, reaches, worseRatios, type BenchResult, type Growth } from "./results.mts";

const folder = new URL("../", import.meta.url);
const resultsFile = new URL("../../../bench/results.json", import.meta.url);

/** Benchmarks that need servers of other projects: they run only by name. */
const separate = new Set(["scale"]);

/** The order in which all benchmarks run; those of later files follow. */
const order = [
  "limits",
  "get",
  "list",
  "small",
  "split",
  "select",
  "service",
  "quickstart",
  "provider",
  "tpch",
  "inside",
];

/** Share by which a ratio may be worse than in an earlier file. */
const worseShare = 0.2;

/** The machine on which a benchmark ran. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly gigabytes: number;
  readonly system: string;
  readonly node: string;
}

/** A benchmark's results with where and when they were measured. A growth keeps its own, because it is measured rarely. */
export interface StoredResult extends Omit<BenchResult, "growths"> {
  readonly date: string;
  /** What was measured: the commit, with `+` when files were changed since. */
  readonly commit: string;
  readonly machine: Machine;
  readonly seconds: number;
  readonly growths: readonly (Growth & { readonly date: string; readonly machine: Machine })[];
}

/** The content of bench/results.json: the results by the benchmark's name. */
export type StoredResults = Readonly<Record<string, StoredResult>>;

/** Returns the names of the benchmarks, in the order in which all of them run. */
export function benchNames(): string[] {
  const names = readdirSync(folder).flatMap((entry) => (/^[a-z]+\.mts$/.test(entry) ? [entry.slice(0, -4)] : []));
  const position = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return names.toSorted((a, b) => position(a) - position(b));
}

/** Runs one benchmark and prints its results. @param what what of them is printed and stored */
export async function runBench(
  name: string,
  options: readonly string[],
  save: boolean,
  what: "all" | "growths" = "all",
): Promise<BenchResult> {
  const { bench } = (await import(new URL(`${name}.mts`, folder).href)) as {
    bench: (options: readonly string[]) => Promise<BenchResult>;
  };
  console.log(`\n${name}`);
  const started = performance.now();
  const result = await bench(options);
  const seconds = Math.round((performance.now() - started) / 1000);
  if (what === "all") for (const measurement of result.measurements) printMeasurement(measurement);
  for (const growth of result.growths ?? []) printGrowth(growth);
  if (save) store(name, what === "all" ? { ...result, seconds } : { growths: result.growths ?? [] });
  return result;
}

/** Reads the results of an earlier run. */
export function readResultsOf(path: string): StoredResults {
  return JSON.parse(readFileSync(path, "utf8")) as StoredResults;
}

/** Prints the ratios of a benchmark that are worse by a fifth than in an earlier run. Returns their number. */
export function compareWithEarlier(name: string, result: BenchResult, earlier: StoredResults): number {
  const worse = worseRatios(earlier[name]?.measurements ?? [], result.measurements, worseShare);
  for (const { title, reference, before, now } of worse) {
    console.log(`WORSE by more than a fifth: ${name}: ${title}: ${before} is now ${now} times ${reference}`);
  }
  return worse.length;
}

/** What grows, with the options that make the rest of the benchmark short: only the growth is stored. */
const growths: Readonly<Record<string, readonly string[]>> = {
  split: ["--megabytes", "50", "--rounds", "1"],
  list: ["--rounds", "15"],
  get: ["--seconds", "1", "--rounds", "1"],
  provider: ["1", "1"],
};

/** Measures everything that grows, in about 12 minutes, and prints the machine. */
export async function runGrowth(save: boolean): Promise<void> {
  printMachine();
  const started = performance.now();
  for (const [name, options] of Object.entries(growths))
    await runBench(name, [...options, "--growth"], save, "growths");
  console.log(`\n${Math.round((performance.now() - started) / 1000)} s`);
}

/**
 * Runs all benchmarks one after another, prints the machine, and stores the results of each as it ends, so that a run may
 * be interrupted.
 * @returns the number of ratios that are worse than in the earlier results.
 */
export async function runAll(earlier: StoredResults = {}): Promise<number> {
  printMachine();
  const started = performance.now();
  let worse = 0;
  for (const name of benchNames()) {
    if (!separate.has(name)) worse += compareWithEarlier(name, await runBench(name, [], true), earlier);
  }
  console.log(`\n${Math.round((performance.now() - started) / 1000)} s`);
  const results = readResults();
  const bars = Object.entries(results).flatMap(([name, { measurements }]) =>
    measurements.flatMap((measurement) =>
      measurement.bars.map((bar) => ({ name, title: measurement.title, reached: reaches(measurement, bar) })),
    ),
  );
  const missed = bars.filter(({ reached }) => !reached);
  console.log(`\n${bars.length - missed.length} of ${bars.length} bars are reached`);
  for (const { name, title } of missed) console.log(`  missed: ${name}: ${title}`);
  return worse;
}

/** Returns the stored results. */
export function readResults(): StoredResults {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as StoredResults) : {};
}

/** Stores results. Growths without measurements are added to the stored ones. */
function store(
  name: string,
  { growths: grown = [], ...result }: Partial<BenchResult> & { readonly seconds?: number },
): void {
  const results = readResults();
  const measured = { date: new Date().toISOString().slice(0, 10), commit: commit(), machine: machine() };
  const fresh = grown.map((growth) => ({ ...growth, date: measured.date, machine: measured.machine }));
  const kept = (results[name]?.growths ?? []).filter((old) => fresh.every((growth) => growth.name !== old.name));
  const before = results[name] ?? { ...measured, seconds: 0, measurements: [] };
  const own = result.measurements === undefined ? before : { ...measured, ...result };
  const stored = { ...results, [name]: { ...own, growths: [...kept, ...fresh] } };
  mkdirSync(fileURLToPath(new URL(".", resultsFile)), { recursive: true });
  // Replaced whole: the next benchmark may be interrupted at any moment.
  const path = fileURLToPath(resultsFile);
  writeFileSync(`${path}.new`, `${JSON.stringify(stored, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

function commit(): string {
  const git = (...args: string[]) =>
    spawnSync("git", args, { cwd: fileURLToPath(folder), encoding: "utf8" }).stdout?.trim() ?? "";
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/bench", ":!/docs");
  return `${git("rev-parse", "--short=10", "HEAD")}${changed === "" ? "" : "+"}`;
}

function printMachine(): void {
  const { processor, cores, gigabytes, system, node } = machine();
  console.log(`${processor}, ${cores} cores, ${gigabytes} GB of memory, ${system}, Node.js ${node}`);
}

function machine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown processor",
    cores: availableParallelism(),
    gigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().split("-")[0]}`,
    node: process.versions.node,
  };
}
