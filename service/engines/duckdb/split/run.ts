/** Runs a split from input files to object files, in the thread that calls it. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { getSystemErrorMessage } from "node:util";
import { createGunzip } from "node:zlib";
import type { InputFormat } from "../../../../contract";
import { EngineError } from "../errors";
import { RecordCutter } from "./cutter";
import { ObjectFiles } from "./objects";
import { recordScanner } from "./scanner";

/** A split over local files. */
export interface SplitRun {
  /** Input files in order, each plain or gzip. */
  readonly inputs: readonly { readonly path: string; readonly location: string }[];
  readonly format: InputFormat;
  /** Existing, empty directory. */
  readonly output: string;
  readonly objectBytes: number;
  /** Whether the objects are on the disk at the end, rather than with the operating system. @default true */
  readonly durable?: boolean;
}

/** How the caller follows and ends a split. */
export interface SplitControl {
  /** Asked between two pieces, so several times a second: whether to stop. */
  cancelled(): boolean;
  /** Bytes of input files that are done, of all. */
  progress(doneBytes: number, totalBytes: number): void;
}

/** What a split wrote. */
export interface SplitTotals {
  readonly objects: number;
  /** Bytes of the input files, compressed where they are. */
  readonly bytes: number;
}

/** The work was cancelled. */
export class SplitCancelled extends Error {
  override readonly name = "SplitCancelled";
}

/** Bytes read and written at a time. */
const pieceBytes = 1024 * 1024;

/**
 * Cuts the inputs into objects. Objects begin anew with each input, so that an input without a newline at its end
 * does not run into the next; inputs without bytes yield no object, and a split without any bytes one empty object.
 * @throws SplitCancelled, EngineError where an input cannot be read.
 */
export async function runSplit(run: SplitRun, control: SplitControl): Promise<SplitTotals> {
  const objects = new ObjectFiles(run.output, run.durable ?? true);
  const sizes = run.inputs.map(({ path, location }) => sizeOf(path, location));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  let before = 0;
  for (const [index, input] of run.inputs.entries()) {
    const done = before;
    const cutter = new RecordCutter({
      scanner: recordScanner(run.format),
      objectBytes: run.objectBytes,
      open: () => objects.open(),
    });
    const take = (piece: Buffer, length: number, position: number) => {
      if (control.cancelled()) throw new SplitCancelled();
      cutter.push(piece, length);
      control.progress(done + position, total);
    };
    try {
      await readInput(input.path, buffer, take);
    } catch (error) {
      objects.abandon();
      throw error instanceof SplitCancelled ? error : unreadable(input.location, error);
    }
    cutter.end();
    before += sizes[index]!;
  }
  if (objects.count === 0) objects.open().close();
  await objects.finish();
  if (control.cancelled()) throw new SplitCancelled();
  return { objects: objects.count, bytes: total };
}

type Take = (piece: Buffer, length: number, position: number) => void;

async function readInput(path: string, buffer: Buffer, take: Take): Promise<void> {
  const file = openSync(path, "r");
  let gzip: boolean;
  try {
    gzip = isGzip(buffer.subarray(0, readSync(file, buffer, 0, 2, 0)));
    if (!gzip) readPlain(file, buffer, take);
  } finally {
    closeSync(file);
  }
  if (gzip) await readGzip(path, take);
}

function readPlain(file: number, buffer: Buffer, take: Take): void {
  for (let position = 0; ;) {
    const read = readSync(file, buffer, 0, buffer.length, position);
    if (read === 0) return;
    position += read;
    take(buffer, read, position);
  }
}

async function readGzip(path: string, take: Take): Promise<void> {
  const compressed = createReadStream(path, { highWaterMark: 1024 * 1024 });
  const plain = createGunzip({ chunkSize: 1024 * 1024 });
  compressed.on("error", (error) => plain.destroy(error));
  try {
    for await (const piece of compressed.pipe(plain)) {
      take(piece as Buffer, (piece as Buffer).length, compressed.bytesRead);
    }
  } finally {
    compressed.destroy();
  }
}

/** Whether bytes begin as gzip does. */
function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

function sizeOf(path: string, location: string): number {
  try {
    const file = openSync(path, "r");
    try {
      return fstatSync(file).size;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unreadable(location, error);
  }
}

function unreadable(location: string, cause: unknown): EngineError {
  const { errno, syscall, message } = cause as NodeJS.ErrnoException;
  // Zlib's errors have numbers of their own.
  const reason = errno !== undefined && syscall !== undefined ? getSystemErrorMessage(errno) : message;
  return new EngineError(`cannot split ${location}: ${reason}`, { cause });
}
