/** Small file systems that can be filled, where this machine permits to mount them. */
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, mkdirSync, openSync, renameSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** File systems of a few megabytes. */
export interface SmallDisks {
  /** Fills one of the disks. */
  fill(index: number): void;
  /** Frees what was filled. */
  free(): void;
  unmount(): void;
  /** Unmounts the disks, and leaves their content in the folders. */
  keep(): void;
}

/** Mounts a small file system on each of the folders; returns the reason when that is not possible. */
export function mountDisks(folders: readonly string[], megabytes: number): SmallDisks | string {
  for (const [index, folder] of folders.entries()) {
    mkdirSync(folder, { recursive: true });
    const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
    const mounted = spawnSync("mount", options, { encoding: "utf8" });
    if (mounted.status === 0) continue;
    unmount(folders.slice(0, index));
    return mounted.error?.message ?? mounted.stderr.trim();
  }
  return {
    fill: (index) => fill(join(folders[index % folders.length]!, "filler")),
    free: () => {
      for (const folder of folders) rmSync(join(folder, "filler"), { force: true });
    },
    unmount: () => unmount(folders),
    keep: () => {
      for (const folder of folders) cpSync(folder, `${folder}.kept`, { recursive: true });
      unmount(folders);
      for (const folder of folders) {
        rmdirSync(folder);
        renameSync(`${folder}.kept`, folder);
      }
    },
  };
}

function unmount(folders: readonly string[]): void {
  for (const folder of folders) spawnSync("umount", ["-l", folder]);
}

function fill(path: string): void {
  const file = openSync(path, "a");
  try {
    for (const size of [65_536, 4096, 1]) while (writeSync(file, Buffer.alloc(size, 1)) === size) continue;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}
