/** File system helpers of the file storage. */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { getSystemErrorMessage } from "node:util";

/** Resolves with the result, or with undefined if the path does not exist. */
export async function undefinedIfMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Returns the operating system's message without the local path, which remote callers must not see. */
export function systemErrorReason(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : `${getSystemErrorMessage(errno)} (${code})`;
}

/** Attempts to create a file in a folder that other writers remove when it is empty. */
const maxAttempts = 100;

/**
 * Creates a file for an object that is being written. It is then moved, so that readers never see a partial object.
 */
export async function createTemporaryFile(
  folder: string,
): Promise<{ readonly path: string; readonly file: FileHandle }> {
  for (let attempt = 1; ; attempt += 1) {
    const path = join(folder, randomUUID());
    try {
      await mkdir(folder, { recursive: true });
      return { path, file: await open(path, "wx") };
    } catch (error) {
      // Another writer removes the folder when it is empty. A link to nothing is missing every time.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === maxAttempts) throw error;
    }
  }
}

/** Removes the files of a folder that were not changed since a time: killed writers left them behind. */
export async function removeStaleFiles(folder: string, before: number): Promise<void> {
  for (const name of (await undefinedIfMissing(readdir(folder))) ?? []) {
    const path = join(folder, name);
    const found = await undefinedIfMissing(stat(path));
    if (found && found.mtimeMs < before) await rm(path, { force: true });
  }
}
