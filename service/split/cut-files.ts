/** Cuts input files into the objects of a split, in the calling thread. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { getSystemErrorMessage } from "node:util";
import { createGunzip } from "node:zlib";
import type { InputFormat } from "../../contract";
import { EngineError } from "../core/ports/engine-error";
import { RecordCutter } from "./cutter";
import { nameObjects, ObjectFiles, partName } from "./objects";
import { QuoteScan } from "./quote-scan";
import { recordScanner } from "./scanner";

/** A split over local files. */
export interface FileSplit {
  /** Input files in order, each plain text or gzip. */
  readonly inputs: readonly { readonly path: string; readonly location: string }[];
  readonly format: InputFormat;
  /** Existing, empty directory. */
  readonly output: string;
  readonly objectBytes: number;
  /** True to flush the objects to the disk before the split ends. @default true */
  readonly durable?: boolean;
}

/** Cancels a split and receives its progress. */
export interface SplitControl {
  /** Returns true to stop the split. Called between chunks, several times a second. */
  cancelled(): boolean;
  /** Reports the processed bytes of the input files and their total. */
  progress(doneBytes: number, totalBytes: number): void;
}

/** The number of objects and bytes of a split. */
export interface SplitTotals {
  readonly objects: number;
  /** Size of the input files; gzip files count with their compressed size. */
  readonly bytes: number;
}

/** Thrown when a split is cancelled. */
export class SplitCancelled extends Error {
  override readonly name = "SplitCancelled";
}

/** Bytes of a gzip file that are read, and of its content that are written, at a time. */
const chunkBytes = 1024 * 1024;

/** Inputs whose objects are flushed to the disk at the same time, with their files open. */
const maxFlushing = 16;

/**
 * Cuts the inputs into objects. Each input begins a new object, so that the last row of an input without a final
 * newline is not joined with the next input. Empty inputs produce no object; a split of empty inputs only produces one
 * empty object.
 * @throws SplitCancelled, or EngineError when an input cannot be read.
 */
export async function cutFiles(split: FileSplit, control: SplitControl): Promise<SplitTotals> {
  const sizes = split.inputs.map(({ path, location }) => sizeOf(path, location));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const counts = await cutInputs(split, split.inputs.keys(), {
    cancelled: control.cancelled,
    progress: (bytes) => control.progress(bytes, total),
  });
  const objects = await nameObjects(
    split.output,
    counts.map(([, count]) => count),
    split.durable ?? true,
  );
  return { objects, bytes: total };
}

/** Receives the progress of some of the inputs, and cancels them. */
export interface CutControl extends Pick<SplitControl, "cancelled"> {
  /** Reports the processed bytes of these inputs. */
  progress(doneBytes: number): void;
}

/**
 * Cuts those inputs whose numbers it is given, for {@link nameObjects}.
 * @returns each input's number with the number of its objects.
 * @throws SplitCancelled, or EngineError when an input cannot be read.
 */
export async function cutInputs(
  split: FileSplit,
  numbers: Iterable<number>,
  control: CutControl,
): Promise<[input: number, objects: number][]> {
  const quotes = new QuoteScan();
  /** Inputs whose objects may not be on the disk yet: the next ones are cut meanwhile. */
  const flushing: ObjectFiles[] = [];
  const counts: [number, number][] = [];
  let before = 0;
  for (const number of numbers) {
    const { path, location } = split.inputs[number]!;
    const objects = new ObjectFiles(split.output, split.durable ?? true, (index) => partName(number, index));
    const cutter = new RecordCutter({
      scanner: recordScanner(split.format, quotes),
      objectBytes: split.objectBytes,
      open: () => objects.open(),
    });
    const onChunk = (chunk: Buffer, length: number, position: number) => {
      if (control.cancelled()) throw new SplitCancelled();
      cutter.push(chunk, length);
      control.progress(before + position);
    };
    try {
      await readInput(path, location, quotes.chunk, onChunk);
    } catch (error) {
      objects.abandon();
      throw error instanceof SplitCancelled || error instanceof EngineError ? error : readError(location, error);
    }
    cutter.end();
    counts.push([number, objects.count]);
    before += sizeOf(path, location);
    flushing.push(objects);
    if (flushing.length > maxFlushing) await flushing.shift()!.finish();
  }
  for (const objects of flushing) await objects.finish();
  if (control.cancelled()) throw new SplitCancelled();
  return counts;
}

type OnChunk = (chunk: Buffer, length: number, position: number) => void;

async function readInput(path: string, location: string, buffer: Buffer, onChunk: OnChunk): Promise<void> {
  const file = openSync(path, "r");
  let gzip: boolean;
  try {
    gzip = isGzip(buffer.subarray(0, readSync(file, buffer, 0, 2, 0)));
    if (!gzip) readPlain(file, buffer, onChunk);
  } finally {
    closeSync(file);
  }
  if (gzip) await readGzip(path, location, onChunk);
}

function readPlain(file: number, buffer: Buffer, onChunk: OnChunk): void {
  for (let position = 0; ;) {
    const read = readSync(file, buffer, 0, buffer.length, position);
    if (read === 0) return;
    position += read;
    onChunk(buffer, read, position);
  }
}

async function readGzip(path: string, location: string, onChunk: OnChunk): Promise<void> {
  const compressed = createReadStream(path, { highWaterMark: chunkBytes });
  const plain = createGunzip({ chunkSize: chunkBytes });
  compressed.on("error", (error) => plain.destroy(error));
  try {
    for await (const chunk of compressed.pipe(plain) as AsyncIterable<Buffer<ArrayBuffer>>) {
      onChunk(chunk, chunk.length, compressed.bytesRead);
      // Zlib fills one buffer after another. A full one is freed at once: the garbage collector would leave hundreds.
      if (chunk.byteOffset + chunk.length === chunk.buffer.byteLength) chunk.buffer.transfer(0);
    }
  } finally {
    compressed.destroy();
  }
  const { bytesWritten: end } = plain;
  if (end < sizeOf(path, location)) await requireZeros(location, createReadStream(path, { start: end }));
}

/** Takes zeros after gzip data, as gzip does. @throws EngineError for any other bytes, which may be more rows */
export async function requireZeros(location: string, rest: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of rest) {
    if (chunk.some((byte) => byte !== 0))
      throw new EngineError(`cannot split ${location}: other bytes follow its gzip data`);
  }
}

/** Returns true when the bytes begin with gzip's magic number. */
function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Returns the size of an input file. @throws EngineError when it cannot be read */
export function sizeOf(path: string, location: string): number {
  try {
    const file = openSync(path, "r");
    try {
      return fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw readError(location, error);
  }
}

function readError(location: string, cause: unknown): EngineError {
  const { errno, syscall, code, message } = cause as NodeJS.ErrnoException;
  const isSystemError = errno !== undefined && syscall !== undefined;
  const reason = isSystemError ? getSystemErrorMessage(errno) : (gzipReason(code) ?? message);
  return new EngineError(`cannot split ${location}: ${reason}`, { cause });
}

/** Returns what is wrong with gzip data, by the code of zlib's error; undefined when it is another error. */
function gzipReason(code: string | undefined): string | undefined {
  if (code === "Z_BUF_ERROR") return "its gzip data ends too early";
  return code?.startsWith("Z_") ? "its gzip data is broken" : undefined;
}
