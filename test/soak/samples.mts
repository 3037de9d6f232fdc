/** Measures a running service from outside. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Service } from "../chaos/service.mts";
import { processesWith, tokensOf } from "../chaos/processes.mts";

export interface Sample {
  /** Queries that had ended. */
  readonly queries: number;
  /** Resident memory of the service's own process, and with its engine processes, in bytes. */
  readonly memory: number;
  readonly memoryOfAll: number;
  /** Open descriptors of the service's own process. */
  readonly descriptors: number;
  /** Files in the data folder, without the objects. */
  readonly files: number;
}

/** Measures a service of which some queries have ended. */
export function measure({ process: child, directory, clusters }: Service, queries: number): Sample {
  const pid = child.pid!;
  const memory = residentBytes(pid);
  const engines = clusters.flatMap(({ name }) => processesWith(tokensOf(directory, name)));
  const memoryOfAll = engines.reduce((sum, engine) => sum + residentBytes(engine), memory);
  const files = countEntries(directory, new Set(["buckets"]));
  return { queries, memory, memoryOfAll, descriptors: readdirSync(`/proc/${pid}/fd`).length, files };
}

/** Counts the files and folders of a folder that the service changes meanwhile. */
function countEntries(folder: string, without: ReadonlySet<string> = new Set()): number {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !without.has(name));
    const inside = entries.map((entry) => (entry.isDirectory() ? countEntries(join(folder, entry.name)) : 0));
    return inside.reduce((sum, count) => sum + count, entries.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/** Returns by how much the mean of each number has grown from the first part of the samples to the last. */
export function growth(samples: readonly Sample[], parts: number): Sample {
  const size = Math.max(1, Math.floor(samples.length / parts));
  const mean = (key: keyof Sample, part: readonly Sample[]) =>
    part.reduce((sum, sample) => sum + sample[key], 0) / part.length;
  const grown = (key: keyof Sample) => mean(key, samples.slice(-size)) - mean(key, samples.slice(0, size));
  return {
    queries: grown("queries"),
    memory: grown("memory"),
    memoryOfAll: grown("memoryOfAll"),
    descriptors: grown("descriptors"),
    files: grown("files"),
  };
}

/** Returns the smallest value that is not exceeded by the given part of the values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function residentBytes(pid: number): number {
  const path = `/proc/${pid}/status`;
  try {
    return existsSync(path) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(path, "utf8"))?.[1] ?? 0) * 1024 : 0;
  } catch {
    // The process has just ended.
    return 0;
  }
}
