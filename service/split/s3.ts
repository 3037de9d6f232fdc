/**
 * Splits objects on S3. Rows are not rewritten: a split finds the range of each new object, and when the table is
 * published S3 copies the ranges from the inputs. Only gzip is streamed through files of this machine.
 */
import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { errors, formatLocation, type InputFormat, type Location } from "../../contract";
import { objectRanges } from "../../storage/object-ranges";
import { forEachParallel, Tasks } from "../../storage/parallel";
import type { S3Storage } from "../../storage/s3";
import { type ObjectRange, writeRanges } from "../../storage/s3-ranges";
import type { StoredObject } from "../../storage/storage";
import { EngineError } from "../core/ports/engine-error";
import { requireZeros } from "./cut-files";
import { RecordCutter } from "./cutter";
import { csvCuts, lineCuts } from "./cuts";
import { objectName, ObjectFiles } from "./objects";
import { recordScanner } from "./scanner";

/** Inputs whose first bytes are read, and files that are stored, at the same time. */
const parallel = { heads: 16, writes: 2 } as const;

/** An input with what its first bytes tell. */
export interface S3Input extends StoredObject {
  readonly isGzip: boolean;
}

export interface S3SplitOptions {
  readonly storage: S3Storage;
  readonly target: Location;
  readonly objectBytes: number;
  readonly format: InputFormat;
  /** A directory that does not exist, for objects that are rewritten. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Reports the percentage that is done. */
  readonly progress: (percent: number) => void;
  /** Size of all inputs. */
  readonly bytes: number;
}

/** Reads sizes and first bytes of the inputs. @throws InputObjectNotFound */
export async function headInputs(
  storage: S3Storage,
  locations: readonly Location[],
  signal: AbortSignal,
): Promise<S3Input[]> {
  const found = new Map<Location, S3Input>();
  await forEachParallel(locations, parallel.heads, async (location) => {
    signal.throwIfAborted();
    const object = await storage.headWithBytes(location, 2);
    if (!object) {
      const message = `${formatLocation(location)} does not exist`;
      throw new errors.InputObjectNotFound(message, { field: "inputObjectKeys" });
    }
    const { bytes, ...input } = object;
    found.set(location, { ...input, isGzip: bytes[0] === 0x1f && bytes[1] === 0x8b });
  });
  return locations.map((location) => found.get(location)!);
}

export class S3Split {
  readonly #ranges: ObjectRange[] = [];
  readonly #writes = new Tasks(parallel.writes);
  #objects = 0;
  #done = 0;

  constructor(private readonly options: S3SplitOptions) {}

  /** Begins the objects of one input. */
  async add(input: S3Input): Promise<void> {
    if (input.size === 0) return;
    if (input.isGzip) return this.#rewrite(input);
    const { location: source, size: sourceSize, etag = null } = input;
    for await (const { start, end } of this.#cuts(input)) {
      this.options.signal.throwIfAborted();
      this.#ranges.push({ name: objectName(this.#objects++), source, sourceSize, etag, start, end });
      this.#progress(end - start);
    }
  }

  /** Resolves with the number of objects when all are stored. A split of nothing has one empty object. */
  async finish(): Promise<number> {
    const { storage, target } = this.options;
    await this.#writes.finish();
    if (this.#ranges.length > 0) await writeRanges(storage, target, this.#ranges);
    if (this.#objects === 0) await storage.write(this.#next(), "");
    this.options.signal.throwIfAborted();
    return this.#objects;
  }

  async *#cuts(input: S3Input) {
    const { storage, objectBytes, format, signal } = this.options;
    const { location, size, etag } = input;
    if (size <= objectBytes) yield { start: 0, end: size };
    else if (format === "csv") yield* csvCuts(objectRanges(storage, input, signal), objectBytes);
    else {
      yield* lineCuts(size, objectBytes, async (start, end) => {
        signal.throwIfAborted();
        return buffer(await storage.read(location, { start, end, etag }));
      });
    }
  }

  /** Decompresses an input, and stores each object as soon as it is complete. */
  async #rewrite(input: S3Input): Promise<void> {
    const { directory, format, objectBytes, signal } = this.options;
    await mkdir(directory, { recursive: true });
    const files = new ObjectFiles(directory, false);
    const cutter = new RecordCutter({ scanner: recordScanner(format), objectBytes, open: () => files.open() });
    const compressed = Readable.from(objectRanges(this.options.storage, input, signal));
    const plain = createGunzip({ chunkSize: 1024 * 1024 });
    compressed.on("error", (error) => plain.destroy(error));
    let stored = 0;
    let read = 0;
    compressed.on("data", (chunk: Buffer) => (read += chunk.length));
    let reported = 0;
    const storeUpTo = async (count: number) => {
      for (; stored < count; stored += 1) await this.#store(join(directory, objectName(stored)));
      this.#progress(read - reported);
      reported = read;
    };
    try {
      for await (const chunk of compressed.pipe(plain) as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        cutter.push(chunk, chunk.length);
        // The last object may still grow.
        await storeUpTo(files.count - 1);
      }
      if (plain.bytesWritten < input.size) {
        const { location, etag } = input;
        const rest = await this.options.storage.read(location, { start: plain.bytesWritten, etag });
        await requireZeros(formatLocation(location), rest as AsyncIterable<Buffer>);
      }
      cutter.end();
      await files.finish();
      await storeUpTo(files.count);
      await this.#writes.finish();
    } catch (error) {
      await this.#writes.settle();
      files.abandon();
      signal.throwIfAborted();
      throw gzipError(formatLocation(input.location), error);
    } finally {
      compressed.destroy();
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #store(path: string): Promise<void> {
    const target = this.#next();
    await this.#writes.add(async () => {
      await this.options.storage.write(target, createReadStream(path));
      await rm(path);
    });
  }

  #next(): Location {
    const { bucket, key } = this.options.target;
    return { bucket, key: key + objectName(this.#objects++) };
  }

  #progress(bytes: number): void {
    this.#done += bytes;
    this.options.progress((99 * this.#done) / Math.max(1, this.options.bytes));
  }
}

function gzipError(location: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return new EngineError(`cannot split ${location}: its gzip data ends too early`);
  if (code?.startsWith("Z_")) return new EngineError(`cannot split ${location}: its gzip data is broken`);
  return error;
}
