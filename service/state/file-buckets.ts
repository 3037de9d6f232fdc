/** Lists the buckets of a local storage and the folders at the top of a bucket. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bucketPattern } from "../../contract";
import type { Inspection } from "../core/ports/inspection";

/** Creates the functions for a storage's directory. */
export function fileBuckets(directory: string): Pick<Inspection, "buckets" | "folders"> {
  return {
    buckets: async () => (await foldersIn(directory)).filter((name) => bucketPattern.test(name)),
    folders: (bucket) => foldersIn(join(directory, bucket)),
  };
}

async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .toSorted();
}
