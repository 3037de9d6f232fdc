/** File system helpers of the file storage. */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, opendir, rm, rmdir, stat, unlink, type FileHandle } from "node:fs/promises";
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

/** Removes the files and folders in a folder that were not changed since a time: killed processes left them behind. */
export async function removeStaleFiles(folder: string, before: number): Promise<void> {
  for await (const { name } of (await undefinedIfMissing(opendir(folder))) ?? []) {
    const path = join(folder, name);
    const found = await undefinedIfMissing(stat(path));
    if (found && found.mtimeMs < before) await removeTree(path);
  }
}

/** Files of a folder that are deleted at a time. */
const parallelDeletes = 16;

/** Attempts to delete a folder to which others add entries at the same time. */
const maxDeletes = 10;

/**
 * Deletes a file, a link or a folder with all that is in it; does nothing when there is none. Unlike `rm` of node:fs it
 * deletes a few files at a time: `rm` begins with all of a folder at once, which holds the event loop for seconds.
 */
export async function removeTree(path: string): Promise<void> {
  const found = await undefinedIfMissing(lstat(path));
  if (!found?.isDirectory()) return rm(path, { force: true });
  for (let attempt = 1; ; attempt += 1) {
    await emptyFolder(path);
    try {
      return await undefinedIfMissing(rmdir(path));
    } catch (error) {
      // Entries were added in between, or one was not listed because others were deleted meanwhile.
      if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "") || attempt === maxDeletes) {
        throw error;
      }
    }
  }
}

async function emptyFolder(path: string): Promise<void> {
  const folders: string[] = [];
  let files: string[] = [];
  const deleteFiles = async () => {
    await Promise.all(files.map((file) => undefinedIfMissing(unlink(file))));
    files = [];
  };
  for await (const entry of (await undefinedIfMissing(opendir(path, { bufferSize: 512 }))) ?? []) {
    (entry.isDirectory() ? folders : files).push(join(path, entry.name));
    if (files.length === parallelDeletes) await deleteFiles();
  }
  await deleteFiles();
  for (const folder of folders) await removeTree(folder);
}
