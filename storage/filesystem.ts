/** What the local directory needs of the file system besides Node's own functions. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { getSystemErrorMessage } from "node:util";

/** The result, or undefined where the file system has nothing at the path. */
export async function orNothing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The operating system's words without the path, which callers over the network need not know. */
export function systemReason(error: unknown): string {
  const { errno, code, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : `${getSystemErrorMessage(errno)} (${code})`;
}

const dayMilliseconds = 86_400_000;

/** Removes what writers that were killed left behind. */
export async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await orNothing(stat(path));
    if (found && Date.now() - found.mtimeMs > dayMilliseconds) await rm(path, { force: true });
  }
}
