/** Writes that survive a power failure: the content of files and the entries of folders are flushed to the disk. */
import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
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
  for (const folder of makeFolders(path)) await syncFolder(dirname(folder));
}

/** Like {@link createFolder}, synchronously. */
export function createFolderSync(path: string): void {
  for (const folder of makeFolders(path)) syncFolderSync(dirname(folder));
}

/** Attempts to create a folder whose parents others remove when they are empty. */
const maxAttempts = 100;

/**
 * Creates a folder and its missing parents. Returns the new ones, innermost first. Node's own recursive mkdir goes on for
 * ever where the system refuses a folder with ENOENT though its parent exists, as in /proc.
 */
function makeFolders(path: string): string[] {
  const made: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    let folder = resolve(path);
    while (!existsSync(folder) && !existsSync(dirname(folder))) folder = dirname(folder);
    try {
      mkdirSync(folder);
      made.unshift(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isThere = code === "EEXIST" && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
      if (!isThere && (code !== "ENOENT" || attempt >= maxAttempts)) throw error;
    }
    if (folder === resolve(path) && existsSync(folder)) return made;
  }
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

/** Some file systems cannot flush folders; they write entries in order by themselves. */
function throwUnlessUnsupported(error: unknown): void {
  if (!["EINVAL", "ENOTSUP"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
}
