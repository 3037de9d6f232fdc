/** What queries' folders in a local directory need of the file system. A check of one entry is synchronous: it returns at once. */
import { lstatSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { lstat, opendir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../../storage/filesystem";

/**
 * Moves a folder in place of another, which becomes `old`, without giving up control in between. On failure, `old` goes
 * back; on a disk that refuses this too, it stays until the next start puts it back.
 */
export function replaceFolder(from: string, to: string, old: string): void {
  if (exists(to)) renameSync(to, old);
  try {
    renameSync(from, to);
  } catch (error) {
    try {
      if (exists(old)) renameSync(old, to);
    } catch {
      // The first error says more about the disk.
    }
    throw error;
  }
}

/**
 * Deletes what an attempt wrote below the folder of its query, what an engine on another server wrote for it, and the
 * folder unless another attempt has one in it.
 */
export async function removeAttempt(folder: string, name: string): Promise<void> {
  for (const found of namesIn(folder)) {
    if (found === name || found.startsWith(`${name}.`)) await removeTree(join(folder, found));
  }
  try {
    rmdirSync(folder);
  } catch {
    // Another attempt has a folder, or the folder is not there.
  }
}

/**
 * Deletes what the attempts of a query up to one wrote, and the folder of an earlier version, but not what a later
 * attempt writes: another process may have begun it, and this one not know that yet.
 */
export async function removeUpTo(epoch: number, folder: string): Promise<void> {
  if (!exists(folder)) return;
  if (!lstatSync(folder).isDirectory()) return await removeTree(folder);
  for (const name of namesIn(folder)) {
    const [, attempt = 0] = /^(\d+)(?:\.|$)/.exec(name) ?? [];
    if (Number(attempt) <= epoch) await removeTree(join(folder, name));
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isOneOf(error, ["ENOENT", "ENOTDIR"])) return [];
    throw error;
  }
}

/** Deletes a folder; most are not there. */
export async function removeFolder(path: string): Promise<void> {
  if (exists(path)) await removeTree(path);
}

export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isOneOf(error, ["ENOTDIR"])) return false;
    throw error;
  }
}

export const isOneOf = (error: unknown, codes: readonly string[]) =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");

/** Deletes a folder when it contains nothing but empty folders. */
export async function removeEmptyFolders(path: string): Promise<void> {
  if (!exists(path) || !(await lstat(path)).isDirectory()) return;
  for await (const entry of await opendir(path, { bufferSize: 512 })) {
    if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name));
  }
  await rmdir(path).catch(() => undefined);
}
