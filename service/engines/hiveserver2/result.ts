/** Turns what Hive has written into the objects of a result. */
import { open, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Location, OutputFormat } from "../../../contract";
import { syncFolder } from "../../../storage/durable";
import type { JobContext } from "../../core/ports/engine";
import { HiveServerError } from "./client/errors";
import type { LocalWork } from "./local-work";

/** What the server wrote: a folder beside that of the query's output, whose name its own begins with. */
export interface WrittenResult {
  readonly queryId: number;
  readonly output: Location;
  /** Path of the output folder, without a slash at the end. */
  readonly outputPath: string;
  /** Path of the folder that the server has written. */
  readonly attemptPath: string;
  readonly format: OutputFormat;
  /** Maximum bytes of an object; only a single longer row exceeds it. */
  readonly objectBytes: number;
}

/** Moves the rows to durable objects `000000_0`, …; resolves with their number and total size. */
export async function storeResult(result: WrittenResult, local: LocalWork, context: JobContext) {
  const { outputPath, attemptPath, objectBytes } = result;
  const files = await filesIn(attemptPath);
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const filled = files.filter((_, index) => sizes[index]! > 0);
  if (sizes.some((size) => size > objectBytes)) await cut(result, filled, local, context);
  else {
    for (const [index, path] of filled.entries()) {
      await sync(path);
      await rename(path, join(outputPath, `${String(index).padStart(6, "0")}_0`));
    }
  }
  if (filled.length === 0) await writeFile(join(outputPath, "000000_0"), "", { flush: true });
  await rm(attemptPath, { recursive: true, force: true });
  await syncFolder(outputPath);
  return { objects: (await readdir(outputPath)).length, bytes };
}

/** Deletes what an attempt has written. */
export async function discardAttempt(attemptPath: string): Promise<void> {
  await rm(attemptPath, { recursive: true, force: true });
  // The query's folder may have been deleted before, and made anew by what the server still wrote.
  await rmdir(dirname(attemptPath)).catch(() => undefined);
}

/** Lists the files that have rows: not the checksums and marks that Hadoop adds. */
async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const isHidden = (path: string) => /(?:^|\/)[._]/.test(relative(folder, path));
    return paths.filter((path) => !isHidden(path)).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HiveServerError(
      "the result is not in the service's folder: the server must see the folder of the buckets at the same path as the service",
      undefined,
    );
  }
}

async function cut(
  { queryId, output, outputPath, format, objectBytes }: WrittenResult,
  files: readonly string[],
  local: LocalWork,
  context: JobContext,
): Promise<void> {
  const key = output.key.replace(/\/$/, "");
  const inputs = files.map((path) => ({ ...output, key: `${key}${path.slice(outputPath.length)}` }));
  const { signal } = context;
  const silent: JobContext = { signal, progress: () => undefined, log: () => undefined, jobId: () => undefined };
  await local.split(
    { queryId, inputs, format, columns: [{ name: "line", type: "string" }], output, objectBytes },
    silent,
  );
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
