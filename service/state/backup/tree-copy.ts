/** Copies a folder that others change meanwhile: passes are repeated until one finds nothing that has changed. */
import { constants, type BigIntStats } from "node:fs";
import { copyFile, lstat, mkdir, opendir, readlink, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "../../../storage/filesystem";

/** What one pass found. */
export interface Pass {
  /** Entries that were added, changed or removed since the pass before. */
  readonly changed: number;
  /** The path of one of them, relative to the folder. */
  readonly example?: string | undefined;
}

/** What the copy holds. */
export interface CopiedFiles {
  readonly files: number;
  readonly bytes: number;
}

/** An entry of the folder as the last pass has seen it. */
interface Entry {
  readonly identity: string;
  readonly bytes: number;
  readonly isFolder: boolean;
}

export interface TreeCopyOptions {
  readonly from: string;
  readonly to: string;
  /** Returns true for what is not copied. @param path relative to the folder, with slashes */
  readonly isSkipped?: (path: string) => boolean;
}

/** A copy of a folder, which {@link pass} brings up to date. */
export class TreeCopy {
  #seen = new Map<string, Entry>();

  constructor(private readonly options: TreeCopyOptions) {}

  /**
   * Copies what has changed since the pass before. After a pass without a change, the copy is the folder as it was at
   * every moment between the end of the pass before and the beginning of this one.
   */
  async pass(): Promise<Pass> {
    const found = new Map<string, Entry>();
    const changed: string[] = [];
    await mkdir(this.options.to, { recursive: true });
    for await (const [path, stats] of this.#walk("")) {
      const entry = entryOf(stats);
      const before = this.#seen.get(path);
      if (before?.identity === entry.identity) {
        found.set(path, entry);
        continue;
      }
      changed.push(path);
      if (before !== undefined && (before.isFolder !== entry.isFolder || !entry.isFolder)) {
        await rm(join(this.options.to, path), { recursive: true, force: true });
      }
      // What vanishes while it is copied is not in the copy, and counts as a change of the next pass.
      if (await this.#copy(path, stats)) found.set(path, entry);
    }
    const removed = [...this.#seen.keys()].filter((path) => !found.has(path));
    for (const path of removed) await rm(join(this.options.to, path), { recursive: true, force: true });
    this.#seen = found;
    return { changed: changed.length + removed.length, example: changed[0] ?? removed[0] };
  }

  /** What the last pass left. */
  get copied(): CopiedFiles {
    const files = [...this.#seen.values()].filter(({ isFolder }) => !isFolder);
    return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** The entries below a folder, a folder before what is in it. */
  async *#walk(folder: string): AsyncGenerator<readonly [string, BigIntStats]> {
    const path = join(this.options.from, folder);
    for await (const { name } of (await undefinedIfMissing(opendir(path, { bufferSize: 512 }))) ?? []) {
      const relative = folder === "" ? name : `${folder}/${name}`;
      if (this.options.isSkipped?.(relative)) continue;
      const stats = await undefinedIfMissing(lstat(join(path, name), { bigint: true }));
      if (stats === undefined || !(stats.isDirectory() || stats.isFile() || stats.isSymbolicLink())) continue;
      yield [relative, stats];
      if (stats.isDirectory()) yield* this.#walk(relative);
    }
  }

  /** Copies one entry; false when it is gone. A file keeps the time of its last change. */
  async #copy(path: string, stats: BigIntStats): Promise<boolean> {
    const from = join(this.options.from, path);
    const to = join(this.options.to, path);
    if (stats.isDirectory()) {
      await mkdir(to, { recursive: true });
      return true;
    }
    const copied = await undefinedIfMissing(copyEntry(from, to, stats).then(() => true));
    return copied ?? false;
  }
}

async function copyEntry(from: string, to: string, stats: BigIntStats): Promise<void> {
  if (stats.isSymbolicLink()) return symlink(await readlink(from), to);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await utimes(to, Number(stats.atimeMs) / 1000, Number(stats.mtimeMs) / 1000);
}

function entryOf(stats: BigIntStats): Entry {
  const isFolder = stats.isDirectory();
  // The time of a folder changes with its entries, which are compared themselves.
  const identity = isFolder ? `folder ${stats.ino}` : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
  return { identity, bytes: isFolder ? 0 : Number(stats.size), isFolder };
}
