/**
 * Measures what outgrows one machine: objects and keys on S3, a large split there, what is added to statements on Hive
 * and Spark, workers of Spark, and service processes. `--only objects,keys,split,remote,workers,processes` chooses some. Needs what `npm run test:scale` needs.
 */
import { parseArgs } from "node:util";
import { fetchComponents, type ComponentName } from "../../tools/scale/components.mts";
import { measureObjects } from "./scale/objects.mts";
import { measureKeys } from "./scale/keys.mts";
import { measureProcesses } from "./scale/processes.mts";
import { measureRemote } from "./scale/remote.mts";
import { measureSplit } from "./scale/split.mts";
import { measureWorkers } from "./scale/workers.mts";
import type { BenchResult } from "./support/results.mts";

interface Part {
  readonly needs: readonly ComponentName[];
  measure(options: PartOptions): Promise<BenchResult>;
}

/** Sizes of the inputs. */
export interface PartOptions {
  readonly objects: number;
  readonly keys: number;
  readonly gigabytes: number;
}

const parts: Readonly<Record<string, Part>> = {
  objects: { needs: ["s3"], measure: measureObjects },
  keys: { needs: ["s3"], measure: measureKeys },
  split: { needs: ["s3"], measure: measureSplit },
  remote: { needs: ["s3", "hive", "spark"], measure: measureRemote },
  workers: { needs: ["s3", "spark"], measure: measureWorkers },
  processes: { needs: ["s3", "postgres"], measure: measureProcesses },
};

/** Runs the chosen parts one after another; skips those that this machine has no servers for, with the reason. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      only: { type: "string", default: Object.keys(parts).join() },
      objects: { type: "string", default: "10000" },
      keys: { type: "string", default: "100000" },
      gigabytes: { type: "string", default: "5" },
    },
  });
  const sizes = { objects: Number(values.objects), keys: Number(values.keys), gigabytes: Number(values.gigabytes) };
  const results: BenchResult[] = [];
  for (const name of values.only.split(",")) {
    const part = parts[name];
    if (!part) throw new Error(`--only ${name} is unknown: choose of ${Object.keys(parts).join()}`);
    const missing = [...(await fetchComponents(part.needs)).values()];
    if (missing.length > 0) console.log(`skipped: ${name}: ${missing.join("; ")}`);
    else results.push(await part.measure(sizes));
  }
  const growths = results.flatMap((result) => result.growths ?? []);
  return { measurements: results.flatMap(({ measurements }) => measurements), ...(growths.length > 0 && { growths }) };
}
