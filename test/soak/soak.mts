/** Uses a service for a long time, and measures what grows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, generator, killService, startService, type Service } from "../chaos/service.mts";
import { mixedLoad, type Clusters } from "./load.mts";
import { growth, measure, percentile, type Sample } from "./samples.mts";

const clusters: Clusters = [
  { name: "c1", slots: 4, memory: "512MB" },
  { name: "c2", slots: 2, memory: "256MB" },
  { name: "c3", slots: 2, memory: "256MB" },
];
/** Rows of the tables that selects read. */
const rows = { events: 20_000, big: 400_000 } as const;
/** Parts of the run from which growth is computed: the first against the last. */
const parts = 5;
const megabyte = 1_000_000;

/**
 * What may grow from the first fifth of a run to the last. A query leaves one log, and its output replaces another; its
 * record makes the state grow. The service's caches fill up in a short run.
 */
const bounds = { memory: 60 * megabyte, descriptors: 30, filesPerQuery: 1.2 } as const;

/** Queries that must end between the first fifth and the last, or the growth says nothing. */
const enoughQueries = 20;

/** The options of a run. */
export interface SoakOptions {
  readonly seconds: number;
  /** The seed of the requests. */
  readonly seed: number;
}

/** Prints the samples of a run and the growth. @returns true when nothing grew beyond the bounds, and no GET failed */
export async function runSoak({ seconds, seed }: SoakOptions): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "dag-soak-"));
  prepare(join(directory, "buckets"));
  const service = await startService({ directory, buckets: join(directory, "buckets"), clusters });
  process.once("SIGINT", () => process.exit(130));
  try {
    return await run(service, seconds, generator(seed));
  } finally {
    await killService(service);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function run(service: Service, seconds: number, random: () => number): Promise<boolean> {
  const stop = new AbortController();
  const loading = mixedLoad(service, clusters, random, stop.signal);
  const probing = probe(service, stop.signal);
  const samples: Sample[] = [];
  const start = performance.now();
  // The first seconds, in which everything is loaded for the first time, are not measured.
  await pause(Math.min(10_000, seconds * 100));
  for (let printed = 0; ;) {
    const elapsed = (performance.now() - start) / 1000;
    const ended = loading.counts.ended;
    samples.push(measure(service, ended));
    const tenth = Math.floor((elapsed / seconds) * 10);
    if (tenth > printed) {
      printed = tenth;
      console.log(describe(Math.min(100, tenth * 10), samples.at(-1)!, probing.milliseconds));
    }
    if (elapsed >= seconds) break;
    await pause(Math.min(1000, seconds * 10));
  }
  stop.abort();
  await Promise.all([loading.done, probing.done]);

  const grown = growth(samples, parts);
  const p99 = percentile(probing.milliseconds, 0.99);
  console.log(`answers: ${[...loading.counts.answers].map(([answer, count]) => `${answer} ${count}`).join(", ")}`);
  console.log(
    `growth from the first fifth to the last: memory ${megabytes(grown.memory)} MB (limit ${megabytes(bounds.memory)}), ` +
      `descriptors ${grown.descriptors.toFixed(0)} (limit ${bounds.descriptors}), ` +
      `files ${grown.files.toFixed(0)} for ${grown.queries.toFixed(0)} queries (limit ${bounds.filesPerQuery} a query); ` +
      `p99 of a GET ${p99.toFixed(0)} ms; ${probing.failures.length} of ${probing.milliseconds.length} GETs failed`,
  );
  for (const failure of new Set([...probing.failures, ...loading.counts.failures])) console.error(failure);
  const isEnough = grown.queries >= enoughQueries;
  if (!isEnough)
    console.error(`fewer than ${enoughQueries} queries ended: run it longer, or on a machine that is less busy`);
  return (
    isEnough &&
    grown.memory <= bounds.memory &&
    grown.descriptors <= bounds.descriptors &&
    grown.files <= bounds.filesPerQuery * grown.queries + bounds.descriptors &&
    probing.failures.length === 0 &&
    loading.counts.failures.length === 0
  );
}

function describe(percent: number, sample: Sample, milliseconds: readonly number[]): string {
  const quantile = (part: number) => percentile(milliseconds, part).toFixed(0);
  return (
    `${String(percent).padStart(3)} %: ${sample.queries} queries ended, service ${megabytes(sample.memory)} MB, ` +
    `with its processes ${megabytes(sample.memoryOfAll)} MB, ${sample.descriptors} descriptors, ${sample.files} files, ` +
    `GET p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`
  );
}

const megabytes = (bytes: number) => (bytes / megabyte).toFixed(0);

/** Asks for a cluster 20 times a second. */
function probe(service: Service, signal: AbortSignal) {
  const milliseconds: number[] = [];
  const failures: string[] = [];
  const done = (async () => {
    for (; !signal.aborted; await pause(50)) {
      const start = performance.now();
      const answer = await call(service, "GET", "/v1/c1?clusterManagement");
      milliseconds.push(performance.now() - start);
      if (answer?.status !== 200) failures.push(`a GET was answered with ${answer?.status ?? "nothing"}`);
    }
  })();
  return { milliseconds, failures, done };
}

function prepare(buckets: string): void {
  for (const bucket of ["data/events", "data/big", "out", "raw"]) {
    mkdirSync(join(buckets, bucket), { recursive: true });
  }
  const lines = (count: number) => Array.from({ length: count }, (_, id) => `${id},row ${id}\n`).join("");
  writeFileSync(join(buckets, "data/events/a.csv"), lines(rows.events));
  writeFileSync(join(buckets, "data/big/a.csv"), lines(rows.big));
  writeFileSync(join(buckets, "raw/in.csv"), lines(rows.events));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
