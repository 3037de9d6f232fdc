/** The disk: folders and files in memory. What was not flushed is lost when the power fails. */
import { join } from "node:path";

interface Folder {
  readonly kind: "folder";
  readonly inode: number;
  readonly entries: Map<string, Entry>;
}

interface File {
  readonly kind: "file";
  readonly inode: number;
  content: Buffer;
  modified: number;
}

export type Entry = Folder | File;

/** What a disk needs of the world. */
interface DiskWorld {
  /** Milliseconds since 1970, for the times of files. */
  time(): number;
  /** Returns a random whole number. */
  between(low: number, high: number): number;
}

/** An error of the file system, as Node.js throws it. */
export function failure(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, errno: -1, syscall: "simulated" });
}

export class Files {
  readonly root: Folder = { kind: "folder", inode: 1, entries: new Map() };
  #inodes = 1;
  /** How to take back the changes of folders that were not flushed yet, the earliest first. */
  #unflushed: (() => void)[] = [];
  /** The folders on the disk that is full now: nothing is added there. */
  full: readonly string[] = [];
  /** Told when a change of the disk fails. */
  onFailure: (() => void) | undefined;
  /** Told before a folder or file is moved. */
  onRename: ((from: string, to: string) => void) | undefined;

  constructor(private readonly world: DiskWorld) {}

  /** Returns an entry; undefined when there is none. @throws ENOTDIR */
  find(path: string): Entry | undefined {
    let entry: Entry | undefined = this.root;
    for (const part of partsOf(path)) {
      if (entry === undefined) return undefined;
      if (entry.kind === "file") throw failure("ENOTDIR", path);
      entry = entry.entries.get(part);
    }
    return entry;
  }

  /** Returns an entry. @throws ENOENT */
  get(path: string): Entry {
    const found = this.find(path);
    if (found === undefined) throw failure("ENOENT", path);
    return found;
  }

  folder(path: string): Folder {
    const found = this.get(path);
    if (found.kind === "file") throw failure("ENOTDIR", path);
    return found;
  }

  file(path: string): File {
    const found = this.get(path);
    if (found.kind === "folder") throw failure("EISDIR", path);
    return found;
  }

  /** Creates a folder with its parents. Returns the first that was created. */
  createFolders(path: string): string | undefined {
    let at = "";
    let first: string | undefined;
    for (const part of partsOf(path)) {
      const parent = this.folder(at);
      at = `${at}/${part}`;
      if (parent.entries.has(part)) {
        if (parent.entries.get(part)!.kind === "file") throw failure("EEXIST", path);
        continue;
      }
      this.#requireSpace(path);
      this.#set(parent, part, { kind: "folder", inode: (this.#inodes += 1), entries: new Map() });
      first ??= at;
    }
    return first;
  }

  /** @param hasSpace true for a write that a full disk does not hinder */
  write(path: string, content: Buffer, hasSpace = false): File {
    const { parent, name } = this.#place(path);
    const found = parent.entries.get(name);
    if (found?.kind === "folder") throw failure("EISDIR", path);
    if (!hasSpace && (!found || content.length > found.content.length)) this.#requireSpace(path);
    const file: File = found ?? { kind: "file", inode: (this.#inodes += 1), content, modified: 0 };
    file.content = content;
    file.modified = this.world.time();
    if (!found) this.#set(parent, name, file);
    return file;
  }

  /** @throws ENOSPC */
  #requireSpace(path: string): void {
    if (!this.full.some((folder) => path.startsWith(folder))) return;
    this.onFailure?.();
    throw failure("ENOSPC", path);
  }

  remove(path: string): void {
    const { parent, name } = this.#place(path);
    this.#set(parent, name, undefined);
  }

  removeFolder(path: string): void {
    if (this.folder(path).entries.size > 0) throw failure("ENOTEMPTY", path);
    this.remove(path);
  }

  rename(from: string, to: string): void {
    const moved = this.get(from);
    const source = this.#place(from);
    const target = this.#place(to);
    const there = target.parent.entries.get(target.name);
    if (moved.kind === "folder" && there?.kind === "file") throw failure("ENOTDIR", to);
    if (moved.kind === "file" && there?.kind === "folder") throw failure("EISDIR", to);
    if (there?.kind === "folder" && there.entries.size > 0) throw failure("ENOTEMPTY", to);
    this.onRename?.(from, to);
    this.#set(source.parent, source.name, undefined);
    this.#set(target.parent, target.name, moved);
    // A rename is lost as a whole.
    const [setTarget, setSource] = [this.#unflushed.pop()!, this.#unflushed.pop()!];
    this.#unflushed.push(() => {
      setTarget();
      setSource();
    });
  }

  /** Everything before is on the disk: the file system writes its changes in order. */
  flush(): void {
    this.#unflushed = [];
  }

  /** Loses some of the changes that were not flushed, the latest first. */
  loseUnflushed(): number {
    const lost = this.world.between(0, this.#unflushed.length);
    for (let each = 0; each < lost; each += 1) this.#unflushed.pop()!();
    this.flush();
    return lost;
  }

  /** Yields the paths of the files in a folder and below, in the order of their names. */
  *below(path: string): Generator<string> {
    const found = this.find(path);
    if (found?.kind !== "folder") return;
    for (const name of [...found.entries.keys()].sort()) {
      const entry = found.entries.get(name)!;
      if (entry.kind === "file") yield join(path, name);
      else yield* this.below(join(path, name));
    }
  }

  #place(path: string): { parent: Folder; name: string } {
    const parts = partsOf(path);
    const name = parts.pop()!;
    return { parent: this.folder(parts.join("/")), name };
  }

  #set({ entries }: Folder, name: string, entry: Entry | undefined): void {
    const before = entries.get(name);
    if (entry) entries.set(name, entry);
    else entries.delete(name);
    this.#unflushed.push(() => {
      if (before) entries.set(name, before);
      else entries.delete(name);
    });
  }
}

const partsOf = (path: string) => path.split("/").filter((part) => part !== "" && part !== ".");
