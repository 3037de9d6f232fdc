/** How full the disk under a local storage is. */
import { lstat, readdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { bucketPattern, errors } from "../../contract";
import type { FileStorage } from "../../storage/file";
import type { DiskUsage } from "../core/ports/platform";

/** Measures the storage's directory; callers that come while it measures share the answer. */
export function diskUsageOf({ directory, description }: FileStorage): () => Promise<DiskUsage> {
  let measuring: Promise<DiskUsage> | undefined;
  return () => {
    measuring ??= measure(directory)
      .catch((error: unknown) => {
        const { code = "unknown" } = error as NodeJS.ErrnoException;
        throw new errors.StorageAccessError(`the size of ${description} cannot be measured: ${code}`, { cause: error });
      })
      .finally(() => (measuring = undefined));
    return measuring;
  };
}

async function measure(directory: string): Promise<DiskUsage> {
  let objects = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory() && bucketPattern.test(entry.name)) objects += await sizeOf(join(directory, entry.name));
  }
  const { blocks, bfree, bsize } = await statfs(directory);
  return { objects, other: Math.max(0, (blocks - bfree) * bsize - objects), capacity: blocks * bsize };
}

/** Links are not followed: what they lead to is counted where it is. */
async function sizeOf(directory: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    try {
      if (entry.isDirectory()) sum += await sizeOf(path);
      else if (entry.isFile()) sum += (await lstat(path)).size;
    } catch (error) {
      // Running queries take their temporary objects away at any time.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return sum;
}
