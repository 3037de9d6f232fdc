/** node:fs on the world's disk: as far as the service's code uses it. */
import type { Entry } from "../world/files";
import { failure } from "../world/files";
import { world } from "../world/world";

interface ThrowIfNoEntry {
  readonly throwIfNoEntry?: boolean;
}

export function statsOf(entry: Entry) {
  const size = entry.kind === "file" ? entry.content.length : 4096;
  const modified = entry.kind === "file" ? entry.modified : 0;
  return {
    dev: 1,
    ino: entry.inode,
    size,
    mtimeMs: modified,
    ctimeMs: modified,
    mtime: new Date(modified),
    isDirectory: () => entry.kind === "folder",
    isFile: () => entry.kind === "file",
    isSymbolicLink: () => false,
  };
}

export function lstatSync(path: string, { throwIfNoEntry = true }: ThrowIfNoEntry = {}) {
  const found = throwIfNoEntry ? world().files.get(path) : world().files.find(path);
  return found && statsOf(found);
}

export function statSync(path: string, options?: ThrowIfNoEntry) {
  return lstatSync(path, options);
}

export function existsSync(path: string): boolean {
  try {
    return world().files.find(path) !== undefined;
  } catch {
    return false;
  }
}

export function statfsSync(path: string) {
  const isFull = world().files.full.some((folder) => path.startsWith(folder));
  return { blocks: 1_000_000, bavail: isFull ? 0 : 500_000, bsize: 4096 };
}

export function mkdirSync(path: string, options: { readonly recursive?: boolean } = {}): string | undefined {
  if (!options.recursive && existsSync(path)) throw failure("EEXIST", path);
  return world().files.createFolders(path);
}

export function readdirSync(path: string): string[] {
  return [...world().files.folder(path).entries.keys()].sort();
}

export function direntsOf(path: string) {
  return [...world().files.folder(path).entries].map(([name, entry]) => ({ name, ...statsOf(entry) }));
}

export const realpathSync = { native: (path: string): string => (world().files.get(path), path) };

export function renameSync(from: string, to: string): void {
  world().count("rename");
  if (from.startsWith("/buckets/") && world().fault("a rename fails", 0.01)) {
    world().files.onFailure?.();
    throw failure("EIO", from);
  }
  world().files.rename(from, to);
}

export function rmdirSync(path: string): void {
  world().files.removeFolder(path);
}

export function rmSync(path: string, { force = false }: { readonly force?: boolean } = {}): void {
  const found = force ? world().files.find(path) : world().files.get(path);
  if (found?.kind === "folder") throw failure("ERR_FS_EISDIR", path);
  if (found) world().files.remove(path);
}

/** The open files, by their numbers. */
const open = new Map<number, string>();
let lastNumber = 100;

export function openSync(path: string, flags: string): number {
  if (flags.startsWith("w")) {
    if (flags === "wx" && existsSync(path)) throw failure("EEXIST", path);
    world().files.write(path, Buffer.alloc(0));
  } else world().files.get(path);
  open.set((lastNumber += 1), path);
  return lastNumber;
}

export function closeSync(file: number): void {
  open.delete(file);
}

export function writeFileSync(file: string | number, content: string | Buffer): void {
  const path = typeof file === "number" ? open.get(file)! : file;
  world().files.write(path, Buffer.from(content));
}

export function writeSync(file: number, content: Buffer, offset = 0): number {
  world().files.write(open.get(file)!, content);
  return content.length - offset;
}

export function readFileSync(path: string, encoding?: "utf8"): string | Buffer {
  const { content } = world().files.file(path);
  return encoding ? content.toString(encoding) : content;
}

export function fsyncSync(_file: number): void {
  world().files.flush();
}

export function fsync(_file: number, done: (error: Error | null) => void): void {
  const { current, files } = world();
  const flush = () => {
    world().count("flush");
    files.flush();
    done(null);
  };
  world().after(world().delay(), flush, current);
}

export function createReadStream(): never {
  throw new Error("createReadStream is not simulated");
}
