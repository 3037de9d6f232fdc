/** Writes that survive a power failure: the content of files and the entries of folders are flushed to the disk. */
import { closeSync, fsync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";

const flush = promisify(fsync);

/** Flushes a folder's entries to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Only the flush takes long enough for a turn of another thread.
  const file = openSync(folder, "r");
  try {
    await flush(file);
  } catch (error) {
    throwUnlessUnsupported(error);
  } finally {
    closeSync(file);
  }
}

/** Creates a folder and its missing parents, and flushes the entry of every new one to the disk. */
export async function createFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  for (const parent of parentsOfNew(path, first)) await syncFolder(parent);
}

/** Like {@link createFolder}, synchronously. */
export function createFolderSync(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  for (const parent of parentsOfNew(path, first)) syncFolderSync(parent);
}

/**
 * Replaces a file: after a crash or on a full disk it has either the old or the new content.
 * @param mode permissions of the file.
 */
export function replaceFile(path: string, content: string, mode = 0o600): void {
  const temporary = `${path}.new`;
  try {
    // A file that a killed process left behind.
    rmSync(temporary, { force: true });
    const file = openSync(temporary, "wx", mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolderSync(dirname(path));
}

/** Like {@link syncFolder}, synchronously. */
export function syncFolderSync(folder: string): void {
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } catch (error) {
    throwUnlessUnsupported(error);
  } finally {
    closeSync(file);
  }
}

/** Returns the parents of the folders from `path` up to the first one that was created; none if none was. */
function parentsOfNew(path: string, first: string | undefined): string[] {
  const parents: string[] = [];
  if (first === undefined) return parents;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    parents.push(dirname(folder));
    if (folder === resolve(first) || folder === dirname(folder)) return parents;
  }
}

/** Some file systems cannot flush folders; they write entries in order by themselves. */
function throwUnlessUnsupported(error: unknown): void {
  if (!["EINVAL", "ENOTSUP"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
}
