/** Writes the objects of a split as files, and names them when their number is known. */
import { close, closeSync, fdatasync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "../../storage/durable";
import type { ObjectWriter } from "./cutter";

const copyBytes = 1024 * 1024;

/** Writes the objects of one input. */
export class ObjectFiles {
  readonly #folder: string;
  readonly #nameOf: (index: number) => string;
  readonly #durable: boolean;
  readonly #pending = new Set<Promise<void>>();
  #current: number | undefined;
  #count = 0;
  #failure: unknown;

  /**
   * @param folder an existing directory.
   * @param durable true to flush the content of the objects to the disk before {@link finish} resolves.
   * @param nameOf returns the name of an object by its number. @default objectName
   */
  constructor(folder: string, durable: boolean, nameOf: (index: number) => string = objectName) {
    this.#folder = folder;
    this.#nameOf = nameOf;
    this.#durable = durable;
  }

  /** Number of objects begun. */
  get count(): number {
    return this.#count;
  }

  /** Begins the next object. */
  open(): ObjectWriter {
    const path = join(this.#folder, this.#nameOf(this.#count++));
    const file = openSync(path, "wx+");
    this.#current = file;
    return {
      write: (buffer, start, end) => writeAll(file, buffer, start, end),
      moveTail: (offset, size, target) => {
        const buffer = Buffer.allocUnsafe(Math.min(copyBytes, size - offset));
        for (let at = offset; at < size;) {
          const read = readSync(file, buffer, 0, Math.min(buffer.length, size - at), at);
          if (read === 0) throw new Error(`${path} is shorter than the data that was written to it`);
          target.write(buffer, 0, read);
          at += read;
        }
        ftruncateSync(file, offset);
      },
      close: () => this.#close(file),
    };
  }

  /** Resolves when the content of every object is on the disk; rejects when one could not be written. */
  async finish(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Closes the current object without completing it, because the split has failed. */
  abandon(): void {
    if (this.#current !== undefined) closeSync(this.#current);
    this.#current = undefined;
  }

  /** Flushes the object to the disk in the background, while the next one is being written. */
  #close(file: number): void {
    if (this.#current === file) this.#current = undefined;
    const done: Promise<void> = (this.#durable ? syncAndClose(file) : promisify(close)(file))
      .catch((error: unknown) => void (this.#failure ??= error))
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}

/**
 * Gives the objects of all inputs their names, `000000_0`, `000001_0`, …, in the order of the inputs. Without any object
 * it makes an empty one.
 * @param counts number of objects of each input.
 * @param durable true to flush the names to the disk.
 * @returns the number of objects.
 */
export async function nameObjects(folder: string, counts: readonly number[], durable: boolean): Promise<number> {
  let total = 0;
  for (const [input, count] of counts.entries()) {
    for (let index = 0; index < count; index++) {
      await rename(join(folder, partName(input, index)), join(folder, objectName(total++)));
    }
  }
  if (total === 0) await (await open(join(folder, objectName(total++)), "wx")).close();
  if (durable) await syncFolder(folder);
  return total;
}

/** Returns the name of an object before the number of objects of the inputs before it is known. */
export function partName(input: number, index: number): string {
  return `part-${input}-${index}`;
}

/** Returns the name of the object with this number, as Hive names the output files of its tasks. */
export function objectName(index: number): string {
  return `${String(index).padStart(6, "0")}_0`;
}

/** Flushes a file's content to the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.datasync();
  } finally {
    await file.close();
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
