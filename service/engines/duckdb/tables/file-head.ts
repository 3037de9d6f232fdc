/** Reads the beginning of a file. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { readHead, type Head, type HeadOptions } from "./head";

/** The beginning of a file. */
export interface FileHead extends Head {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
  /** Time of the last change of the file or its attributes, which no program can set, in milliseconds since 1970. */
  readonly changed: number;
  readonly inode: number;
}

export interface FileHeadOptions extends HeadOptions {
  /** True to hold the event loop in each call of the file system, which takes a tenth of the time. @default false */
  readonly holdsLoop?: boolean;
}

/**
 * Reads the beginning of a file: at most `bytes` bytes before decompression, or as many more as its first row has when a
 * format is given.
 * @throws EngineError when gzip data is corrupt, or the first row is longer than any that can be read.
 */
export async function readFileHead(path: string, options: FileHeadOptions = {}): Promise<FileHead> {
  if (options.holdsLoop === true) return readAtOnce(path, options);
  const file = await open(path, "r");
  try {
    const stats = await file.stat();
    return await headOf(path, stats, options, (start, end) => readRange(file, start, end));
  } finally {
    await file.close();
  }
}

async function readAtOnce(path: string, options: HeadOptions): Promise<FileHead> {
  const file = openSync(path, "r");
  try {
    return await headOf(path, fstatSync(file), options, async (start, end) => {
      const buffer = Buffer.allocUnsafe(Math.max(0, end - start));
      let length = 0;
      for (let read = -1; read !== 0 && length < buffer.length; length += read)
        read = readSync(file, buffer, length, buffer.length - length, start + length);
      return buffer.subarray(0, length);
    });
  } finally {
    closeSync(file);
  }
}

async function headOf(
  path: string,
  { size, mtimeMs: modified, ctimeMs: changed, ino: inode }: Stats,
  options: HeadOptions,
  readUpTo: (start: number, end: number) => Promise<Buffer>,
): Promise<FileHead> {
  const read = (start: number, end: number) => readUpTo(start, Math.min(end, size));
  return { ...(await readHead({ name: path, size, read }, options)), path, size, modified, changed, inode };
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, end - start));
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    ({ bytesRead: read } = await file.read(buffer, length, buffer.length - length, start + length));
  }
  return buffer.subarray(0, length);
}
