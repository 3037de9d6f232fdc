/** A local folder of buckets, which the servers see at the same path. */
import { realpathSync } from "node:fs";
import { open, readdir, rename, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isHiddenObject, type Location } from "../../../../contract";
import { syncFolder } from "../../../../storage/durable";
import { removeTree, undefinedIfMissing } from "../../../../storage/filesystem";
import type { JobContext } from "../../../core/ports/engine";
import type { LocalWork } from "../local-work";
import { cutResult, missingResult, objectName, type ServerStorage, type WrittenResult } from "./server-storage";

/** The folder of the buckets. */
export interface LocalFolder {
  readonly directory: string;
  path(location: Location): string;
}

export class LocalServerStorage implements ServerStorage {
  /** Absolute path of the folder, without symbolic links. */
  readonly directory: string;

  constructor(private readonly folder: LocalFolder) {
    this.directory = realpathSync(folder.directory);
  }

  urlOf(folder: Location): string {
    return `file://${this.#path(folder)}`;
  }

  attemptFolder({ bucket, key }: Location, name: string): Location {
    return { bucket, key: `${key.replace(/\/$/, "")}.attempt-${name}/` };
  }

  async store(result: WrittenResult, local: LocalWork, context: JobContext) {
    const { bucket, key } = result.output;
    // In one step, because another process may resume the same statement: only one of them has its result.
    const taken: Location = { bucket, key: `${key.replace(/\/$/, "")}.taken/` };
    const [outputPath, takenPath] = [this.#path(result.output), this.#path(taken)];
    await take(this.#path(result.attempt), takenPath);
    const files = await filesIn(takenPath);
    const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const filled = files.filter((_, index) => sizes[index]! > 0);
    if (sizes.some((size) => size > result.objectBytes)) {
      const inputs = filled.map((path) => ({ bucket, key: taken.key + relative(takenPath, path) }));
      await cutResult(result, inputs, local, context);
    } else {
      for (const [index, path] of filled.entries()) {
        await sync(path);
        await rename(path, join(outputPath, objectName(index)));
      }
    }
    if (filled.length === 0) await writeFile(join(outputPath, objectName(0)), "", { flush: true });
    await removeTree(takenPath);
    await syncFolder(outputPath);
    return { objects: (await readdir(outputPath)).length, bytes };
  }

  async discard(attempt: Location): Promise<void> {
    const path = this.#path(attempt);
    const discarded = `${path}.discarded`;
    // In one step: nobody may take a part of it for the result.
    await undefinedIfMissing(rename(path, discarded));
    await removeTree(discarded);
    // The query's folder may have been deleted before, and rebuilt by what the server still wrote.
    await rmdir(dirname(path)).catch(() => undefined);
  }

  redact(text: string): string {
    return text.replaceAll(`${this.directory}/`, "dag://").replaceAll(/file:(?:\/\/)?dag:/g, "dag:");
  }

  #path(location: Location): string {
    return (this.directory + this.folder.path(location).slice(this.folder.directory.length)).replace(/\/$/, "");
  }
}

/** Lists the files that have rows: not the checksums and marks that Hadoop adds. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => !isHiddenObject(relative(folder, path))).toSorted();
}

async function take(from: string, to: string): Promise<void> {
  await removeTree(to);
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw missingResult("the server must see the folder of the buckets at the same path as the service");
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
