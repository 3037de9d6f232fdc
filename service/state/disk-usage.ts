/** Measures the disk usage of a local storage. */
import { lstat, opendir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { bucketPattern, errors } from "../../contract";
import type { FileStorage } from "../../storage/file";
import type { DiskUsage } from "../core/ports/platform";

/** Returns a function that measures the storage's directory; concurrent callers share one measurement. */
export function diskUsageOf({ directory, description }: FileStorage): () => Promise<DiskUsage> {
  let measuring: Promise<DiskUsage> | undefined;
  return () => {
    measuring ??= measureUsage(directory)
      .catch((error: unknown) => {
        const { code = "unknown" } = error as NodeJS.ErrnoException;
        throw new errors.StorageAccessError(`the size of ${description} cannot be measured: ${code}`, { cause: error });
      })
      .finally(() => (measuring = undefined));
    return measuring;
  };
}

async function measureUsage(directory: string): Promise<DiskUsage> {
  let objects = 0;
  for await (const entry of await opendir(directory)) {
    if (entry.isDirectory() && bucketPattern.test(entry.name)) objects += await sizeOf(join(directory, entry.name));
  }
  const { blocks, bfree, bsize } = await statfs(directory);
  return { objects, other: Math.max(0, (blocks - bfree) * bsize - objects), capacity: blocks * bsize };
}

/** Returns the size of all files below a directory. Does not follow links, so that no file counts twice. */
async function sizeOf(directory: string): Promise<number> {
  let sum = 0;
  // In pieces: a large folder that is read at once holds the event loop.
  for await (const entry of await opendir(directory, { bufferSize: 512 })) {
    const path = join(directory, entry.name);
    try {
      if (entry.isDirectory()) sum += await sizeOf(path);
      else if (entry.isFile()) sum += (await lstat(path)).size;
    } catch (error) {
      // Running queries delete their temporary objects at any time.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return sum;
}
