/**
 * Measures the start of the service to its first answer, and the memory of the service with its engine processes: at
 * rest with one cluster and with three, and while it splits an object; and how long it keeps others waiting while it
 * works on large folders. `RSS` counts memory that processes share in each
 * of them; `PSS` counts it once. Needs /proc.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { call, killService, startService, type Service } from "../chaos/service.mts";
import { measureLargeFolders } from "./support/large-folders.mts";
import { writeEvents } from "./support/events.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";

/** Milliseconds after which a service that has answered is at rest: it has collected the garbage of its start. */
const restTime = 15_000;
const clusterNames = ["c1", "c2", "c3"] as const;

interface Memory {
  readonly rss: number;
  readonly pss: number;
}

/** Measures in several rounds, each with a new service. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      rounds: { type: "string", default: "5" },
      megabytes: { type: "string", default: "1000" },
      objects: { type: "string", default: "100000" },
    },
  });
  const rounds = Array.from({ length: Number(values.rounds) }, (_, index) => index);
  const starts: number[] = [];
  const one: Memory[] = [];
  const three: Memory[] = [];
  const splits: Memory[] = [];
  for (const _ of rounds) {
    one.push(
      await withService(1, async (service, milliseconds) => {
        starts.push(milliseconds);
        await sleep(restTime);
        return memoryOf(service);
      }),
    );
    three.push(
      await withService(clusterNames.length, async (service) => {
        await sleep(restTime);
        return memoryOf(service);
      }),
    );
    splits.push(await withService(1, (service) => greatestInSplit(service, Number(values.megabytes) * 1_000_000)));
  }
  const folders = await withService(1, (service) => measureLargeFolders(service, Number(values.objects)));
  const further = three.map(({ rss, pss }, round) => ({
    rss: (rss - one[round]!.rss) / (clusterNames.length - 1),
    pss: (pss - one[round]!.pss) / (clusterNames.length - 1),
  }));
  return {
    measurements: [
      compare(
        { title: "start of the service until its first answer", unit: "ms", bars: [{ atMost: 1000 }] },
        { "dag-service": starts },
      ),
      ...memory("memory at rest with one cluster", one, 250),
      ...memory("memory of each further cluster at rest", further, 150),
      ...memory(`greatest memory in a split of ${values.megabytes} MB`, splits, 400),
      ...folders,
    ],
  };
}

function memory(title: string, found: readonly Memory[], atMost: number): Measurement[] {
  return [
    compare(
      { title: `${title}, RSS`, unit: "MiB", bars: [{ atMost }] },
      { "dag-service": found.map(({ rss }) => rss) },
    ),
    compare(
      { title: `${title}, PSS`, unit: "MiB", bars: [{ atMost }] },
      { "dag-service": found.map(({ pss }) => pss) },
    ),
  ];
}

/** Runs `use` with a service and the time of its start. */
async function withService<Result>(
  clusterCount: number,
  use: (service: Service, milliseconds: number) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "bench-service-"));
  const buckets = join(directory, "buckets");
  for (const bucket of ["data", "out"]) mkdirSync(join(buckets, bucket), { recursive: true });
  const clusters = clusterNames.slice(0, clusterCount).map((name) => ({ name, slots: 4, memory: "1GB" }));
  const started = performance.now();
  const service = await startService({ directory, buckets, clusters });
  try {
    const answer = await call(service, "GET", "/v1/c1?clusterManagement");
    const milliseconds = performance.now() - started;
    if (answer?.body["status"] !== "norm") throw new Error(`the cluster is ${JSON.stringify(answer)}`);
    return await use(service, milliseconds);
  } finally {
    await killService(service);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function greatestInSplit(service: Service, bytes: number): Promise<Memory> {
  writeEvents(join(service.buckets, "data/events.csv"), bytes, "some");
  const table = { clusterName: "c1", outputDatabase: "data", outputTable: "big", schema: "string a" };
  const body = { ...table, inputFormat: "csv", inputObjectKeys: ["dag://data/events.csv"] };
  const accepted = await call(service, "POST", "/v1/?split", body);
  if (accepted?.status !== 202) throw new Error(`the submission was answered with ${JSON.stringify(accepted)}`);
  const target = `/v1/${String(accepted.body["queryId"])}?query`;
  let greatest: Memory = { rss: 0, pss: 0 };
  for (;;) {
    const { rss, pss } = memoryOf(service);
    greatest = { rss: Math.max(greatest.rss, rss), pss: Math.max(greatest.pss, pss) };
    const { status } = (await call(service, "GET", target))!.body;
    if (status === "finished") return greatest;
    if (status !== "running") throw new Error(`the split ended as ${String(status)}`);
    await sleep(20);
  }
}

/** Returns the memory of the service and its engine processes, in MiB. */
function memoryOf({ process: { pid } }: Service): Memory {
  let [rss, pss] = [0, 0];
  for (const each of processesBelow(pid!)) {
    const text = readFileSync(`/proc/${each}/smaps_rollup`, "utf8");
    rss += Number(/^Rss:\s+(\d+)/m.exec(text)![1]) / 1024;
    pss += Number(/^Pss:\s+(\d+)/m.exec(text)![1]) / 1024;
  }
  return { rss, pss };
}

function processesBelow(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processesBelow)];
}
