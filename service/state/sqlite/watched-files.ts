/**
 * Notices that an open file is not at its path any more. A process goes on writing to a deleted file without an error,
 * and what it writes is gone when it ends.
 */
import { statSync } from "node:fs";

export class WatchedFiles {
  readonly #files: readonly { readonly path: string; readonly id: string | undefined }[];

  /** @param paths of files that exist and are open */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => ({ path, id: idOf(path) }));
  }

  /** Returns the path of a file that was deleted, moved or replaced; undefined when there is none. */
  missing(): string | undefined {
    return this.#files.find(({ path, id }) => idOf(path) !== id)?.path;
  }
}

/** Identifies a file on this machine; undefined without one. */
function idOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
