/**
 * Measures the start of the service to its first answer, and the memory of the service with its engine processes: at
 * rest with one cluster and with three; and how long it keeps others waiting while it
 * works on large folders. `RSS` counts memory that processes share in each
 * of them; `PSS` counts it once. Needs /proc.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { cluster, memoryOf, openDoor, type Door, type Memory } from "./support/door.mts";
import { measureLargeFolders } from "./support/large-folders.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";

/** Milliseconds after which a service that has answered is at rest: it has collected the garbage of its start. */
const restTime = 15_000;
const clusterNames = [cluster, "c2", "c3"] as const;

/** Measures in several rounds, each with a new service. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      rounds: { type: "string", default: "3" },
      objects: { type: "string", default: "100000" },
    },
  });
  const starts: number[] = [];
  const one: Memory[] = [];
  const three: Memory[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    await withService(1, async (door) => {
      starts.push(door.startMilliseconds);
      one.push(await atRest(door));
    });
    three.push(await withService(clusterNames.length, atRest));
  }
  const folders = await withService(1, (door) => measureLargeFolders(door, Number(values.objects)));
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
      ...memory("memory at rest with one cluster", one, 200),
      ...memory("memory of each further cluster at rest", further, 150),
      ...folders,
    ],
  };
}

function memory(title: string, found: readonly Memory[], atMost: number): Measurement[] {
  return [
    compare(
      { title: `${title}, PSS`, unit: "MiB", bars: [{ atMost }] },
      { "dag-service": found.map(({ pss }) => pss) },
    ),
    compare({ title: `${title}, RSS`, unit: "MiB" }, { "dag-service": found.map(({ rss }) => rss) }),
  ];
}

/** Runs `use` with a service that has so many clusters. */
async function withService<Result>(
  clusterCount: number,
  use: (door: Door) => Promise<Result> | Result,
): Promise<Result> {
  const names = clusterNames.slice(0, clusterCount);
  await using door = await openDoor(clusterCount === 1 ? {} : { clusters: names.map((name) => ({ name })) });
  return await use(door);
}

async function atRest(door: Door): Promise<Memory> {
  await sleep(restTime);
  return memoryOf(door);
}
