/** Measures one page of the query list over HTTP, with a thousand queries and with a million. `--growth` measures sizes between. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { signedHeaders } from "../chaos/service.mts";
import { openDoor, type Door } from "./support/door.mts";
import { fillState } from "./support/filled-state.mts";
import { median } from "./support/pairs.mts";
import { compare, type BenchResult, type Growth } from "./support/results.mts";

/** The query strings to request; `HALF` is replaced by an id in the middle. */
const pages: Readonly<Record<string, string>> = {
  "no filter": "",
  "a marker in the middle": "&marker=HALF",
  "oldest first": "&order=asc",
  "status, type, cluster": "&status=finished,error&type=select&clusterName=c2",
  "a rare status": "&status=error",
  "running (no query)": "&status=running",
  "label prefix of one query": "&labelPrefix=job-000500%23",
  "label prefix of all queries": "&labelPrefix=job-",
  "label prefix of the oldest tenth": "&labelPrefix=job-0",
  "label prefix of all queries, before a restart (no query)": "&clusterRebooted=true&labelPrefix=job-",
};

/** Measures the time of each query string, in milliseconds. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      queries: { type: "string", default: "1000000" },
      rounds: { type: "string", default: "30" },
      growth: { type: "boolean", default: false },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "bench-list-"));
  try {
    const sizes = values.growth ? [1000, 10_000, 100_000, 1_000_000] : [1000, Number(values.queries)];
    const results: Record<string, readonly number[]>[] = [];
    for (const size of sizes) results.push(await measure(join(directory, String(size)), size, Number(values.rounds)));
    const measurements = Object.keys(pages).map((name) =>
      compare(
        { title: `page of 100 queries, ${name}`, unit: "ms" },
        Object.fromEntries(
          [sizes.at(-1)!, sizes[0]!].map((size) => [`${size} queries`, results[sizes.indexOf(size)]![name]!]),
        ),
      ),
    );
    return { measurements, ...(values.growth ? { growths: [growthOf(sizes, results)] } : {}) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function growthOf(sizes: readonly number[], results: readonly Readonly<Record<string, readonly number[]>>[]): Growth {
  const series = Object.keys(pages).map((name) => ({ name, values: results.map((result) => median(result[name]!)) }));
  const title = "A page of 100 queries";
  return { name: "list", title, quantity: "queries", unit: "ms", quantities: sizes, series };
}

async function measure(directory: string, size: number, rounds: number): Promise<Record<string, readonly number[]>> {
  const clusters = ["c1", "c2", "c3"].map((name) => ({ name, instances: [{ grade: "small", quantity: 2 }] }));
  mkdirSync(directory);
  await fillState({ clusters, directory }, size);
  await using door = await openDoor({ clusters, directory });
  const found: Record<string, readonly number[]> = {};
  for (const [name, query] of Object.entries(pages)) {
    const target = `/v1/?query${query.replace("HALF", String(size / 2))}`;
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) times.push(await time(door, target));
    // The first request, which warms the file system's cache, does not count.
    found[name] = times.slice(1);
  }
  return found;
}

async function time(door: Door, target: string): Promise<number> {
  const headers = signedHeaders(door, "GET", target);
  const started = performance.now();
  const response = await fetch(door.url + target, { headers });
  await response.text();
  if (response.status !== 200) throw new Error(`GET ${target} failed with status ${response.status}`);
  return performance.now() - started;
}
