/** Measures one page of the query list over HTTP, with a thousand queries and with a million. `--growth` measures sizes between. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { startService, type TestService } from "dag-service/testing";
import { median } from "./support/pairs.mts";
import { compare, type BenchResult, type Growth } from "./support/results.mts";

const require = createRequire(import.meta.url);
const built = new URL("../../service/dist/", import.meta.url).pathname;
const { authorization } = require(`${built}contract/index.js`) as typeof import("../../contract/index.ts");
const { openState } = require(
  `${built}service/state/sqlite/index.js`,
) as typeof import("../../service/state/sqlite/index.ts");

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

async function measure(
  dataDirectory: string,
  size: number,
  rounds: number,
): Promise<Record<string, readonly number[]>> {
  const clusters = ["c1", "c2", "c3"].map((name) => ({ name, instances: [{ grade: "small", quantity: 2 }] }));
  // The first start creates the folder and the database, which `fill` then fills directly.
  await (await startService({ clusters, dataDirectory })).close();
  await fill(join(dataDirectory, "state.sqlite"), size);
  await using service = await startService({ clusters, dataDirectory });
  const found: Record<string, readonly number[]> = {};
  for (const [name, query] of Object.entries(pages)) {
    const target = `/v1/?query${query.replace("HALF", String(size / 2))}`;
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) times.push(await time(service, target));
    // The first request, which warms the file system's cache, does not count.
    found[name] = times.slice(1);
  }
  return found;
}

async function time({ url, credentials }: TestService, target: string): Promise<number> {
  const date = new Date().toUTCString();
  const headers = { Date: date, Authorization: authorization({ method: "GET", target, date }, credentials) };
  const started = performance.now();
  const response = await fetch(url + target, { headers });
  await response.text();
  if (response.status !== 200) throw new Error(`GET ${target} failed with status ${response.status}`);
  return performance.now() - started;
}

async function fill(file: string, size: number): Promise<void> {
  await openState(file).close();
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    `INSERT INTO queries (type, status, cluster_name, access_key_id, label, start_time, progress, request)
     VALUES (?, ?, ?, 'AK', ?, ?, 100, ?)`,
  );
  const select = JSON.stringify({ query: "select 1", outputFormat: "csv", outputResourcePath: "dag://out/r/" });
  const split = JSON.stringify({
    inputObjectKeys: [],
    inputFormat: "csv",
    schema: null,
    outputDatabase: "data",
    outputTable: "t",
  });
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  for (let id = 1; id <= size; id += 1) {
    const type = id % 3 === 0 ? "split" : "select";
    const label = `job-${String(Math.floor((id / size) * 1_000_000)).padStart(6, "0")}#${id}`;
    insert.run(
      type,
      id % 1000 === 0 ? "error" : "finished",
      `c${1 + (id % 3)}`,
      label,
      id,
      type === "select" ? select : split,
    );
  }
  database.exec("COMMIT");
  database.close();
}
