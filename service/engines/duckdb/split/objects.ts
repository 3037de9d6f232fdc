/** The objects of a split as files: named in order, durable when {@link ObjectFiles.finish} resolves. */
import { close, closeSync, fdatasync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ObjectWriter } from "./cutter";

const copyBytes = 1024 * 1024;

/** Writes `000000_0`, `000001_0`, … into a folder. */
export class ObjectFiles {
  readonly #folder: string;
  readonly #durable: boolean;
  readonly #pending = new Set<Promise<void>>();
  #current: number | undefined;
  #count = 0;
  #failure: unknown;

  /**
   * @param folder an existing, empty directory.
   * @param durable whether {@link finish} waits until the disk has everything.
   */
  constructor(folder: string, durable: boolean) {
    this.#folder = folder;
    this.#durable = durable;
  }

  /** Number of objects begun. */
  get count(): number {
    return this.#count;
  }

  /** Begins the next object. */
  open(): ObjectWriter {
    const path = join(this.#folder, objectName(this.#count++));
    const file = openSync(path, "wx+");
    this.#current = file;
    return {
      write: (buffer, start, end) => writeAll(file, buffer, start, end),
      moveTail: (offset, size, target) => {
        const buffer = Buffer.allocUnsafe(Math.min(copyBytes, size - offset));
        for (let at = offset; at < size;) {
          const read = readSync(file, buffer, 0, Math.min(buffer.length, size - at), at);
          if (read === 0) throw new Error(`${path} is shorter than what was written to it`);
          target.write(buffer, 0, read);
          at += read;
        }
        ftruncateSync(file, offset);
      },
      close: () => this.#close(file),
    };
  }

  /** Resolves when every object is on the disk; rejects where one could not be brought there. */
  async finish(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#durable) await syncFolder(this.#folder);
  }

  /** Ends the object at hand as it is: the split has failed and its folder is of no use. */
  abandon(): void {
    if (this.#current !== undefined) closeSync(this.#current);
    this.#current = undefined;
  }

  /** Brings the object to the disk while the next one is being written. */
  #close(file: number): void {
    if (this.#current === file) this.#current = undefined;
    const done: Promise<void> = (this.#durable ? syncAndClose(file) : promisify(close)(file))
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}

/** The name of the object with this number, as Hive names the files that its tasks write. */
export function objectName(index: number): string {
  return `${String(index).padStart(6, "0")}_0`;
}

/** Brings a file's bytes to the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function syncAndClose(file: number): Promise<void> {
  try {
    await promisify(fdatasync)(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  await promisify(close)(file);
}

function writeAll(file: number, buffer: Buffer, start: number, end: number): void {
  for (let at = start; at < end;) at += writeSync(file, buffer, at, end - at);
}
